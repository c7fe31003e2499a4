// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wannier90.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/selection.hpp"
#include "seiche/wannier.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// Collective. Reads a .nnkp file, which `wannier90.x -pp` writes.
/// \throws Error(bad_file) if it is missing or damaged
WannierRequest read_nnkp(const Communicator& comm, const std::string& path);

/// Local. Returns the requested states: all bands of one spin that are not excluded.
/// \throws Error(bad_argument) if there is no such spin, or no band remains
Selection wanted_states(const WannierRequest& request, const OrbitalHeader& header, int spin = 0);

/// Options of write_wannier().
struct WannierOptions {
  std::optional<SelectedColumns> columns;  ///< use selected columns instead of the request's trial orbitals
  bool on_grid = false;                    ///< write UNK files: periodic parts on the header's grid
  int spin = 0;                            ///< spin in the names of UNK files
  MoveOptions move;                        ///< options of the redistribution
};

/// Collective. Writes SEED.mmn and SEED.eig. Also writes SEED.amn if there are projections, and UNK files (in the same
/// folder) if requested. First select the wanted_states() with WaveFile::select(). The files are
/// identical on any number of ranks. Each appears under its name only when it is complete.
/// \return names of the files written
/// \throws Error as wannier_matrices() does, and if a file cannot be written
std::vector<std::string> write_wannier(const WaveFile& file, const WannierRequest& request, const std::string& seed,
                                       const WannierOptions& options = {});

}  // namespace seiche
