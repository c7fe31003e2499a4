// SPDX-License-Identifier: BSD-3-Clause
/// \file  Points of boxes of a periodic grid, and their places in arrays of the caller.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "seiche/device_memory.hpp"
#include "seiche/field_array.hpp"

namespace seiche::testing {

using Point = std::array<std::int64_t, 3>;

/// Returns the index of a point in an array of the whole grid, x fastest. Indices of points are periodic.
inline std::size_t index_in(const GridShape& shape, const Point& p) {
  const auto within = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
  return static_cast<std::size_t>(within(p[0], shape.nx) +
                                  shape.nx * (within(p[1], shape.ny) + shape.ny * within(p[2], shape.nz)));
}
inline std::size_t index_in(const GridShape& shape, const Miller& g) { return index_in(shape, Point{g.x, g.y, g.z}); }

/// Calls visit(point, index in the array) for all points of a field, x fastest.
template <class Visit>
void each_point(const FieldArray& array, std::int64_t field, const Visit& visit) {
  const auto& [x, y, z] = array.box.axis;
  if (array.box.empty()) return;
  for (std::int64_t k = z.low; k < z.high; ++k) {
    for (std::int64_t j = y.low; j < y.high; ++j) {
      for (std::int64_t i = x.low; i < x.high; ++i) {
        const std::int64_t at = array.offset + field * array.field_stride + (i - x.low) * array.stride[0] +
                                (j - y.low) * array.stride[1] + (k - z.low) * array.stride[2];
        visit(Point{i, j, k}, static_cast<std::size_t>(at));
      }
    }
  }
}
/// Calls visit(point, index in the box) for all points of a box.
template <class Visit>
void each_point(const Box& box, const Visit& visit) {
  each_point(consecutive(box), 0, visit);
}

/// Returns a value in another type. A real type gives the real part.
template <class To, class From>
To as_value(const From& value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(std::real(value));
  } else {
    return To(value);
  }
}

/// Returns where the fields of a whole grid that are in a box are: value(field, index in the whole grid).
template <class T, class ValueOf>
std::vector<T> values_in(const FieldArray& array, std::int64_t fields, std::size_t size, const GridShape& shape,
                         const ValueOf& value, const T& between = T()) {
  std::vector<T> all(size, between);
  for (std::int64_t field = 0; field < fields; ++field) {
    each_point(array, field,
               [&](const Point& p, std::size_t at) { all[at] = as_value<T>(value(field, index_in(shape, p))); });
  }
  return all;
}

/// An array of the caller in host memory, or in device memory.
template <class T>
class CallersArray {
 public:
  CallersArray(std::vector<T> values, bool there) : here_(std::move(values)) {
    if (there) there_.emplace(std::span<const T>(here_));
  }
  std::span<T> span() { return there_ ? there_->span() : std::span<T>(here_); }
  std::vector<T> values() const { return there_ ? there_->values() : here_; }

 private:
  std::vector<T> here_;
  std::optional<DeviceArray<T>> there_;
};

}  // namespace seiche::testing
