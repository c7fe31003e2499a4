// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operators on dense grids. The pipeline of a dense transform has one more stage, which transforms columns
/// along z forward, multiplies them, and transforms them back while they are in cache.
#include "seiche/grid_operator.hpp"

#include <vector>

#include "grid_operator/kernel_values.hpp"
#include "grid_operator/operator_body.hpp"
#include "interface/grid_operator_members.hpp"

namespace seiche {

namespace {

template <class Complex>
struct ChosenFactors {
  OperatorFields fields;
  std::vector<Complex> values;
};

/// Collective. Checks the arguments of a constructor, and creates its data. `choose(same, plan)` adds the arguments
/// that must be equal, and returns the factors of this rank.
template <class Value, class Choose>
auto made(const DenseFft<Value>& fft, const Choose& choose) {
  using Complex = typename ComplexOf<Value>::type;
  auto body = std::make_shared<typename GridOperator<Value>::Body>();
  body->fft = DenseFft<Value>::Body::of(fft).shared_from_this();
  const DensePlan& plan = body->plan();
  together(plan.comm, "grid_operator", [&](EqualArguments& same) {
    require(!body->fft->kept->of_callers, Fault::bad_argument,
            "grid_operator: this plan transforms the caller's arrays: create a plan without arrays");
    ChosenFactors<Complex> chosen = choose(same, plan);
    for (Complex& factor : chosen.values) factor /= static_cast<typename Complex::value_type>(plan.shape.volume());
    const OperatorFactors<Complex> factors{chosen.fields, chosen.values};
    body->fields = factors.fields;
    if (plan.queue.on_host()) {
      body->columns = std::make_unique<HostColumns<Complex>>(plan, factors);
    } else {
      body->columns = std::make_unique<DeviceColumns<Complex>>(plan, factors);
    }
  });
  return body;
}

}  // namespace

template <class Value>
GridOperator<Value>::GridOperator(const DenseFft<Value>& fft, const Lattice& lattice, OperatorKernel kernel,
                                  double parameter) {
  body_ = made(fft, [&](EqualArguments& same, const DensePlan& plan) -> ChosenFactors<Complex> {
    same.add("lattice", lattice).add("kernel", kernel).add("parameter", parameter);
    const KernelValues values(lattice, kernel, parameter);
    return {{values.inputs(), values.outputs()}, values.on<Complex>(plan.spectrum_box, plan.shape)};
  });
}
template <class Value>
GridOperator<Value>::GridOperator(const DenseFft<Value>& fft, std::int64_t inputs, std::int64_t outputs,
                                  std::span<const Complex> factors) {
  body_ = made(fft, [&](EqualArguments& same, const DensePlan& plan) -> ChosenFactors<Complex> {
    same.add("inputs", inputs).add("outputs", outputs);
    require(inputs > 0 && outputs > 0, Fault::bad_argument,
            "grid_operator: the numbers of inputs and outputs must be positive (got {} and {})", inputs, outputs);
    const std::int64_t waves = plan.spectrum_box.volume();
    require(std::ssize(factors) == inputs * outputs * waves, Fault::bad_argument,
            "grid_operator: wrong number of factors: this rank has {}, for {} outputs, {} inputs and {} waves (got {})",
            inputs * outputs * waves, outputs, inputs, waves, factors.size());
    return {{inputs, outputs}, {factors.begin(), factors.end()}};
  });
}
template <class Value>
GridOperator<Value>::~GridOperator() = default;
template <class Value>
GridOperator<Value>::GridOperator(GridOperator&&) noexcept = default;
template <class Value>
GridOperator<Value>& GridOperator<Value>::operator=(GridOperator&&) noexcept = default;

template <class Value>
typename GridOperator<Value>::Body& GridOperator<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument,
          "grid_operator: this operator is closed or moved from: create another");
  return *body_;
}
template <class Value>
void GridOperator<Value>::close() {
  body_.reset();
}

template <class Value>
void GridOperator<Value>::apply(std::span<const Value> grid, std::span<Value> result) {
  body();
  started<OperatorStarted<Value>>(
      body_->plan().comm, [&](auto& call) { call.apply(grid, result); }, body_, RunOptions())
      .finish();
}
template <class Value>
Pending GridOperator<Value>::start_apply(std::span<const Value> grid, std::span<Value> result) {
  body();
  return started<OperatorStarted<Value>>(
      body_->plan().comm, [&](auto& call) { call.apply(grid, result); }, body_, RunOptions{.started = true});
}

template <class Value>
std::int64_t GridOperator<Value>::inputs() const {
  return body().fields.inputs;
}
template <class Value>
std::int64_t GridOperator<Value>::outputs() const {
  return body().fields.outputs;
}
template <class Value>
std::int64_t GridOperator<Value>::memory() const {
  return body().columns->memory();
}

template class GridOperator<double>;
template class GridOperator<float>;
template class GridOperator<std::complex<double>>;
template class GridOperator<std::complex<float>>;

}  // namespace seiche
