// SPDX-License-Identifier: BSD-3-Clause
/// \file  Compares box exchanges with the values of the grid.
#pragma once

#include "seiche/boxes.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "seiche/device_memory.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

using Point = std::array<std::int64_t, 3>;

/// Boxes of all ranks; the same on each rank.
using Boxes = std::vector<std::vector<Box>>;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high - 1)(engine);
  }
};

/// Cuts a box at random planes, and gives each part to a random rank or to nobody.
inline void cut(const Box& box, int depth, bool all, Random& random, Boxes& boxes) {
  if (depth == 0 || box.volume() < 2) {
    if (all || random(0, 4) > 0) boxes[static_cast<std::size_t>(random(0, ranks()))].push_back(box);
    return;
  }
  const auto axis = static_cast<std::size_t>(random(0, 3));
  const std::int64_t at = random(box.axis[axis].low, box.axis[axis].high + 1);
  Box low = box, high = box;
  low.axis[axis].high = high.axis[axis].low = at;
  cut(low, depth - 1, all, random, boxes);
  cut(high, depth - 1, all, random, boxes);
}

inline Boxes cut_grid(const GridShape& shape, Random& random) {
  Boxes boxes(static_cast<std::size_t>(ranks()));
  cut(whole(shape), 4, true, random, boxes);
  return boxes;
}

/// Boxes that overlap and extend beyond the grid.
inline Boxes any_boxes(const GridShape& shape, Random& random) {
  Boxes boxes(static_cast<std::size_t>(ranks()));
  for (auto& list : boxes) {
    list.resize(static_cast<std::size_t>(random(0, 4)));
    for (Box& box : list) {
      const Point n{shape.nx, shape.ny, shape.nz};
      for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t low = random(-n[a], n[a]);
        box.axis[a] = {low, low + random(0, n[a] + 3)};
      }
    }
  }
  return boxes;
}

enum class Layout { consecutive, interleaved, padded };

/// Returns the boxes of this rank, one after another in one array.
inline std::vector<FieldArray> arrays_of(const std::vector<Box>& boxes, Layout layout, std::int64_t fields,
                                         std::size_t& size) {
  std::vector<FieldArray> arrays;
  std::int64_t offset = 0;
  for (const Box& box : boxes) {
    FieldArray array = layout == Layout::consecutive   ? consecutive(box)
                       : layout == Layout::interleaved ? interleaved(box, std::max<std::int64_t>(fields, 1))
                                                       : padded(box, box.size(0) + 1, box.size(1) + 2);
    array.offset = offset;
    offset += fields * (box.size(0) + 1) * (box.size(1) + 2) * (box.size(2) + 1);
    arrays.push_back(array);
  }
  size = static_cast<std::size_t>(offset);
  return arrays;
}

/// Calls visit(point of the periodic grid, index in the array) for all points of a field.
template <class Visit>
void each_point(const GridShape& shape, const std::vector<FieldArray>& arrays, std::int64_t field, const Visit& visit) {
  const auto within = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
  for (const FieldArray& array : arrays) {
    if (array.box.empty()) continue;
    const auto& [x, y, z] = array.box.axis;
    for (std::int64_t k = z.low; k < z.high; ++k) {
      for (std::int64_t j = y.low; j < y.high; ++j) {
        for (std::int64_t i = x.low; i < x.high; ++i) {
          const std::int64_t at = array.offset + field * array.field_stride + (i - x.low) * array.stride[0] +
                                  (j - y.low) * array.stride[1] + (k - z.low) * array.stride[2];
          visit(Point{within(i, shape.nx), within(j, shape.ny), within(k, shape.nz)}, static_cast<std::size_t>(at));
        }
      }
    }
  }
}

template <class T>
T value_at(const Point& p, std::int64_t field) {
  const auto number = static_cast<double>(1 + p[0] + 20 * (p[1] + 20 * (p[2] + 20 * field)));
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else {
    return T(static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(-field));
  }
}

struct Case {
  GridShape shape;
  Boxes sources, targets;
  Layout source_layout = Layout::consecutive, target_layout = Layout::consecutive;
  std::int64_t fields = 1;
  Policy policy{};
  Space space = Space::host;
  bool source_there = false, target_there = false;  // arrays are in device memory
};

/// An array of the caller in host or device memory.
template <class T>
class CallersArray {
 public:
  CallersArray(const std::vector<T>& values, bool there) : here_(values) {
    if (there) there_.emplace(std::span<const T>(values));
  }
  std::span<T> span() { return there_ ? there_->span() : std::span<T>(here_); }
  std::vector<T> values() const { return there_ ? there_->values() : here_; }

 private:
  std::vector<T> here_;
  std::optional<DeviceArray<T>> there_;
};

template <class T>
void check(const Case& c) {
  const auto me = static_cast<std::size_t>(rank());
  std::size_t source_size = 0, target_size = 0;
  const auto source = arrays_of(c.sources[me], c.source_layout, c.fields, source_size);
  const auto target = arrays_of(c.targets[me], c.target_layout, c.fields, target_size);
  BoxExchange exchange(MPI_COMM_WORLD, c.shape, source, target, {.policy = c.policy, .space = c.space});
  std::vector<T> before(source_size, T(-1)), want(target_size, T(-2));
  CallersArray<T> out(want, c.target_there);
  for (std::int64_t field = 0; field < c.fields; ++field) {
    each_point(c.shape, source, field, [&](const Point& p, std::size_t at) { before[at] = value_at<T>(p, field); });
    each_point(c.shape, target, field, [&](const Point& p, std::size_t at) { want[at] = value_at<T>(p, field); });
  }
  CallersArray<T> in(before, c.source_there);
  exchange.copy<T>(in.span(), out.span(), c.fields);
  expect_equal(out.values(), want);
  expect_equal(in.values(), before);

  // add_back() adds each value as often as it is in a target box of any rank
  std::map<Point, double> copies;
  for (const auto& list : c.targets) {
    std::size_t size = 0;
    each_point(c.shape, arrays_of(list, Layout::consecutive, 1, size), 0,
               [&](const Point& p, std::size_t) { copies[p] += 1; });
  }
  std::vector<T> sums = before;
  for (std::int64_t field = 0; field < c.fields; ++field) {
    each_point(c.shape, source, field, [&](const Point& p, std::size_t at) {
      sums[at] += static_cast<decltype(std::real(T{}))>(copies[p]) * value_at<T>(p, field);
    });
  }
  Pending pending = exchange.start_add_back<T>(out.span(), in.span(), c.fields);
  for (int i = 0; i < 5 * rank(); ++i) pending.progress();
  pending.finish();
  expect_equal(in.values(), sums);
  in = CallersArray<T>(before, c.source_there);
  CallersArray<T> other(std::vector<T>(target_size, T(-2)), c.target_there);
  Pending again = exchange.start_copy<T>(in.span(), out.span(), c.fields);
  pending = exchange.start_copy<T>(in.span(), other.span(), c.fields);
  pending.finish();
  again.finish();
  expect_equal(out.values(), want);
  expect_equal(other.values(), want);
}

}  // namespace seiche::testing
