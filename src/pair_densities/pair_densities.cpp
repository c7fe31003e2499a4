// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pair densities. Both sets of orbitals are on the grid. Each orbital i meets all orbitals j of this rank's
/// band group: a run of the pipeline multiplies them and transforms the product to coefficients. Products are not
/// stored.
#include "seiche/pair_densities.hpp"

#include <vector>

#include "pair_densities/densities_started.hpp"
#include "pair_densities/density_sums.hpp"
#include "pipeline/arrival_skew.hpp"

namespace seiche {

template <class Value>
GridOrbitals<Value>::GridOrbitals(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
template <class Value>
std::int64_t GridOrbitals<Value>::count() const {
  return Body::of(*this)->count;
}
template <class Value>
std::int64_t GridOrbitals<Value>::memory() const {
  return static_cast<std::int64_t>(Body::of(*this)->values.size());
}

template <class Value>
PairDensities<Value>::PairDensities(const Communicator& comm, GridShape shape, std::span<const Miller> density_waves,
                                    PairDensityOptions options) {
  together(comm, "pair_densities", [&](EqualArguments& same) {
    same.add("shape", shape).add_options(options.fft).add("block", options.block);
    require_sound(options.fft, PlanKind::sphere);
    require(options.block >= 0, Fault::bad_argument, "pair densities: the block must not be negative (got {})",
            options.block);
  });
  options.fft = with_known_groups(comm, options.fft);
  body_ = std::make_shared<Body>(comm, shape, density_waves, options);
}
template <class Value>
PairDensities<Value>::~PairDensities() = default;
template <class Value>
PairDensities<Value>::PairDensities(PairDensities&&) noexcept = default;
template <class Value>
PairDensities<Value>& PairDensities<Value>::operator=(PairDensities&&) noexcept = default;

template <class Value>
typename PairDensities<Value>::Body& PairDensities<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "pair densities: this object is closed or moved from: create another");
  return *body_;
}
template <class Value>
void PairDensities<Value>::close() {
  if (!body_) return;
  body_->pairs->require_idle();
  body_->pairs->close();
  body_.reset();
}

template <class Value>
GridOrbitals<Value> PairDensities<Value>::orbitals(std::span<const Miller> waves,
                                                   Coefficients<const Complex> coefficients, std::int64_t count) {
  return GridOrbitals<Value>(body().orbitals(waves, coefficients, count));
}

template <class Value>
void PairDensities<Value>::compute(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right,
                                   const Function& function) {
  start_compute(left, right, function).finish();
}
template <class Value>
Pending PairDensities<Value>::start_compute(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right,
                                            Function function) {
  return started<DensitiesStarted<Value>>(
      body().comm, [&](auto& call) { call.compute(left, right, std::move(function)); }, body_);
}

template <class Value>
void PairDensities<Value>::sum(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right,
                               std::span<const Value> coefficients, Coefficients<Complex> out, std::int64_t sums) {
  Body& b = body();
  std::vector<std::complex<double>> found;
  together(b.comm, "sum", [&](EqualArguments& same) {
    same.add("sums", sums).add("coefficients", coefficients);
    b.require_sum(*GridOrbitals<Value>::Body::of(left), *GridOrbitals<Value>::Body::of(right), coefficients, out, sums);
    found.resize(static_cast<std::size_t>(sums * b.plan().waves));
  });
  if (b.plan().queue.on_host()) {
    sum_on_grid<Value>(b, *GridOrbitals<Value>::Body::of(left), *GridOrbitals<Value>::Body::of(right), coefficients,
                       found);
  } else {
    sum_of_densities<Value>(*this, left, right, coefficients, found);
  }
  auto* const parts = reinterpret_cast<double*>(found.data());
  reduce_each(b.across, {parts, 2 * found.size()}, MPI_SUM);
  const std::int64_t waves = b.plan().waves, length = row_length(b.plan(), out);
  for (std::int64_t i = 0; i < std::ssize(found); ++i) {
    out.values[static_cast<std::size_t>(i / waves * length + i % waves)] =
        static_cast<Complex>(found[static_cast<std::size_t>(i)]);
  }
}

template <class Value>
const PairDensityReport& PairDensities<Value>::report() const {
  return body().report;
}
template <class Value>
ProgressReport PairDensities<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().comm).skew();
  return report;
}

template class GridOrbitals<double>;
template class GridOrbitals<float>;
template class GridOrbitals<std::complex<double>>;
template class GridOrbitals<std::complex<float>>;
template class PairDensities<double>;
template class PairDensities<float>;
template class PairDensities<std::complex<double>>;
template class PairDensities<std::complex<float>>;

}  // namespace seiche
