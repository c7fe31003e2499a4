// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exact exchange. A set of target orbitals is on the grid at once. Each occupied orbital meets all of them: a
/// convolution of the pipeline computes the pair density, applies the kernel, and adds the result to the target's sum.
/// Pair densities are not stored.
#include "seiche/exact_exchange.hpp"

#include <vector>

#include "exact_exchange/exchange_started.hpp"
#include "exact_exchange/expectation.hpp"
#include "exact_exchange/own_pairs.hpp"
#include "pipeline/arrival_skew.hpp"

namespace seiche {

namespace {

void require_sound(const ExactExchangeOptions& options) {
  require(options.batch >= 0, Fault::bad_argument, "exact exchange: the batch must not be negative (got {})",
          options.batch);
}

}  // namespace

template <class Value>
OccupiedOrbitals<Value>::OccupiedOrbitals(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
template <class Value>
std::int64_t OccupiedOrbitals<Value>::count() const {
  return Body::of(*this)->count;
}
template <class Value>
std::int64_t OccupiedOrbitals<Value>::memory() const {
  return static_cast<std::int64_t>(Body::of(*this)->values.size());
}

template <class Value>
ExactExchange<Value>::ExactExchange(const Communicator& comm, GridShape shape, std::span<const Miller> waves,
                                    std::span<const Miller> density_waves, ExactExchangeOptions options) {
  together(comm, "exact_exchange", [&](EqualArguments& same) {
    require_sound(options);
    same.add("batch", options.batch);
  });
  body_ = std::make_shared<Body>(comm, shape, waves, density_waves, options);
}
template <class Value>
ExactExchange<Value>::~ExactExchange() = default;
template <class Value>
ExactExchange<Value>::ExactExchange(ExactExchange&&) noexcept = default;
template <class Value>
ExactExchange<Value>& ExactExchange<Value>::operator=(ExactExchange&&) noexcept = default;

template <class Value>
typename ExactExchange<Value>::Body& ExactExchange<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "exact exchange: this object is closed or moved from: create another");
  return *body_;
}
template <class Value>
void ExactExchange<Value>::close() {
  if (!body_) return;
  body_->orbitals->close();
  body_->pairs->close();
  body_.reset();
}

template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied(Coefficients<const Complex> all,
                                                       std::span<const double> weights) {
  return OccupiedOrbitals<Value>(body().occupied(*body().orbitals, all, weights));
}
template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied(std::span<const Miller> waves, Coefficients<const Complex> all,
                                                       std::span<const double> weights) {
  const auto kept = body().sphere(waves, body().orbital_options);
  return OccupiedOrbitals<Value>(body().occupied(*kept, all, weights));
}
template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied_on_grid(std::span<const Value> values,
                                                               std::span<const double> weights) {
  return OccupiedOrbitals<Value>(body().occupied_on_grid(values, weights));
}

template <class Value>
void ExactExchange<Value>::apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                 Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                                 Result result) {
  start_apply(occupied, kernel, in, out, bands, result).finish();
}
template <class Value>
Pending ExactExchange<Value>::start_apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                          Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                                          Result result) {
  return started<ExchangeStarted<Value>>(
      body().comm(), [&](auto& call) { call.apply(occupied, kernel, in, out, bands, result); }, body_);
}

template <class Value>
void ExactExchange<Value>::apply_to_occupied(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                             Coefficients<Complex> out, Result result) {
  Body& b = body();
  const auto& held = *OccupiedOrbitals<Value>::Body::of(occupied);
  const std::int64_t bands = held.count;
  const bool in_turn = b.groups() > 1 || b.plan().options.reproducible || !b.plan().queue.on_host();
  Memory in;
  together(b.comm(), "apply_to_occupied", [&](EqualArguments& same) {
    same.add("bands", bands).add("adds", result == Result::adds);
    b.require_ours(held);
    b.require_kernel(kernel);
    require_coefficients(b.plan(), bands, out, output);
    const std::size_t coefficients = in_turn ? static_cast<std::size_t>(rows_of(b.plan(), bands) * b.plan().waves) : 0;
    in = Memory(coefficients * sizeof(Complex), Fresh::raw, b.plan().queue.space());
  });
  b.require_even(kernel);
  const std::int64_t row = row_length(b.plan(), out);
  if (!in_turn) {
    apply_to_own<Value>(b, held, kernel, {.bands = bands, .out = out.values.data(), .out_row = row, .result = result});
    return;
  }
  auto* const coefficients = reinterpret_cast<Complex*>(in.data());
  b.transform(*b.orbitals, Flow::forward,
              {.bands = bands, .out = coefficients, .grid = held.orbital(0), .out_row = b.plan().waves});
  apply(occupied, kernel, std::span(coefficients, in.size() / sizeof(Complex)), out, bands, result);
}

template <class Value>
double ExactExchange<Value>::energy(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                    Coefficients<const Complex> in, std::span<const double> weights) {
  Body& b = body();
  std::vector<double> used_weights;
  Memory rows;
  together(b.comm(), "energy", [&](EqualArguments& same) {
    same.add("weights", weights);
    b.require_ours(*OccupiedOrbitals<Value>::Body::of(occupied));
    b.require_kernel(kernel);
    require_coefficients(b.plan(), std::ssize(weights), in, input);
    const auto used = positions_used(weights);
    used_weights = chosen(weights, used);
    rows = chosen_rows(b.plan(), in, used);
  });
  double sum = 0;
  const auto add = [&](std::int64_t first, std::int64_t targets, const TargetBlock<Value>& block) {
    const auto values = expectations(b.plan(), b.across, targets, block.orbitals(), block.sums());
    const double* factors = used_weights.data() + first;
    for (std::size_t i = 0; i < values.size(); ++i) sum += factors[i] * values[i];
  };
  TargetSets<Value>(b, OccupiedOrbitals<Value>::Body::of(occupied), kernel,
                    {.bands = std::ssize(used_weights),
                     .in = reinterpret_cast<const Complex*>(rows.data()),
                     .in_row = b.plan().waves},
                    add)
      .finish();
  return sum / 2;
}

template <class Value>
const Box& ExactExchange<Value>::grid_box() const {
  return body().plan().box;
}
template <class Value>
std::int64_t ExactExchange<Value>::bands_here(std::int64_t bands) const {
  return body().plan().bands_here(bands);
}
template <class Value>
const ExactExchangeReport& ExactExchange<Value>::report() const {
  return body().report;
}
template <class Value>
ProgressReport ExactExchange<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().comm()).skew();
  return report;
}

template class OccupiedOrbitals<double>;
template class OccupiedOrbitals<std::complex<double>>;
template class ExactExchange<double>;
template class ExactExchange<std::complex<double>>;

}  // namespace seiche
