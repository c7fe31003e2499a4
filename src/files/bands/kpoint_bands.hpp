// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads the bands of one spin and k-point of a file on one process.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "files/wavefile/wavefile_body.hpp"

namespace seiche {

/// The bands of one spin and k-point of a file. Local. The file stays open during the lifetime.
class KPointBands {
 public:
  /// \param shift  added to the Miller indices of all waves
  KPointBands(const WaveFile& file, int spin, int k, const Miller& shift = {});

  /// Returns the waves of the full sphere, also if the file has a half sphere.
  std::vector<Miller> whole_sphere() const;
  /// Returns the coefficients of `bands`, [band][component][wave of `common`]. Waves that are not in the file get
  /// zeros. \throws Error(bad_file) if the file cannot be read
  std::vector<std::complex<double>> coefficients(std::span<const Miller> common, const Range& bands) const;

 private:
  const WaveBlock& block_;
  File file_;
  std::int64_t components_;
  bool half_;
  std::vector<Miller> waves_;
};

}  // namespace seiche
