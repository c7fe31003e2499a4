// SPDX-License-Identifier: BSD-3-Clause
/// \file  The work of a pair of transforms of a dense grid.
#include <algorithm>
#include <cmath>

#include "fft/dense/dense_chunks.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/resolved_options.hpp"
#include "layout/sound_shape.hpp"
#include "predict/exchanged.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche::predict {

namespace {

/// A transform on a number of ranks: the data of DensePlan, for any rank.
struct Pair {
  GridShape shape;
  bool real;
  Where where;
  FftOptions options;
  ProcessGrid grid;
  DenseLayouts layouts;
  DenseChunks chunks;

  bool pencil() const { return grid.fast > 1; }
  bool in_place() const { return options.policy.algorithm == Algorithm::shared; }
  bool zero_copy() const { return in_place() && !pencil(); }
  const Box& of(const std::vector<Box>& boxes, int rank) const { return boxes[static_cast<std::size_t>(rank)]; }
};

std::vector<int> chunks_of(const Pair& pair, const FftOptions& asked) {
  if (pair.in_place()) return {1};
  if (!asked.chunks.empty()) return asked.chunks;
  const auto nx = pair.real ? pair.shape.nx / 2 + 1 : pair.shape.nx;
  const std::int64_t bytes = nx * pair.shape.ny * pair.shape.nz * element_size;
  const std::int64_t to_each = bytes_to_each(pair.grid, pair.where.ranks, bytes);
  const bool several = goes_on_by_itself(pair.options.policy.algorithm);
  return std::vector<int>(static_cast<std::size_t>(several ? usual_chunks(to_each, 1) : 1), 1);
}

/// Returns the exchange between two layouts among the ranks of `members`, as seen by `rank`.
Leg leg_of(const Pair& pair, int rank, const std::vector<int>& members, const std::vector<Box>& from,
           const std::vector<Box>& into) {
  const auto me = static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
  Leg leg{{members, me}, {}, pair.zero_copy() ? TargetMemory::zero_copy : TargetMemory::own};
  const std::vector<Box> source = boxes_of(members, from), target = boxes_of(members, into);
  leg.parts = pair.chunks.routes(me, {source, padded_strides(pair.of(from, rank), element_size), source},
                                 {target, padded_strides(pair.of(into, rank), element_size), target});
  return leg;
}

std::vector<Leg> legs_of(const Pair& pair, int rank) {
  const DenseLayouts& in = pair.layouts;
  if (!pair.pencil()) {
    std::vector<int> all(static_cast<std::size_t>(pair.where.ranks));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = static_cast<int>(r);
    return {leg_of(pair, rank, all, in.rows, in.columns)};
  }
  return {leg_of(pair, rank, row_members(pair.grid, pair.where.ranks, rank), in.rows, in.middle),
          leg_of(pair, rank, column_members(pair.grid, pair.where.ranks, rank), in.middle, in.columns)};
}

double operations(std::int64_t n, std::int64_t lines, double of_point) {
  return of_point * static_cast<double>(n * lines) * std::log2(static_cast<double>(n));
}

double share_of(const Range& some, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(some.size()) / static_cast<double>(all);
}

/// Adds the 1D FFTs, forward and backward. 1D FFTs in the plane of a slab run in cache. Nothing is in flight during the
/// 1D FFTs before the first chunk is sent and after the last chunk has arrived.
void add_lines(Work& work, const Pair& pair, int rank) {
  const Box &rows = pair.of(pair.layouts.rows, rank), &middle = pair.of(pair.layouts.middle, rank);
  const Box& columns = pair.of(pair.layouts.columns, rank);
  const GridShape& n = pair.shape;
  const double plane = bytes_of_elements(middle.size(0) * middle.size(1));
  const double first = share_of(pair.chunks.planes(rows, 0), rows.size(2));
  const double last = share_of(pair.chunks.columns(columns, pair.chunks.count() - 1), columns.size(1));
  if (!rows.empty()) {
    const double along_x = 2 * operations(n.nx, rows.size(1) * rows.size(2), pair.real ? 2.5 : 5.0);
    work.lines.push_back({n.nx, along_x, false, bytes_of_elements(rows.volume()), first});
  }
  if (!middle.empty()) {
    const double footprint = pair.pencil() ? bytes_of_elements(middle.volume()) : plane;
    work.lines.push_back({n.ny, 2 * operations(n.ny, middle.size(0) * middle.size(2), 5.0), true, footprint, first});
  }
  if (columns.empty()) return;
  const double along_z = 2 * operations(n.nz, columns.size(0) * columns.size(1), 5.0);
  work.lines.push_back({n.nz, along_z, true, bytes_of_elements(columns.volume()), last});
}

}  // namespace

NodeWork work_of_pair(const GridShape& shape, bool real, const Where& where, const FftOptions& asked) {
  require_sound(shape);
  require_sound(where);
  Pair pair{shape,
            real,
            where,
            with_defaults(in_one_group(asked), where),
            dense_ranks(where.ranks, shape, asked.decomposition),
            {},
            {}};
  pair.layouts = dense_layouts(pair.grid, where.ranks, shape, real ? shape.nx / 2 + 1 : shape.nx, shape.ny);
  pair.options.chunks = chunks_of(pair, asked);
  pair.chunks = DenseChunks(pair.options.chunks,
                            pair.pencil() ? DenseChunks::Into::planes : DenseChunks::Into::planes_and_columns);
  pair.options.decomposition = decomposition_of(pair.grid);
  NodeWork node{{}, 1, pair.options, pair.in_place() ? 0 : 2, pair.in_place()};
  for (int rank = 0; rank < where.ranks_of_node(); ++rank) {
    Work work;
    add_lines(work, pair, rank);
    for (const Leg& leg : legs_of(pair, rank)) {
      add_leg(work, leg, way_of(pair.options, where, leg.among), where, 1);
    }
    node.ranks.push_back(std::move(work));
  }
  return node;
}

}  // namespace seiche::predict
