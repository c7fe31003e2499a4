// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense_plan.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "fft/decomposition.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/tiles.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche {

DensePlan::DensePlan(const Communicator& all, const GridShape& grid_shape, const FftOptions& asked,
                     const DenseKind& of_values)
    : comm(all),
      row_comm(all),
      column_comm(all),
      shape(grid_shape),
      kind(of_values),
      nx(kind.real ? shape.nx / 2 + 1 : shape.nx) {
  options = resolved(comm, asked, dense_transform(shape, kind.letter));
  ranks = dense_ranks(comm.size(), shape, options.decomposition);
  pencil = ranks.fast > 1;
  layouts = dense_layouts(ranks, comm.size(), shape, nx);
  if (pencil) {
    row_comm = comm.split(row_members(ranks, comm.size(), comm.rank()).front());
    column_comm = comm.split(column_members(ranks, comm.size(), comm.rank()).front());
  }
  in_place = options.policy.algorithm == Algorithm::shared || options.policy.algorithm == Algorithm::local;
  zero_copy = in_place && !pencil;
  chunks = chunks_of();
  rows_stride = padded_strides(mine(layouts.rows));
  middle_stride = padded_strides(mine(layouts.middle));
  columns_stride = zero_copy ? rows_stride : padded_strides(mine(layouts.columns));
  grid_box = mine(layouts.rows);
  if (!grid_box.empty()) grid_box.axis[0] = {0, shape.nx};
  identity = PlanKey().add(kind.letter).add(shape).add(options).add(comm.get()).text();
}

/// Where nothing is sent there is nothing to hide, and the grid is one chunk.
std::vector<int> DensePlan::chunks_of() const {
  if (in_place) return {1};
  if (options.chunks.empty()) return std::vector<int>(usual_chunks(), 1);
  for (const int weight : options.chunks) {
    require(weight > 0, Fault::bad_argument, "fft: a chunk of relative size {}; give positive numbers", weight);
  }
  return options.chunks;
}

/// As many as leave messages of a size that networks take at once; a few to overlap in any case.
std::size_t DensePlan::usual_chunks() const {
  constexpr std::int64_t message = 1'400'000;  // measured: docs/performance/overlap.md
  if (!goes_on_by_itself(options.policy.algorithm)) return 1;
  const std::int64_t bytes = nx * shape.ny * shape.nz * static_cast<std::int64_t>(kind.element);
  const std::int64_t to_each = bytes / (std::int64_t{comm.size()} * std::max(ranks.slow, ranks.fast));
  return static_cast<std::size_t>(std::clamp<std::int64_t>(to_each / message, 4, 16));
}

/// Rows of whole cache lines and planes of whole rows, an odd number of each: then planes are an odd number of cache
/// lines apart as well.
Strides DensePlan::padded_strides(const Box& box) const {
  const std::int64_t row = padded_row(box.size(0), kind.element);
  return {1, row, row * (box.size(1) | 1)};
}

Range DensePlan::chunk(const Box& box, std::size_t c) const {
  const Range part = weighted_block(box.size(2), chunks, c);
  return {box.axis[2].low + part.low, box.axis[2].low + part.high};
}

DenseLeg DensePlan::leg(const Communicator& among, const std::vector<Box>& source, const Strides& source_stride,
                        const std::vector<Box>& target, const Strides& target_stride) const {
  DenseLeg result{&among, {}};
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    std::vector<Box> parts = source;
    for (Box& box : parts) box.axis[2] = chunk(box, c);
    result.parts.push_back(route_of_boxes(among.rank(), source, source_stride, target, target_stride, parts));
  }
  return result;
}

std::vector<DenseLeg> DensePlan::legs() const {
  if (!pencil) return {leg(comm, layouts.rows, rows_stride, layouts.columns, columns_stride)};
  const int me = comm.rank();
  const auto row = row_members(ranks, comm.size(), me), column = column_members(ranks, comm.size(), me);
  return {leg(row_comm, boxes_of(row, layouts.rows), rows_stride, boxes_of(row, layouts.middle), middle_stride),
          leg(column_comm, boxes_of(column, layouts.middle), middle_stride, boxes_of(column, layouts.columns),
              columns_stride)};
}

ExchangeRequest DensePlan::request(const Communicator& among) const {
  return exchange_request(options, comm, among, kind.element, zero_copy ? TargetMemory::zero_copy : TargetMemory::own);
}

FftReport DensePlan::report() const {
  FftReport report;
  report.library = name_of(options.library);
  report.algorithm = name_of(options.policy.algorithm);
  report.decomposition = name_of(decomposition_of(ranks));
  for (const DenseLeg& one : legs()) {
    for (const Route& part : one.parts) report.bytes_sent += part.leaving(one.among->rank());
    report.memory += static_cast<std::int64_t>(memory_of_exchanges(*one.among, one.parts, request(*one.among)));
  }
  report.bytes_sent *= static_cast<std::int64_t>(kind.element);
  const std::int64_t allowed = options.policy.memory;
  together(comm, [&] {
    require(allowed == 0 || report.memory <= allowed, Fault::bad_argument,
            "fft: a field needs {} bytes on process {}, more than the limit of {}; use more processes or a higher "
            "limit",
            report.memory, comm.rank(), allowed);
  });
  const Box kept = intersect(mine(layouts.rows), mine(layouts.columns));
  report.bytes_lower_bound = (mine(layouts.rows).volume() - kept.volume()) * static_cast<std::int64_t>(kind.element);
  return report;
}

std::vector<Box> dense_grid_boxes(int ranks, GridShape shape, const FftOptions& options) {
  const ProcessGrid grid = dense_ranks(ranks, shape, options.decomposition);
  std::vector<Box> boxes = dense_layouts(grid, ranks, shape, shape.nx).rows;
  return boxes;
}

}  // namespace seiche
