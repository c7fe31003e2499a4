// SPDX-License-Identifier: BSD-3-Clause
/// \file  Converts the order of waves from memory to a file, and half spheres to full spheres.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "files/wavefile/format.hpp"

namespace seiche {

/// The source of each wave of a file among the given waves.
class FileOrder {
 public:
  /// \param half  the given waves are a half sphere: c(-G) = conj c(G) may be used
  FileOrder(std::span<const Miller> given, std::span<const Miller> in_file, bool half);

  /// \throws Error(bad_argument) if the file does not contain a given wave
  void require_complete(std::span<const Miller> given) const;

  bool same() const { return source_.empty(); }  ///< whether both orders are equal
  /// Reorders one component of a band.
  void reorder(std::span<const std::complex<double>> given, std::span<std::complex<double>> in_file) const;

 private:
  std::vector<std::int32_t> source_;  // i: the i-th wave; -1 - i: the conjugate of the i-th; none: zero
  static constexpr std::int32_t none = INT32_MAX;
};

/// Returns the full sphere of a half sphere: the given waves, then -G of each except G = 0, in the same order.
std::vector<Miller> whole_sphere(std::span<const Miller> half);

/// Returns the header of these wavefunctions in a file of this format, without the numbers of waves: half spheres may
/// become full spheres.
OrbitalHeader header_in_file(const WaveWriting& writing, OrbitalHeader header);
/// Returns the waves in the file for the given ones, in its order. `header` belongs to the file.
std::vector<Miller> waves_in_file(const WaveWriting& writing, const OrbitalHeader& header, int k,
                                  std::vector<Miller> given, bool given_half);

}  // namespace seiche
