// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interpolation between dense grids. Each 1D FFT is followed by the selection of the waves that both grids
/// have, so that ranks exchange these waves only.
#include "seiche/grid_interpolation.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "grid_interpolation/interpolation_body.hpp"

namespace seiche {

namespace {

constexpr std::int64_t most_fields = 65536;

std::string in_words(const ProcessGrid& ranks) {
  return formatted("{} of {} x {} ranks", name_of(decomposition_of(ranks)), ranks.slow, ranks.fast);
}

bool same(const ProcessGrid& a, const ProcessGrid& b) {
  return a.slow == b.slow && a.fast == b.fast && (a.fast == 1 || a.slow_together == b.slow_together);
}

/// Returns the options of the source plan, with the larger number of chunks of both plans.
FftOptions options_of(const DensePlan& from, const DensePlan& to) {
  FftOptions options = from.options;
  if (options.chunks.empty()) options.chunks.assign(std::max(from.chunks.count(), to.chunks.count()), 1);
  options.policy.memory = 0;
  return options;
}

void require_fit(const DensePlan& from, const DensePlan& to) {
  require(from.queue.on_host() && to.queue.on_host(), Fault::unsupported,
          "grid_interpolation: interpolation is not available on a device: create both plans with the space 'host'");
  require(from.comm.get() == to.comm.get(), Fault::bad_argument,
          "grid_interpolation: the plans have different communicators: create both with the same one");
  require(same(from.ranks, to.ranks), Fault::bad_argument,
          "grid_interpolation: the plans have different distributions, {} and {}: create both with the same "
          "decomposition, for example slabs",
          in_words(from.ranks), in_words(to.ranks));
}

}  // namespace

template <class Value>
GridInterpolation<Value>::GridInterpolation(const DenseFft<Value>& from, const DenseFft<Value>& to,
                                            std::int64_t fields) {
  using Plan = typename DenseFft<Value>::Body;
  auto body = std::make_shared<Body>();
  body->from = Plan::of(from).shared_from_this();
  const DensePlan& source = body->from->plan();
  std::array<GridShape, 2> shapes{source.shape, {}};
  FftOptions options;
  const PlanRequest request("grid_interpolation", [&](PlanRequest& of) {
    const Plan& other = Plan::of(to);
    shapes[1] = other.plan().shape;
    const std::array kind{'i', letter_of<Value>()};
    of.equal.add("kind of value", kind).add("source grid", shapes[0]).add("target grid", shapes[1]);
    of.equal.add("fields", fields);
    require(!body->from->kept->of_callers && !other.kept->of_callers, Fault::bad_argument,
            "grid_interpolation: a plan transforms the caller's arrays: create plans without arrays");
    require_fit(source, other.plan());
    require(fields >= 1 && fields <= most_fields, Fault::bad_argument,
            "grid_interpolation: the number of fields must be 1 to {} (got {})", most_fields, fields);
    options = options_of(source, other.plan());
    of.key = PlanKey().add(kind).add(shapes).add(fields).add(options).text();
  });
  body->kept = cached_plan<KeptInterpolation<Value>>(source.comm, request, [&] {
    return std::make_shared<KeptInterpolation<Value>>(source.comm, shapes, fields, options);
  });
  body_ = std::move(body);
}
template <class Value>
GridInterpolation<Value>::~GridInterpolation() = default;
template <class Value>
GridInterpolation<Value>::GridInterpolation(GridInterpolation&&) noexcept = default;
template <class Value>
GridInterpolation<Value>& GridInterpolation<Value>::operator=(GridInterpolation&&) noexcept = default;

template <class Value>
typename GridInterpolation<Value>::Body& GridInterpolation<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument,
          "grid_interpolation: this interpolation is closed or moved from: create another");
  return *body_;
}
template <class Value>
void GridInterpolation<Value>::close() {
  body_.reset();
}

template <class Value>
void GridInterpolation<Value>::apply(std::span<const Value> grid, std::span<Value> result) {
  started<InterpolationStarted<Value>>(
      body().grids().from.plan.comm, [&](auto& call) { call.apply(grid, result); }, body_, RunOptions())
      .finish();
}
template <class Value>
Pending GridInterpolation<Value>::start_apply(std::span<const Value> grid, std::span<Value> result) {
  return started<InterpolationStarted<Value>>(
      body().grids().from.plan.comm, [&](auto& call) { call.apply(grid, result); }, body_, RunOptions{.started = true});
}

template <class Value>
std::int64_t GridInterpolation<Value>::fields() const {
  return body().grids().fields;
}

template class GridInterpolation<double>;
template class GridInterpolation<float>;
template class GridInterpolation<std::complex<double>>;
template class GridInterpolation<std::complex<float>>;

}  // namespace seiche
