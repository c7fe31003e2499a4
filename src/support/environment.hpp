// SPDX-License-Identifier: BSD-3-Clause
/// \file  The environment variables that the library reads: all of them, in one table.
#pragma once

#include <span>
#include <string>

namespace seiche {

struct EnvironmentVariable {
  const char* name;
  const char* meaning;
};

/// Every variable the library reads, with its meaning, for `seiche info` and the docs.
std::span<const EnvironmentVariable> environment_table();

/// The value of a variable of the table, or "" where it is not set. \throws Error for a name that is not in the table
std::string environment(const std::string& name);

}  // namespace seiche
