// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels and arrays of simulated ranks that use one device.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "cuda/module.hpp"
#include "cuda/sphere_case.hpp"

namespace seiche::testing {

/// Kernels and arrays of all simulated ranks.
template <class Real>
class Ranks {
 public:
  using Number = std::complex<Real>;
  using Numbers = std::vector<Number>;

  Ranks(const SphereCase& c, const std::vector<Wave>& waves, std::size_t rows)
      : rows_(rows), shares_(shares_of(c, waves)), stream_(device().stream(nullptr)) {
    for (const Share& share : shares_) {
      kernels_.push_back(device().sphere(share.sphere));
      const auto nz = static_cast<std::size_t>(share.sphere.nz), pitch = static_cast<std::size_t>(share.sphere.pitch);
      for (std::size_t row = 0; row < rows; ++row) {
        sticks_.emplace_back(nz * pitch);
        planes_.emplace_back(static_cast<std::size_t>(share.plane_array));
      }
    }
  }

  const std::vector<Share>& shares() const { return shares_; }
  SphereKernels& kernels(std::size_t rank) { return *kernels_[rank]; }
  DeviceStream& stream() { return *stream_; }

  /// Returns pointers to the arrays of the rows of a rank.
  std::vector<void*> planes(std::size_t rank) const { return pointers(planes_, rank * rows_, rows_); }
  std::vector<void*> sticks(std::size_t rank) const { return pointers(sticks_, rank * rows_, rows_); }
  template <class T>
  static std::vector<void*> pointers(const std::vector<DeviceArray<T>>& arrays, std::size_t first, std::size_t count) {
    std::vector<void*> all;
    for (std::size_t i = first; i < first + count; ++i) all.push_back(arrays[i].data());
    return all;
  }

  /// From coefficients[row][wave] to planes.
  void to_planes(const std::vector<std::vector<Wide>>& coefficients) {
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
      std::vector<DeviceArray<Number>> arrays;
      for (const auto& row : coefficients) arrays.emplace_back(*stream_, mine(row, shares_[rank]));
      const auto in = pointers(arrays, 0, rows_), out = sticks(rank);
      kernels_[rank]->z_to_planes(*stream_, const_pointers(in), out);
      stream_->record()->wait();
    }
    exchange(true);
  }

  /// From planes to coefficients[row][wave], which are added to the given values if `adds`.
  std::vector<std::vector<Wide>> from_planes(std::vector<std::vector<Wide>> coefficients, bool adds) {
    exchange(false);
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
      std::vector<DeviceArray<Number>> arrays;
      for (const auto& row : coefficients) arrays.emplace_back(*stream_, mine(row, shares_[rank]));
      const auto in = sticks(rank), out = pointers(arrays, 0, rows_);
      kernels_[rank]->z_from_planes(*stream_, const_pointers(in), out, adds);
      for (std::size_t row = 0; row < rows_; ++row) {
        const Numbers values = arrays[row].values(*stream_);
        for (std::size_t i = 0; i < values.size(); ++i) coefficients[row][shares_[rank].waves[i]] = Wide(values[i]);
      }
    }
    return coefficients;
  }

  static std::vector<const void*> const_pointers(const std::vector<void*>& all) { return {all.begin(), all.end()}; }

 private:
  static Numbers mine(const std::vector<Wide>& row, const Share& share) {
    Numbers values;
    for (const std::size_t wave : share.waves) values.push_back(static_cast<Number>(row[wave]));
    return values;
  }

  /// Copies the sticks of each rank to the planes of each rank, or back.
  void exchange(bool forth) {
    for (std::size_t from = 0; from < shares_.size(); ++from) {
      for (std::size_t to = 0; to < shares_.size(); ++to) {
        const Share &source = shares_[from], &target = shares_[to];
        const std::int64_t count = source.stick_count(), planes = target.sphere.planes;
        const DeviceBox of_sticks{{count, planes, 1}, {1, source.sphere.pitch, 0}};
        const DeviceBox of_planes{{count, planes, 1}, {1, target.pitches[from], 0}};
        for (std::size_t row = 0; row < rows_; ++row) {
          Number* sticks = sticks_[from * rows_ + row].data() + target.first_plane * source.sphere.pitch;
          Number* into = planes_[to * rows_ + row].data() + target.offsets[from];
          if (forth)
            stream_->copy_box(sticks, of_sticks, into, of_planes, sizeof(Number));
          else
            stream_->copy_box(into, of_planes, sticks, of_sticks, sizeof(Number));
        }
      }
    }
  }

  std::size_t rows_;
  std::vector<Share> shares_;
  std::unique_ptr<DeviceStream> stream_;
  std::vector<std::unique_ptr<SphereKernels>> kernels_;
  std::vector<DeviceArray<Number>> sticks_, planes_;  // by rank, then row
};

}  // namespace seiche::testing
