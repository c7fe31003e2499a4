// SPDX-License-Identifier: BSD-3-Clause
/// \file  From the order of waves in memory to that of a file, and from half spheres to whole ones.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "files/wavefile/format.hpp"

namespace seiche {

/// Where each wave of a file comes from among those given.
class FileOrder {
 public:
  /// \param half  the given waves are a half sphere: c(-G) = conj c(G) may be asked for
  FileOrder(std::span<const Miller> given, std::span<const Miller> in_file, bool half);

  /// \throws Error(bad_argument) when a given wave has no place in the file
  void require_complete(std::span<const Miller> given) const;

  bool same() const { return source_.empty(); }  ///< nothing has to be moved
  /// Of one component of a band.
  void reorder(std::span<const std::complex<double>> given, std::span<std::complex<double>> in_file) const;

 private:
  std::vector<std::int32_t> source_;  // i: the i-th; -1 - i: the conjugate of the i-th; none: zero
  static constexpr std::int32_t none = INT32_MAX;
};

/// The whole sphere of a half one: the given waves, then -G of each but G = 0, in the same order.
std::vector<Miller> whole_sphere(std::span<const Miller> half);

/// What a file of this format says of these wavefunctions, but for the numbers of waves: half spheres may be widened.
OrbitalHeader header_in_file(const WaveWriting& writing, OrbitalHeader header);
/// The waves that it has for the given ones, in its order. `header` is the file's.
std::vector<Miller> waves_in_file(const WaveWriting& writing, const OrbitalHeader& header, int k,
                                  std::vector<Miller> given, bool given_half);

}  // namespace seiche
