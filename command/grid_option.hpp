// SPDX-License-Identifier: BSD-3-Clause
/// \file  The option --grid.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche::command {

/// Grid points along x, y, z from the command line.
struct GridOption {
  std::vector<std::int64_t> points;

  CLI::Option* add_to(CLI::App& app);
  GridShape shape() const;  ///< \throws Error unless there are one or three valid numbers
};

}  // namespace seiche::command
