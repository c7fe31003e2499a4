// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/callers_distribution.hpp"

#include <algorithm>
#include <numeric>

#include "boxes/boxes_of_ranks.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Tells whether the non-empty ranges cover [0, n) without gaps, and whether they are ascending.
struct Cover {
  bool whole, ascending;
};
Cover cover_of(std::vector<Range> ranges, std::int64_t n) {
  std::erase_if(ranges, [](const Range& range) { return range.empty(); });
  const auto before = [](const Range& a, const Range& b) { return a.low < b.low; };
  const bool ascending = std::is_sorted(ranges.begin(), ranges.end(), before);
  std::sort(ranges.begin(), ranges.end(), before);
  std::int64_t reached = 0;
  for (const Range& range : ranges) {
    if (range.low != reached) return {false, ascending};
    reached = range.high;
  }
  return {reached == n, ascending};
}

/// Collective. Returns the box of each rank.
std::vector<Box> boxes_of_all(const Communicator& comm, const FieldArray& mine) {
  std::vector<Box> boxes;
  for (const BoxList& list : boxes_of_ranks(comm, {&mine, 1})) boxes.push_back(list.front());
  return boxes;
}

/// Returns the ranges of the boxes along an axis, which are empty for empty boxes.
std::vector<Range> ranges(const std::vector<Box>& boxes, std::size_t axis) {
  std::vector<Range> all;
  for (const Box& box : boxes) all.push_back(box.empty() ? Range{} : box.axis[axis]);
  return all;
}

/// Tells whether boxes are whole along all axes except one, along which they cover [0, n).
bool share(const std::vector<Box>& boxes, const std::array<std::int64_t, 3>& n, std::size_t axis) {
  for (const Box& box : boxes) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (a != axis && !box.empty() && box.axis[a] != Range{0, n[a]}) return false;
    }
  }
  return cover_of(ranges(boxes, axis), n[axis]).whole;
}

}  // namespace

CallersDistribution distribution_of(const Communicator& comm, const GridShape& shape, std::int64_t nx,
                                    const DenseArrays& arrays) {
  const auto grid = boxes_of_all(comm, arrays.grid), spectrum = boxes_of_all(comm, arrays.spectrum);
  CallersDistribution distribution{ranges(grid, 2), ranges(spectrum, 1)};
  const bool closer = arrays.grid.field_stride < arrays.grid.stride[0];  // strides of an empty box are undefined
  distribution.side_by_side = maximum(comm, std::int64_t{!arrays.grid.box.empty() && closer}) > 0;
  const bool columns = share(spectrum, {nx, shape.ny, shape.nz}, 1);
  distribution.returns =
      !columns && share(spectrum, {nx, shape.ny, shape.nz}, 2) && ranges(spectrum, 2) == distribution.z;
  distribution.ascending = cover_of(distribution.z, shape.nz).ascending;
  require(share(grid, {shape.nx, shape.ny, shape.nz}, 2), Fault::bad_argument,
          "fft: the grid boxes of the {} ranks do not split {} x {} x {} points into whole planes: give each rank a "
          "range of z or an empty box",
          comm.size(), shape.nx, shape.ny, shape.nz);
  require(columns || distribution.returns, Fault::bad_argument,
          "fft: the spectrum boxes of the {} ranks split {} x {} x {} points neither into whole columns along z nor "
          "like the grid: give each rank whole columns, or its box of the grid",
          comm.size(), nx, shape.ny, shape.nz);
  for (int r = 0; distribution.returns && r < comm.size(); ++r) {
    distribution.y[static_cast<std::size_t>(r)] = block(shape.ny, comm.size(), r);
  }
  return distribution;
}

/// Returns the bundle. Messages should be large enough for full network bandwidth. Interleaved values of a bundle are
/// whole pairs of cache lines, or all fields, because bundles that share cache lines are slow.
Bundle bundle_of(const DenseArrays& arrays, bool side_by_side, bool real, std::size_t element, std::int64_t to_each) {
  constexpr std::int64_t two_cache_lines = 128, message = 256 * 1024;
  const auto size = static_cast<std::int64_t>(element);
  const bool all = side_by_side && real && arrays.in_place;  // fields overlap in both layouts
  for (std::int64_t some = 1; some < arrays.fields && !all; ++some) {
    const bool splits_lines = side_by_side && some * size % two_cache_lines != 0;
    if (arrays.fields % some != 0 || some * to_each < message || splits_lines) continue;
    return side_by_side ? Bundle{some, 1} : Bundle{1, some};
  }
  return side_by_side ? Bundle{arrays.fields, 1} : Bundle{1, arrays.fields};
}

}  // namespace seiche
