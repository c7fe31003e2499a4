// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/dense_plan.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "fft/crossing.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/tiles.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "layout/sound_shape.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche {

DensePlan::DensePlan(const Communicator& all, const GridShape& grid_shape, const GridShape& some_waves,
                     const FftOptions& asked, const DenseKind& of_values, const std::optional<DenseArrays>& callers)
    : comm(all),
      ordered(callers ? all : order_ranks(all)),
      row_comm(all),
      column_comm(all),
      shape(grid_shape),
      waves(some_waves),
      kind(of_values),
      nx(kind.real ? waves.nx / 2 + 1 : waves.nx) {
  auto [settled, advice] =
      resolved(ordered, in_one_group(asked), {dense_transform(shape, kind.letter), PlanKind::dense});
  options = std::move(settled);
  tuning = std::move(advice);
  queue = made_together(comm, [&] { return Queue(options.space, options.stream); });
  const bool here = queue.on_host() || comm.size() == 1;  // otherwise both ends have their own memory
  in_place = here && (options.policy.algorithm == Algorithm::shared || options.policy.algorithm == Algorithm::local);
  callers ? share_out(*callers) : share_out();
  zero_copy = in_place && !pencil && distribution.ascending;
  chunks = DenseChunks(chunks_of(), pencil ? DenseChunks::Into::planes : DenseChunks::Into::planes_and_columns);
  const auto strides_of = [this](const Box& box) {
    if (!queue.on_host()) return Strides{1, box.size(0), box.size(0) * box.size(1)};
    return padded_strides(box, kind.element * static_cast<std::size_t>(bundle.in_point));
  };
  rows_stride = strides_of(mine(layouts.rows));
  middle_stride = strides_of(mine(layouts.middle));
  middle_waves_stride = strides_of(mine(layouts.middle_waves));
  columns_stride = zero_copy ? rows_stride : strides_of(mine(layouts.columns));
  in_flight = static_cast<int>(std::min<std::int64_t>(options.policy.window, bundles));
  keep_within(options.policy.memory);
  identity = PlanKey().add(kind.letter).add(shape).add(options).add(comm.get()).text();
}

/// Distributes the grid in nearly equal parts over all ranks.
void DensePlan::share_out() {
  ranks = dense_ranks(comm.size(), shape, options.decomposition);
  pencil = ranks.fast > 1;
  layouts = dense_layouts(ranks, comm.size(), shape, nx, waves.ny);
  if (pencil) {
    row_comm = ordered.split(row_members(ranks, comm.size(), ordered.rank()).front());
    column_comm = ordered.split(column_members(ranks, comm.size(), ordered.rank()).front());
  }
  grid_box = mine(layouts.rows);
  if (!grid_box.empty()) {
    grid_box.axis[0] = {0, shape.nx};
    if (!pencil) grid_box.axis[1] = {0, shape.ny};
  }
  spectrum_box = mine(layouts.columns);
}

/// Uses the distribution of the caller's arrays, which is slabs.
void DensePlan::share_out(const DenseArrays& arrays) {
  distribution = distribution_of(comm, shape, nx, arrays);
  ranks = {comm.size(), 1};
  bundle = bundle_of(arrays, distribution.side_by_side, kind.real, kind.element, bytes_to_each());
  bundles = arrays.fields / bundle.fields();
  for (std::size_t r = 0; r < distribution.z.size(); ++r) {
    const Range z{distribution.z[r].low * bundle.in_plane, distribution.z[r].high * bundle.in_plane};
    layouts.rows.push_back({{Range{0, nx}, Range{0, shape.ny}, z}});
    layouts.columns.push_back({{Range{0, nx}, distribution.y[r], Range{0, shape.nz * bundle.in_plane}}});
  }
  layouts.middle = layouts.middle_waves = layouts.rows;
  grid_box = arrays.grid.box;
  spectrum_box = arrays.spectrum.box;
}

int DensePlan::first_source() const {
  for (std::size_t r = 0; r < distribution.z.size(); ++r) {
    if (distribution.z[r].low == 0 && !distribution.z[r].empty()) return static_cast<int>(r);
  }
  return 0;
}

/// Returns the relative sizes of chunks. There is one chunk if no data are sent, or if 1D FFTs along z, which need all
/// chunks, are between two exchanges.
std::vector<int> DensePlan::chunks_of() const {
  if (in_place || distribution.returns) return {1};
  if (options.chunks.empty()) {
    const bool one = !goes_on_by_itself(options.policy.algorithm);
    const int several = one ? 1 : usual_chunks(bytes_to_each() * bundle.fields(), bundles);
    return std::vector<int>(static_cast<std::size_t>(several), 1);
  }
  return options.chunks;
}

