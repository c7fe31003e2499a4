// SPDX-License-Identifier: BSD-3-Clause
/// \file  Compares box exchanges with the values of the grid.
#pragma once

#include "seiche/boxes.hpp"

#include <algorithm>
#include <complex>
#include <random>
#include <span>
#include <vector>

#include "support/mpi_test.hpp"
#include "support/points.hpp"

namespace seiche::testing {

/// Boxes of all ranks; the same on each rank.
using Boxes = std::vector<std::vector<Box>>;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high - 1)(engine);
  }
};

/// Cuts a box at random planes, and gives each part to a random rank.
inline void cut(const Box& box, int depth, Random& random, Boxes& boxes) {
  if (depth == 0 || box.volume() < 2) return boxes[static_cast<std::size_t>(random(0, ranks()))].push_back(box);
  const auto axis = static_cast<std::size_t>(random(0, 3));
  const std::int64_t at = random(box.axis[axis].low, box.axis[axis].high + 1);
  Box low = box, high = box;
  low.axis[axis].high = high.axis[axis].low = at;
  cut(low, depth - 1, random, boxes);
  cut(high, depth - 1, random, boxes);
}

/// Returns boxes that overlap and extend beyond the grid.
inline std::vector<Box> any_boxes(const GridShape& shape, Random& random) {
  std::vector<Box> list(static_cast<std::size_t>(random(0, 4)));
  for (Box& box : list) {
    const Point n{shape.nx, shape.ny, shape.nz};
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t low = random(-n[a], n[a]);
      box.axis[a] = {low, low + random(0, n[a] + 3)};
    }
  }
  return list;
}

/// Returns planes of the grid, blocks of `axis`, of the first `owners` ranks, with `halo` points more on all sides.
inline Boxes planes(const GridShape& shape, std::size_t axis, int owners, std::int64_t halo = 0) {
  Boxes boxes(static_cast<std::size_t>(ranks()));
  const Point n{shape.nx, shape.ny, shape.nz};
  for (int r = 0; r < owners; ++r) {
    Box box = whole(shape);
    box.axis[axis] = block(n[axis], owners, r);
    for (Range& range : box.axis) range = {range.low - halo, range.high + halo};
    boxes[static_cast<std::size_t>(r)] = {box};
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

template <class T>
T value_at(const GridShape& shape, const Point& p, std::int64_t field) {
  const auto number = static_cast<double>(1 + field * shape.volume()) + static_cast<double>(index_in(shape, p));
  return as_value<T>(std::complex<double>(number, -static_cast<double>(field)));
}

/// Returns an array with the values of the grid in boxes, and `between` elsewhere.
template <class T>
std::vector<T> array_with(const GridShape& shape, const std::vector<FieldArray>& arrays, std::int64_t fields,
                          std::size_t size, T between) {
  std::vector<T> values(size, between);
  for (const FieldArray& array : arrays) {
    for (std::int64_t f = 0; f < fields; ++f) {
      each_point(array, f, [&](const Point& p, std::size_t at) { values[at] = value_at<T>(shape, p, f); });
    }
  }
  return values;
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

/// Checks copies and sums, blocking and started, and two started calls at the same time.
template <class T>
void check(const Case& c) {
  const auto me = static_cast<std::size_t>(rank());
  std::size_t source_size = 0, target_size = 0;
  const auto source = arrays_of(c.sources[me], c.source_layout, c.fields, source_size);
  const auto target = arrays_of(c.targets[me], c.target_layout, c.fields, target_size);
  BoxExchange exchange(MPI_COMM_WORLD, c.shape, source, target, {.policy = c.policy, .space = c.space});
  const auto before = array_with<T>(c.shape, source, c.fields, source_size, T(-1));
  const auto want = array_with<T>(c.shape, target, c.fields, target_size, T(-2));
  const std::vector<T> empty(target_size, T(-2));
  CallersArray<T> in(before, c.source_there), out(empty, c.target_there), other(empty, c.target_there);
  exchange.copy<T>(in.span(), out.span(), c.fields);
  expect_equal(out.values(), want);
  expect_equal(in.values(), before);

  // add_back() adds each value as often as it is in a target box of any rank
  std::vector<int> copies(static_cast<std::size_t>(c.shape.volume()));
  for (const auto& list : c.targets) {
    for (const Box& box : list) {
      each_point(box, [&](const Point& p, std::size_t) { ++copies[index_in(c.shape, p)]; });
    }
  }
  std::vector<T> sums = before;
  for (const FieldArray& array : source) {
    for (std::int64_t f = 0; f < c.fields; ++f) {
      each_point(array, f, [&](const Point& p, std::size_t at) {
        sums[at] += static_cast<decltype(std::real(T{}))>(copies[index_in(c.shape, p)]) * value_at<T>(c.shape, p, f);
      });
    }
  }
  const auto end = [](Pending pending) {
    for (int i = 0; i < 5 * rank(); ++i) pending.progress();
    pending.finish();
  };
  end(exchange.start_add_back<T>(out.span(), in.span(), c.fields));
  expect_equal(in.values(), sums);
  in = CallersArray<T>(before, c.source_there);
  exchange.add_back<T>(out.span(), in.span(), c.fields);
  expect_equal(in.values(), sums);
  in = CallersArray<T>(before, c.source_there);
  out = CallersArray<T>(empty, c.target_there);
  Pending last = exchange.start_copy<T>(in.span(), out.span(), c.fields);
  end(exchange.start_copy<T>(in.span(), other.span(), c.fields));
  last.finish();
  expect_equal(out.values(), want);
  expect_equal(other.values(), want);
}

}  // namespace seiche::testing
