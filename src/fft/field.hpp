// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a field of a dense grid is made of: memory, and the transforms that run in it.
#pragma once

#include <memory>
#include <vector>

#include "fft/dense_lines.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// What transforms of all fields of a plan read, and none changes.
template <class Value>
struct DenseSetup {
  DenseSetup(const Communicator& comm, const GridShape& shape, const FftOptions& asked, const DenseKind& kind)
      : plan(comm, shape, asked, kind), lines(plan) {}
  DenseSetup(const DenseSetup&) = delete;
  DenseSetup& operator=(const DenseSetup&) = delete;
  DensePlan plan;
  DenseLines<Value> lines;
};

/// The memory of a field is that of its exchanges: the source of the first, the target of the last. Each exchange
/// has one part for each chunk of the grid. Items of its pipeline are chunks; z lines need all of them.
template <class Value>
struct Field<Value>::Body {
  /// Collective.
  explicit Body(std::shared_ptr<const DenseSetup<Value>> of);

  /// Collective.
  void transform(bool forward, RunOptions how = {});
  /// Collective. Hands the memory over to the other layout, without values.
  void become(bool spectrum);

  Complex* grid_memory() const { return source(0, 0); }
  Complex* spectrum_memory() const { return target(exchanges.size() - 1, 0); }

  std::shared_ptr<const DenseSetup<Value>> setup;
  std::vector<std::vector<std::unique_ptr<Exchange>>> exchanges;  // [exchange][chunk]
  bool is_spectrum = false;
  std::vector<Stage> to_spectrum_stages, to_grid_stages;
  Pipeline pipeline;

 private:
  Exchange* exchange(std::size_t e, std::int64_t chunk) const {
    return exchanges[e][static_cast<std::size_t>(chunk)].get();
  }
  Exchange* first(std::int64_t chunk) const { return exchange(0, chunk); }
  Exchange* last(std::int64_t chunk) const { return exchange(exchanges.size() - 1, chunk); }
  /// Where a chunk begins; at the target of the last exchange, where chunks do not lie beside each other, the first.
  Complex* source(std::size_t e, std::int64_t chunk) const {
    return reinterpret_cast<Complex*>(exchange(e, chunk)->source());
  }
  Complex* target(std::size_t e, std::int64_t chunk) const {
    return reinterpret_cast<Complex*>(exchange(e, chunk)->target(0).data);
  }
  std::int64_t chunks() const { return static_cast<std::int64_t>(exchanges.front().size()); }
  std::int64_t planes(const std::vector<Box>& boxes, std::int64_t chunk) const {
    return setup->plan.chunk(setup->plan.mine(boxes), static_cast<std::size_t>(chunk)).size();
  }
  auto between() {
    return [this] { pipeline.poll(); };
  }
  std::vector<Stage> stages_to_spectrum();
  std::vector<Stage> stages_to_grid();
};

}  // namespace seiche
