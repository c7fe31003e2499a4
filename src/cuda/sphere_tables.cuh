// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lists of a sphere in device memory, for kernels that work on whole lines and planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/array.hpp"
#include "device/sphere_kernels.hpp"

namespace seiche::cuda {

/// Returns the place of a frequency on an axis.
inline std::int32_t wrapped(std::int32_t frequency, std::int32_t n) {
  return frequency < 0 ? frequency + n : frequency;
}

/// Lists as kernels see them.
struct SphereTables {
  const DeviceSphere::Stick* sticks;
  const std::int32_t* waves;
  const DeviceSphere::Column* columns;
  const std::int32_t* column_at;  ///< by x, wrapped: index of the column, or -1
  const DeviceSphere::Place* places;
  const std::int32_t* point_of;  ///< by index of places: y * width + x, wrapped, or -1
  std::int32_t nx, ny, nz, width, planes, sticks_count, places_count, pitch;

  /// Returns waves[] of a value on a line, or no_wave. `z`: wrapped
  __device__ std::int32_t wave(std::int32_t stick, std::int32_t z) const {
    const DeviceSphere::Stick s = sticks[stick];
    const std::int32_t frequency = z <= s.above ? z : z - nz;
    return frequency >= -s.below ? waves[s.first + frequency + s.below] : DeviceSphere::no_wave;
  }

  /// Returns the place of a point of a plane; the offset is negative if there is no stick. `x`, `y`: wrapped
  __device__ DeviceSphere::Place place(std::int32_t x, std::int32_t y) const {
    DeviceSphere::Place none;
    const std::int32_t at = column_at[x];
    if (at < 0) return none;
    const DeviceSphere::Column c = columns[at];
    const std::int32_t frequency = y <= c.above ? y : y - ny;
    return frequency >= -c.below ? places[c.first + frequency + c.below] : none;
  }
};

/// Owner of the lists. `width` of a plane is nx, or nx / 2 + 1 for half spheres.
class SphereLists {
 public:
  explicit SphereLists(const DeviceSphere& sphere)
      : width_(sphere.half ? sphere.nx / 2 + 1 : sphere.nx),
        sticks_(sphere.sticks),
        waves_(sphere.waves),
        columns_(sphere.columns),
        column_at_(column_at(sphere, width_)),
        places_(sphere.places),
        point_of_(point_of(sphere, width_)),
        tables_{sticks_.data(),
                waves_.data(),
                columns_.data(),
                column_at_.data(),
                places_.data(),
                point_of_.data(),
                sphere.nx,
                sphere.ny,
                sphere.nz,
                width_,
                sphere.planes,
                static_cast<std::int32_t>(sphere.sticks.size()),
                static_cast<std::int32_t>(sphere.places.size()),
                sphere.pitch} {}

  const SphereTables& tables() const { return tables_; }
  std::size_t bytes() const {
    return sticks_.bytes() + waves_.bytes() + columns_.bytes() + column_at_.bytes() + places_.bytes() +
           point_of_.bytes();
  }

 private:
  static std::vector<std::int32_t> column_at(const DeviceSphere& sphere, std::int32_t width) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(width), -1);
    for (std::size_t c = 0; c < sphere.columns.size(); ++c)
      all[static_cast<std::size_t>(wrapped(sphere.columns[c].x, sphere.nx))] = static_cast<std::int32_t>(c);
    return all;
  }
  static std::vector<std::int32_t> point_of(const DeviceSphere& sphere, std::int32_t width) {
    std::vector<std::int32_t> all(sphere.places.size(), -1);
    for (const DeviceSphere::Column& column : sphere.columns) {
      for (std::int32_t y = -column.below; y <= column.above; ++y) {
        const auto place = static_cast<std::size_t>(column.first + y + column.below);
        if (sphere.places[place].offset >= 0) all[place] = wrapped(y, sphere.ny) * width + wrapped(column.x, sphere.nx);
      }
    }
    return all;
  }

  std::int32_t width_;
  Array<DeviceSphere::Stick> sticks_;
  Array<std::int32_t> waves_;
  Array<DeviceSphere::Column> columns_;
  Array<std::int32_t> column_at_;
  Array<DeviceSphere::Place> places_;
  Array<std::int32_t> point_of_;
  SphereTables tables_;
};

}  // namespace seiche::cuda
