// SPDX-License-Identifier: BSD-3-Clause
/// \file  The files of wannier90: what it asks for, and what it is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/selection.hpp"
#include "seiche/wannier.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// Collective. The .nnkp that `wannier90.x -pp` writes. \throws Error(bad_file)
WannierRequest read_nnkp(const Communicator& comm, const std::string& path);

/// Local. The states that are asked for: all bands that are not excluded, of one spin. \throws Error(bad_argument) when
/// there is no such spin, or no band is left
Selection wanted_states(const WannierRequest& request, const OrbitalHeader& header, int spin = 0);

/// What is written for wannier90 besides overlaps and energies.
struct WannierOptions {
  std::optional<SelectedColumns> columns;  ///< projections by them, not on the request's trial orbitals
  bool on_grid = false;                    ///< UNK files: the periodic parts on the header's grid
  int spin = 0;                            ///< for the names of UNK files
  MoveOptions move;
};

/// Collective. Writes SEED.mmn, SEED.eig, where there are projections SEED.amn, and UNK files into the same folder, of
/// a file's states, which are to be the wanted ones (see WaveFile::select). The same bytes on any number of ranks; each
/// file appears when it is complete. \throws Error as wannier_matrices does \return files written
std::vector<std::string> write_wannier(const WaveFile& file, const WannierRequest& request, const std::string& seed,
                                       const WannierOptions& options = {});

}  // namespace seiche
