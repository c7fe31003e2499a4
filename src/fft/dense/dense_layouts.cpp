// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/dense_layouts.hpp"

#include <algorithm>
#include <numeric>

#include "boxes/boxes_of_ranks.hpp"
#include "comm/agree.hpp"
#include "fft/lines/tiles.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns the active ranks for which `same` is true.
template <class Same>
std::vector<int> members(const ProcessGrid& ranks, int size, int rank, const Same& same) {
  if (!ranks.active(rank)) return {rank};
  std::vector<int> found;
  for (int r = 0; r < size; ++r) {
    if (ranks.active(r) && same(r)) found.push_back(r);
  }
  return found;
}

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

std::string name_of(Decomposition decomposition) {
  constexpr std::array names{"automatic", "slab", "pencil", "pencil_yz"};
  return names.at(static_cast<std::size_t>(decomposition));
}

ProcessGrid arranged(int ranks, const GridShape& shape, Decomposition wanted, std::int64_t planes) {
  const bool pencil = wanted == Decomposition::pencil || wanted == Decomposition::pencil_yz;
  const bool too_many = wanted == Decomposition::automatic && ranks > planes;
  ProcessGrid grid = arrange(ranks, shape.nz, shape.ny,
                             pencil     ? Split::both
                             : too_many ? Split::balanced
                                        : Split::slow);
  grid.slow_together = wanted == Decomposition::pencil_yz;
  return grid;
}

Decomposition decomposition_of(const ProcessGrid& grid) {
  if (grid.fast == 1) return Decomposition::slab;
  return grid.slow_together ? Decomposition::pencil_yz : Decomposition::pencil;
}

ProcessGrid dense_ranks(int size, const GridShape& shape, Decomposition wanted) {
  return arranged(size, shape, wanted, std::min(shape.nz, shape.ny));
}

DenseLayouts dense_layouts(const ProcessGrid& ranks, int size, const GridShape& shape, std::int64_t nx,
                           std::int64_t ny) {
  const std::int64_t ny_of_rows = ranks.fast > 1 ? shape.ny : ny;  // slabs: 1D FFTs along y precede the exchange
  DenseLayouts layouts;
  for (int r = 0; r < size; ++r) {
    Box rows, middle, middle_waves, columns;
    if (ranks.active(r)) {
      const int i = ranks.slow_of(r), j = ranks.fast_of(r);
      const Range x = block(nx, ranks.fast, j), z = block(shape.nz, ranks.slow, i);
      rows = {{Range{0, nx}, block(ny_of_rows, ranks.fast, j), z}};
      middle = {{x, Range{0, ny_of_rows}, z}};
      middle_waves = {{x, Range{0, ny}, z}};
      columns = {{x, block(ny, ranks.slow, i), Range{0, shape.nz}}};
    }
    layouts.rows.push_back(rows);
    layouts.middle.push_back(middle);
    layouts.middle_waves.push_back(middle_waves);
    layouts.columns.push_back(columns);
  }
  return layouts;
}

std::vector<int> row_members(const ProcessGrid& ranks, int size, int rank) {
  return members(ranks, size, rank, [&](int r) { return ranks.slow_of(r) == ranks.slow_of(rank); });
}

std::vector<int> column_members(const ProcessGrid& ranks, int size, int rank) {
  return members(ranks, size, rank, [&](int r) { return ranks.fast_of(r) == ranks.fast_of(rank); });
}

std::vector<Box> boxes_of(const std::vector<int>& members, const std::vector<Box>& boxes) {
  std::vector<Box> some;
  for (const int r : members) some.push_back(boxes[static_cast<std::size_t>(r)]);
  return some;
}

/// Rows are whole cache lines and planes whole rows, an odd number of each. Then planes are an odd number of cache
/// lines apart, too.
std::array<std::int64_t, 3> padded_strides(const Box& box, std::size_t bytes) {
  const std::int64_t row = padded_row(box.size(0), bytes);
  return {1, row, row * (box.size(1) | 1)};
}

std::int64_t bytes_to_each(const ProcessGrid& grid, int ranks, std::int64_t bytes) {
  return bytes / (std::int64_t{ranks} * std::max(grid.slow, grid.fast));
}

/// The first and the last chunk do not overlap with computation. So many chunks are better than few, unless messages
/// become too small. Fewer are needed if bundles overlap as well.
int usual_chunks(std::int64_t to_each, std::int64_t bundles) {
  constexpr std::int64_t message = 90'000, few = 4, many = 12;  // from measurements
  const auto shared = [bundles](std::int64_t chunks) { return (chunks + bundles - 1) / bundles; };
  return static_cast<int>(std::clamp(to_each / message, shared(few), shared(many)));
}

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
