// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of one spin and k-point of Quantum ESPRESSO, wfcN.dat, for programs that write the other files of a
/// .save themselves.
#pragma once

#include <array>
#include <string>

#include "seiche/orbitals.hpp"

namespace seiche {

/// Data of a file wfcN.dat that are copied to it bit by bit. Other programs ignore them.
struct WfcLabel {
  int k = 1, spin = 1;                  ///< number of the k-point and of the spin, from 1
  int last_wave = 0;                    ///< largest number of the waves in the program's list of all waves
  Vector3 position{};                   ///< k-point, Cartesian, bohr^-1
  std::array<Vector3, 3> reciprocal{};  ///< b1, b2, b3, bohr^-1
};

/// Collective. Starts to write orbitals of one spin and k-point to a file wfcN.dat, in the order of their positions.
/// Otherwise same as start_write_orbitals().
/// \throws Error if there are more spins or k-points, or the file cannot be written
[[nodiscard]] Pending start_write_wfc(const Orbitals& orbitals, const std::string& path, const WfcLabel& label,
                                      const MoveOptions& options = {});

/// Collective. Reads the first bands of a file wfcN.dat into existing orbitals of one spin and k-point.
/// \throws Error if the file has another k-point, fewer bands or other waves than `orbitals`, or is damaged
void read_wfc_into(Orbitals& orbitals, const std::string& path, const MoveOptions& options = {});

}  // namespace seiche
