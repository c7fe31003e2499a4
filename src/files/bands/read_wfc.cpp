// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads a file wfcN.dat to an array of the calling code.
#include <algorithm>
#include <numeric>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "fft/sphere/coefficient_rows.hpp"
#include "files/bands/restart.hpp"
#include "files/quantum_espresso/wfc_file_body.hpp"
#include "interface/orbitals_members.hpp"
#include "orbitals/holdings.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Stores bands in the array of the calling code. Wave i in the order of the file is value order[i] of a row.
class RowsWriter final : public Endpoint {
 public:
  RowsWriter(const Coefficients<Complex>& array, std::int64_t components, std::vector<std::int32_t> order)
      : array_(array), components_(components), order_(std::move(order)) {}
  void start(int, const std::vector<BlockPart>& block_parts) override {
    for (const BlockPart& part : block_parts) store(part);
  }
  void finish(int) override {}

 private:
  void store(const BlockPart& part) const {
    const Complex* from = part.data;
    for (std::int64_t row = part.bands.low * components_; row < part.bands.high * components_; ++row) {
      Complex* into = array_.values.data() + row * array_.row_length;
      for (const Fragment& fragment : part.rank_block->fragments) {
        const std::int32_t* place = order_.data() + fragment.first;
        for (std::int64_t i = 0; i < fragment.count; ++i) into[place[i]] = from[i];
        from += fragment.count;
      }
    }
  }

  Coefficients<Complex> array_;
  std::int64_t components_;
  std::vector<std::int32_t> order_;
};

/// Returns the indices of `positions` in their ascending order.
std::vector<std::int32_t> ascending(std::span<const std::int32_t> positions) {
  std::vector<std::int32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return positions[size_of(a)] < positions[size_of(b)]; });
  return order;
}

/// The waves of this rank, without coefficients.
std::vector<OrbitalPart> part_of_rank(const OrbitalHeader& header, std::span<const std::int32_t> positions,
                                      std::span<const Miller> waves, const std::vector<std::int32_t>& order) {
  if (order.empty()) return {};
  OrbitalPart part;
  part.bands = {0, header.bands};
  std::vector<std::int64_t> sorted;
  for (const std::int32_t i : order) {
    sorted.push_back(positions[size_of(i)]);
    part.waves.push_back(waves[size_of(i)]);
  }
  part.positions = runs_of(sorted);
  return {part};
}

}  // namespace

void read_wfc(const Communicator& comm, const std::string& path, const OrbitalHeader& header,
              std::span<const std::int32_t> positions, std::span<const Miller> waves,
              Coefficients<std::complex<double>> coefficients, const MoveOptions& options) {
  std::vector<std::int32_t> order;
  std::vector<OrbitalPart> parts;
  together(comm, "read_wfc", [&](EqualArguments& same) {
    same.add("path", path).add("bands", header.bands).add("spinor", header.spinor);
    require_one_kpoint(header);
    require(header.bands > 0, Fault::bad_argument, "wrong number of bands ({}): pass at least 1", header.bands);
    require(positions.size() == waves.size(), Fault::bad_argument,
            "{} positions and {} waves: pass the position of each wave of this rank", positions.size(), waves.size());
    require_rows("read_wfc", "", coefficients, header.bands, header.spinor, std::ssize(waves));
    if (coefficients.row_length == 0) coefficients.row_length = std::ssize(waves);
    order = ascending(positions);
    parts = part_of_rank(header, positions, waves, order);
  });
  WaveTable table;
  found_by_root(comm, table, [&] {
    table.header = header;
    table.header.path = path;
    table.blocks = {locate_wfc(path, table.header)};
  });
  Restart restart(comm, header, table, options);
  std::vector<OrbitalPart*> there;
  std::unique_ptr<Endpoint> target;
  auto tasks = tasks_of(comm, header, parts);
  together(comm, [&] {
    there = parts_by_task(tasks, std::span(parts));
    target = std::make_unique<RowsWriter>(coefficients, header.spinor, std::move(order));
  });
  restart.begin(std::move(tasks), there, std::move(target));
  restart.complete();
}

}  // namespace seiche
