// SPDX-License-Identifier: BSD-3-Clause
/// \file  Words for bands, k-points, spins and energies, as people type them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "seiche/selection.hpp"
#include "session.hpp"

namespace seiche::command {

/// What --bands, --kpoint and --spin say; empty: all. (--kpoints names a file of weights.)
struct SelectionWords {
  std::string bands, kpoints, spin;
  bool empty() const { return bands.empty() && kpoints.empty() && spin.empty(); }
};

void add_selection(CLI::App& command, SelectionWords& words);

/// "1-10,12" counted from 1, "up", "down". \throws Error(bad_argument)
Selection selection_of(const SelectionWords& words);

/// "18Ry", "9", "9 Ha", "250eV", in hartree; `option` is named where it is no energy. \throws Error(bad_argument)
double energy_of(const std::string& option, const std::string& text);

}  // namespace seiche::command
