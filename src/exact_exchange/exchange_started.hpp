// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of exact exchange.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "exact_exchange/target_sets.hpp"
#include "pipeline/started_call.hpp"

namespace seiche {

template <class Value>
class ExchangeStarted final : public StartedCall {
 public:
  using Exchange = ExactExchange<Value>;
  using Complex = typename Exchange::Complex;

  explicit ExchangeStarted(std::shared_ptr<typename Exchange::Body> body) : body_(std::move(body)) {}

  /// Collective. Keeps an error of the arguments, or of the first transforms, for finish().
  void apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
             const Coefficients<const Complex>& in, const Coefficients<Complex>& out, std::int64_t bands,
             Result result) {
    this->start([&] {
      body_->check(occupied, kernel, in, out, bands, result);
      if (plan().queue.on_host()) {
        this->watch(plan().comm, std::as_bytes(kernel));
        this->watch(plan().comm, in.values, out.values);
      }
      const SphereBatch<Value> all{
          .bands = bands, .out = out.values.data(), .out_row = row_length(plan(), out), .result = result};
      const auto store = [this, all](std::int64_t first, std::int64_t count, const TargetBlock<Value>& block) {
        SphereBatch<Value> some = all;
        some.bands = count;
        some.out += rows_of(plan(), first) * some.out_row;
        some.grid = block.sums();
        body_->transform(*body_->orbitals, Flow::forward, some);
      };
      sets_.emplace(*body_, OccupiedOrbitals<Value>::Body::of(occupied), kernel,
                    SphereBatch<Value>{.bands = bands, .in = in.values.data(), .in_row = row_length(plan(), in)},
                    store);
    });
  }

 private:
  const SpherePlan& plan() const { return body_->plan(); }
  bool advance() override { return sets_->progress(); }
  void complete() override { sets_->finish(); }

  std::shared_ptr<typename Exchange::Body> body_;
  std::optional<TargetSets<Value>> sets_;
};

}  // namespace seiche