/// Returns the bytes of one field for each rank of an exchange.
std::int64_t DensePlan::bytes_to_each() const {
  return seiche::bytes_to_each(ranks, comm.size(), nx * shape.ny * shape.nz * static_cast<std::int64_t>(kind.element));
}

DenseLeg DensePlan::leg(const Communicator& among, const std::vector<Box>& source, const Strides& source_stride,
                        const std::vector<Box>& target, const Strides& target_stride) const {
  return {&among, chunks.routes(among.rank(), {source, source_stride, source}, {target, target_stride, target})};
}

std::vector<DenseLeg> DensePlan::legs() const {
  if (!pencil) return {leg(ordered, layouts.rows, rows_stride, layouts.columns, columns_stride)};
  const int me = ordered.rank();
  const auto row = row_members(ranks, comm.size(), me), column = column_members(ranks, comm.size(), me);
  return {leg(row_comm, boxes_of(row, layouts.rows), rows_stride, boxes_of(row, layouts.middle), middle_stride),
          leg(column_comm, boxes_of(column, layouts.middle_waves), middle_waves_stride,
              boxes_of(column, layouts.columns), columns_stride)};
}

ExchangeRequest DensePlan::request(const Communicator& among) const {
  auto request = exchange_request(options, comm, among, kind.element,
                                  zero_copy ? TargetMemory::zero_copy : TargetMemory::own, queue);
  request.element *= static_cast<std::size_t>(bundle.in_point);
  return request;
}

/// Collective.
std::int64_t DensePlan::memory_of_bundle() const {
  std::size_t bytes = 0;
  for (const DenseLeg& one : legs()) bytes += memory_of_exchanges(*one.among, one.parts, request(*one.among));
  return static_cast<std::int64_t>(bytes);
}

/// Collective. Reduces the number of bundles in flight to the memory limit, which may differ between ranks.
void DensePlan::keep_within(std::int64_t memory) {
  if (in_flight == 1 || maximum(comm, memory) == 0) return;
  const std::int64_t of_bundle = memory_of_bundle();
  const auto exceeds = [&] { return std::int64_t{memory > 0 && copies() * of_bundle > memory}; };
  while (in_flight > 1 && maximum(comm, exceeds()) > 0) --in_flight;
}

FftReport DensePlan::report() const {
  FftReport report;
  Crossing crossing(ordered);
  report.library = queue.on_host() ? name_of(options.library) : "cuFFT";
  report.algorithm = name_of(options.policy.algorithm);
  report.decomposition = name_of(decomposition_of(ranks));
  report.tuning = tuning;
  report.window = in_flight;
  for (const DenseLeg& one : legs()) {
    for (const Route& part : one.parts) {
      report.bytes_sent += part.leaving(one.among->rank());
      crossing.add(*one.among, part);
    }
    note_messages(report, *one.among, request(*one.among));
  }
  report.memory = copies() * memory_of_bundle();
  const std::int64_t bytes_of_point = static_cast<std::int64_t>(kind.element) * bundle.in_point * bundles;
  report.bytes_sent *= bytes_of_point;
  if (distribution.z.empty()) report.levels = crossing.text(static_cast<double>(bytes_of_point));
  const std::int64_t allowed = options.policy.memory;
  together(comm, [&] {
    require(
        allowed == 0 || report.memory <= allowed, Fault::bad_argument,
        "fft: a field needs {} bytes on rank {}, which exceeds the limit of {}: use more processes or a higher limit",
        report.memory, comm.rank(), allowed);
  });
  const Box kept = intersect(mine(layouts.rows), mine(layouts.columns));
  report.bytes_lower_bound = (mine(layouts.rows).volume() - kept.volume()) * bytes_of_point;
  return report;
}

std::vector<Box> dense_grid_boxes(int ranks, GridShape shape, const FftOptions& options) {
  require_sound(shape);
  require_sound(options, PlanKind::dense);
  require(ranks > 0, Fault::bad_argument, "fft: a grid needs at least one rank (got {} ranks)", ranks);
  const ProcessGrid grid = dense_ranks(ranks, shape, options.decomposition);
  std::vector<Box> boxes = dense_layouts(grid, ranks, shape, shape.nx, shape.ny).rows;
  return boxes;
}

}  // namespace seiche
