// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of one spin and k-point of Quantum ESPRESSO, wfcN.dat, for programs that write the other files of a
/// .save themselves.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>

#include "seiche/coefficients.hpp"
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

/// Collective. Reads the first bands of a file wfcN.dat to an array of the calling code. No second copy of the bands is
/// made. `header` has one spin and k-point. `waves`: the waves of this rank in any order; a rank may have none.
/// `positions`: place of each of them in the file, from 0. Each wave of the file is on one rank. Value i of a row of
/// `coefficients` belongs to waves[i]. If the call fails, the coefficients are undefined.
/// \throws Error if the file has another k-point, fewer bands or other waves, or is damaged
void read_wfc(const Communicator& comm, const std::string& path, const OrbitalHeader& header,
              std::span<const std::int32_t> positions, std::span<const Miller> waves,
              Coefficients<std::complex<double>> coefficients, const MoveOptions& options = {});

}  // namespace seiche
