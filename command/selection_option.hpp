// SPDX-License-Identifier: BSD-3-Clause
/// \file  Parses bands, k-points and spins of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "seiche/selection.hpp"
#include "session.hpp"

namespace seiche::command {

/// The values of --bands, --kpoint and --spin; empty: all. (--kpoints names a file of weights.)
struct SelectionWords {
  std::string bands, kpoints, spin;
  bool empty() const { return bands.empty() && kpoints.empty() && spin.empty(); }
};

void add_selection(CLI::App& command, SelectionWords& words);

/// Parses "1-10,12" (counted from 1), "up" and "down". \throws Error(bad_argument)
Selection selection_of(const SelectionWords& words);

}  // namespace seiche::command
