// SPDX-License-Identifier: BSD-3-Clause
/// \file  V_x of all targets of a call, one set after another.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "exact_exchange/exchange_body.hpp"
#include "exact_exchange/pair_sum.hpp"

namespace seiche {

/// Computes the first set from the constructor to finish(), and the other ones in finish().
template <class Value>
class TargetSets {
 public:
  using Body = typename ExactExchange<Value>::Body;
  using Orbitals = typename OccupiedOrbitals<Value>::Body;
  using Complex = typename ComplexOf<Value>::type;
  /// Receives V_x of a set in block.sums().
  using Use = std::function<void(std::int64_t first, std::int64_t targets, const TargetBlock<Value>& block)>;

  /// Collective. Transforms the kernel and the first set to the grid, and starts its pairs. `rows`: coefficients of
  /// targets. \pre the arguments were checked
  TargetSets(Body& body, std::shared_ptr<const Orbitals> held, std::span<const double> kernel,
             const SphereBatch<Value>& rows, Use use)
      : body_(body), held_(std::move(held)), rows_(rows), use_(std::move(use)) {
    const std::size_t bytes_of_factors = body_.pairs->bytes_of_factors();
    std::vector<Complex> values;
    const int tag = body_of(body_.across).fresh_tags();  // on all ranks, also if one has no memory
    together(body_.comm(), [&] {
      block_.emplace(body_.plan(), std::min(rows_.bands, body_.most_targets()), bytes_of_factors);
      stream_.emplace(body_.across, *held_, body_.window(), body_.pairs->plan().queue, tag);
      values = body_.complex_values(kernel);
    });
    body_.keep_factors(values, block_->factors());
    if (rows_.bands > 0) start_set();
  }

  /// Local. Makes progress with the first set. Returns true if finish() would not wait for messages of its pairs.
  bool progress() { return !sum_ || sum_->progress(); }
  /// Collective. Completes all sets.
  void finish() {
    while (sum_) {
      sum_->finish();
      sum_.reset();
      use_(first_, targets(), *block_);
      first_ += targets();
      if (first_ < rows_.bands) start_set();
    }
  }

 private:
  std::int64_t targets() const { return std::min(rows_.bands - first_, body_.most_targets()); }
  void start_set() {
    stream_->start(0);
    body_.transform(*body_.orbitals, Flow::backward,
                    {.bands = targets(),
                     .in = rows_.in + rows_of(body_.plan(), first_) * rows_.in_row,
                     .grid = block_->orbitals(),
                     .in_row = rows_.in_row});
    sum_.emplace(*body_.pairs, body_.plan(), *stream_, held_->weights, *block_, targets(), body_.spent);
  }
  Body& body_;
  std::shared_ptr<const Orbitals> held_;
  SphereBatch<Value> rows_;
  Use use_;
  std::int64_t first_ = 0;  // first target of the current set
  std::optional<TargetBlock<Value>> block_;
  std::optional<OrbitalStream<Value>> stream_;
  std::optional<PairSum<Value>> sum_;  // last member, because it uses the others
};

}  // namespace seiche
