// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of pair densities.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pair_densities/densities_body.hpp"
#include "pair_densities/density_rows.hpp"
#include "pair_densities/pair_run.hpp"
#include "pipeline/started_call.hpp"

namespace seiche {

/// Pairs of this rank's group are numbered in the order of i, then of j.
template <class Value>
class DensitiesStarted final : public StartedCall {
 public:
  using Densities = PairDensities<Value>;
  using Complex = typename Densities::Complex;
  using Body = typename Densities::Body;
  using Orbitals = typename Body::Orbitals;

  explicit DensitiesStarted(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  /// Collective without finish(), as all members of the call.
  ~DensitiesStarted() override {
    if (!run_ || finished_ || mpi_state() != MpiState::running) return;
    run_->fail(error_of_leaving(body_->comm.rank()));  // the rank among all groups
    static_cast<void>(fault_of([this] { complete(); }));
  }

  /// Collective. Keeps an error of the arguments for finish().
  void compute(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right,
               typename Densities::Function function) {
    this->start([&] {
      function_ = std::move(function);
      const int tag = body_of(body_->across).fresh_tags();  // on all ranks, also if one has no memory
      together(body_->comm, "compute", [&](EqualArguments&) {
        body_->pairs->require_idle();
        require(static_cast<bool>(function_), Fault::bad_argument,
                "pair densities: the function is empty: pass a function");
        left_ = GridOrbitals<Value>::Body::of(left);
        right_ = GridOrbitals<Value>::Body::of(right);
        body_->require_ours(*left_);
        body_->require_ours(*right_);
        allocate(tag);
      });
      const auto fault = fault_of([&] { agree(body_->comm, fault_of([&] { open(); })); });
      if (fault) {
        run_.reset();  // another band group has none
        throw Error(*fault);
      }
      stream_->start(0);
      run_->begin();
    });
  }

 private:
  const SpherePlan& plan() const { return body_->plan(); }
  std::int64_t waves() const { return plan().waves; }
  Complex* ring_values() const { return reinterpret_cast<Complex*>(densities_.data()); }
  void allocate(int tag) {
    partners_ = body_->count_here(*right_);
    ring_ = body_->ring();
    densities_ = Memory(body_->bytes_of_ring(), Fresh::raw);
    if (plan().queue.space() == Space::cuda) densities_ = densities_.pinned();
    block_.reserve(static_cast<std::size_t>(body_->report.block));
    stream_.emplace(body_->across, *left_, body_->window(), plan().queue, tag);
  }

  /// Collective in each band group.
  void open() {
    run_.emplace(*body_->pairs, *stream_,
                 SphereBatch<Value>{.bands = partners_, .out = ring_values(), .out_row = waves(), .ring = ring_},
                 Flow::from_the_function, grid_function(), body_->spent);
  }

  /// Sets the values of a pair density.
  void fill(std::int64_t pair, const Box& tile, std::span<const View<Value>> views) const {
    set_pair_density(plan().box, left_->components, stream_->orbital(pair / partners_),
                     right_->orbital(pair % partners_), tile, views[0]);
  }
  /// Same for `count` pairs with the same orbital i, on a device. `pair` is the first one.
  void start_fill(std::int64_t pair, std::int64_t count, void* densities) const {
    plan().queue.stream().pair_densities({.orbital = stream_->orbital(pair / partners_),
                                          .points = plan().box.volume(),
                                          .components = left_->components,
                                          .targets = static_cast<std::int32_t>(count),
                                          .real = plan().kind.half,
                                          .single = plan().kind.element == sizeof(std::complex<float>)},
                                         right_->orbital(pair % partners_), densities);
  }
  /// Calls the function with the blocks that are complete. `stored`: number of pairs whose densities are stored.
  void give(std::int64_t stored) {
    const std::int64_t block = body_->report.block, all = left_->count * partners_;
    while (given_ < stored && (stored - given_ >= block || stored == all)) {
      const std::int64_t count = std::min(block, stored - given_);
      block_.clear();
      for (std::int64_t pair = given_; pair < given_ + count; ++pair) {
        const std::int64_t j = body_->my_group() + pair % partners_ * body_->report.band_groups;
        block_.push_back({.i = pair / partners_, .j = j});
      }
      function_({block_, {ring_values() + given_ % ring_ * waves(), static_cast<std::size_t>(count * waves())}});
      given_ += count;
    }
  }
  GridFunction<Value> grid_function() {
    fill_ = [this](const auto&... of) { fill(of...); };
    start_fill_ = [this](auto... of) { start_fill(of...); };
    stored_ = [this](std::int64_t stored) { give(stored); };
    return {.fill = &fill_, .fill_rows = &start_fill_, .stored = &stored_};
  }

  bool advance() override { return run_->progress(); }
  void complete() override {
    finished_ = true;
    together(body_->comm, [this] { run_->finish(); });
  }

  std::shared_ptr<Body> body_;
  typename Densities::Function function_;
  std::shared_ptr<const Orbitals> left_, right_;
  std::int64_t partners_ = 0, ring_ = 0, given_ = 0;  // orbitals j of each i; pairs in memory; pairs of past blocks
  Memory densities_;                                  // [pair % ring_][wave]
  std::vector<OrbitalPair> block_;
  typename SphereFft<Value>::SpinorSpace fill_;
  typename GridFunction<Value>::Rows start_fill_;
  std::function<void(std::int64_t)> stored_;
  bool finished_ = false;
  std::optional<OrbitalStream<Value>> stream_;
  std::optional<PairRun<Value>> run_;  // last member, because it uses the others
};

}  // namespace seiche
