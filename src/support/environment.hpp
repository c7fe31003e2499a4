// SPDX-License-Identifier: BSD-3-Clause
/// \file  Table of all environment variables that the library reads.
#pragma once

#include <span>
#include <string>

namespace seiche {

struct EnvironmentVariable {
  const char* name;
  const char* meaning;
};

/// Returns all variables with their meaning, for `seiche info` and the documentation.
std::span<const EnvironmentVariable> environment_table();

/// Returns the value of a variable of the table, or "" if it is not set. \throws Error for a name that is not in the
/// table
std::string environment(const std::string& name);

}  // namespace seiche
