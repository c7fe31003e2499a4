// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions of SphereFft. Each transform is a run of the plan's pipeline stages.
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "fft/sphere/joined_started.hpp"
#include "fft/sphere/sphere_started.hpp"
#include "pipeline/arrival_skew.hpp"
#include "seiche/presence.hpp"

namespace seiche {

namespace {

/// Collective. Starts a call of type Call by `begin`.
template <class Call, class Body, class Begin>
Pending start(Body& body, const Begin& begin) {
  return started<Call>(body.plan().comm, begin, body.shared_from_this());
}

/// Collective. Starts a call by `begin` and completes it, without an allocation.
template <class Call, class Body, class Begin>
void complete(Body& body, const Begin& begin) {
  Call call(body.shared_from_this());
  begin(call);
  call.finish();
}

}  // namespace

template <class Value>
SphereFft<Value>::SphereFft(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                            FftOptions options) {
  body_ = std::make_shared<Body>(kept_sphere<Value>(comm, shape, mine, options));
}
template <class Value>
SphereFft<Value>::~SphereFft() = default;
template <class Value>
SphereFft<Value>::SphereFft(SphereFft&&) noexcept = default;
template <class Value>
SphereFft<Value>& SphereFft<Value>::operator=(SphereFft&&) noexcept = default;

template <class Value>
typename SphereFft<Value>::Body& SphereFft<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "fft: this plan is closed or moved from: create another");
  return *body_;
}
template <class Value>
void SphereFft<Value>::close() {
  if (!body_) return;
  body_->kept->require_idle();
  body_->kept->close();
  body_.reset();
}

template <class Value>
Pending SphereFft<Value>::start_backward(Coefficients<const Complex> coefficients, std::span<Value> grid,
                                         std::int64_t bands) {
  return start<SphereStarted<Value>>(body(), [&](auto& call) { call.backward(coefficients, grid, bands); });
}
template <class Value>
void SphereFft<Value>::backward(Coefficients<const Complex> coefficients, std::span<Value> grid, std::int64_t bands) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.backward(coefficients, grid, bands); });
}
template <class Value>
Pending SphereFft<Value>::start_forward(std::span<const Value> grid, Coefficients<Complex> coefficients,
                                        std::int64_t bands) {
  return start<SphereStarted<Value>>(body(), [&](auto& call) { call.forward(grid, coefficients, bands); });
}
template <class Value>
void SphereFft<Value>::forward(std::span<const Value> grid, Coefficients<Complex> coefficients, std::int64_t bands) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.forward(grid, coefficients, bands); });
}

template <class Value>
Pending SphereFft<Value>::start_round_trip(Coefficients<const Complex> in, Coefficients<Complex> out,
                                           std::int64_t bands, Callback function, Result result) {
  return start<SphereStarted<Value>>(
      body(), [&](auto& call) { call.round_trip(in, out, bands, call.keep(std::move(function)), result); });
}
template <class Value>
void SphereFft<Value>::round_trip(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                                  const Callback& function, Result result) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.round_trip(in, out, bands, function, result); });
}
template <class Value>
void SphereFft<Value>::to_grid(Coefficients<const Complex> in, std::int64_t bands, const Callback& function) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.to_grid(in, bands, function); });
}

template <class Value>
Pending SphereFft<Value>::start_apply_potential(Coefficients<const Complex> in, Coefficients<Complex> out,
                                                std::int64_t bands, std::span<const double> potential, Result result) {
  return start<SphereStarted<Value>>(body(),
                                     [&](auto& call) { call.apply_potential(in, out, bands, potential, result); });
}
template <class Value>
void SphereFft<Value>::apply_potential(Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                                       std::span<const double> potential, Result result) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.apply_potential(in, out, bands, potential, result); });
}

template <class Value>
Pending SphereFft<Value>::start_add_density(Coefficients<const Complex> in, std::span<const double> weights,
                                            std::int64_t bands, std::span<double> density) {
  return start<SphereStarted<Value>>(body(), [&](auto& call) { call.add_density(in, weights, bands, density); });
}
template <class Value>
void SphereFft<Value>::add_density(Coefficients<const Complex> in, std::span<const double> weights, std::int64_t bands,
                                   std::span<double> density) {
  complete<SphereStarted<Value>>(body(), [&](auto& call) { call.add_density(in, weights, bands, density); });
}

template <class Value>
Pending SphereFft<Value>::start_apply_perturbation(SphereFft& target, Coefficients<const Complex> in,
                                                   Coefficients<Complex> out, std::int64_t bands,
                                                   std::span<const std::complex<double>> potential, Result result) {
  return start<JoinedStarted<Value>>(
      body(), [&](auto& call) { call.apply_perturbation(target, in, out, bands, potential, result); });
}
template <class Value>
void SphereFft<Value>::apply_perturbation(SphereFft& target, Coefficients<const Complex> in, Coefficients<Complex> out,
                                          std::int64_t bands, std::span<const std::complex<double>> potential,
                                          Result result) {
  complete<JoinedStarted<Value>>(
      body(), [&](auto& call) { call.apply_perturbation(target, in, out, bands, potential, result); });
}

template <class Value>
Pending SphereFft<Value>::start_add_products(SphereFft& other, Coefficients<const Complex> left,
                                             Coefficients<const Complex> right, std::span<const double> weights,
                                             std::int64_t bands, std::span<std::complex<double>> density) {
  return start<JoinedStarted<Value>>(
      body(), [&](auto& call) { call.add_products(other, left, right, weights, bands, density); });
}
template <class Value>
void SphereFft<Value>::add_products(SphereFft& other, Coefficients<const Complex> left,
                                    Coefficients<const Complex> right, std::span<const double> weights,
                                    std::int64_t bands, std::span<std::complex<double>> density) {
  complete<JoinedStarted<Value>>(body(),
                                 [&](auto& call) { call.add_products(other, left, right, weights, bands, density); });
}

template <class Value>
void SphereFft<Value>::spread(const Box& box, std::span<const double> values, std::span<double> here) {
  body().kept->boxes().spread(body().plan(), box, values, here);
}
template <class Value>
void SphereFft<Value>::spread(const Box& box, std::span<const std::complex<double>> values,
                              std::span<std::complex<double>> here) {
  body().kept->boxes().spread(body().plan(), box, values, here);
}
template <class Value>
void SphereFft<Value>::collect(std::span<const double> here, const Box& box, std::span<double> values) {
  body().kept->boxes().collect(body().plan(), here, box, values);
}
template <class Value>
void SphereFft<Value>::collect(std::span<const std::complex<double>> here, const Box& box,
                               std::span<std::complex<double>> values) {
  body().kept->boxes().collect(body().plan(), here, box, values);
}

template <class Value>
void SphereFft<Value>::backward_to_boxes(Coefficients<const Complex> coefficients, const Box& box,
                                         std::span<Value> values, std::int64_t bands) {
  Body& b = body();
  b.check("backward_to_boxes", bands,
          [&](EqualArguments&) { b.require_in_boxes(bands, coefficients, box, values.size()); });
  b.each_batch_in_boxes(bands, b.row_length(coefficients), box, [&](const auto& batch) {
    std::span<Value> here = b.batch_on_grid(batch.bands);
    backward({coefficients.values.subspan(batch.coefficients), coefficients.row_length}, here, batch.bands);
    b.kept->boxes().template bands_from_plan<Value>(b.plan(), here, box, values.subspan(batch.values), batch.bands);
  });
}
template <class Value>
void SphereFft<Value>::forward_from_boxes(const Box& box, std::span<const Value> values,
                                          Coefficients<Complex> coefficients, std::int64_t bands) {
  Body& b = body();
  b.check("forward_from_boxes", bands,
          [&](EqualArguments&) { b.require_in_boxes(bands, coefficients, box, values.size()); });
  b.each_batch_in_boxes(bands, b.row_length(coefficients), box, [&](const auto& batch) {
    std::span<Value> here = b.batch_on_grid(batch.bands);
    b.kept->boxes().template bands_to_plan<Value>(b.plan(), box, values.subspan(batch.values), here, batch.bands);
    forward(here, {coefficients.values.subspan(batch.coefficients), coefficients.row_length}, batch.bands);
  });
}

template <class Value>
const Box& SphereFft<Value>::grid_box() const {
  return body().plan().box;
}
template <class Value>
std::int64_t SphereFft<Value>::bands_here(std::int64_t bands) const {
  return body().plan().bands_here(bands);
}
template <class Value>
std::int64_t SphereFft<Value>::first_band_here() const {
  return body().plan().my_group;
}
template <class Value>
ProgressReport SphereFft<Value>::progress() const {
  ProgressReport report = body().spent;
  report.skew = kept_on<ArrivalSkew>(body().plan().comm).skew();
  return report;
}
template <class Value>
const FftReport& SphereFft<Value>::report() const {
  return body().kept->current_report();
}

/// Implementation of a stream. It owns the function, to which the run has a pointer.
template <class Value>
struct SphereFft<Value>::Stream::Flowing {
  Flowing(std::shared_ptr<SphereFft<Value>::Body> of, Callback function)
      : body(std::move(of)),
        users(std::move(function)),
        run(*body->kept, Flow::to_the_function, body->grid_function("open_stream", users, together), body->spent) {}
  std::shared_ptr<SphereFft<Value>::Body> body;
  Callback users;
  SpinorSpace together;
  SphereRun<Value> run;
};

template <class Value>
typename SphereFft<Value>::Stream SphereFft<Value>::open_stream(Callback function) {
  body();
  // Another rank may have a function. Therefore the stream reports this error in finish(), on all ranks.
  const auto fault =
      fault_of([&] { std::visit([](const auto& of_user) { require_function(of_user); }, function.any()); });
  if (fault) function = [](std::int64_t, const Box&, std::span<const View<Value>>) {};
  Stream stream(std::make_unique<typename Stream::Flowing>(body_, std::move(function)));
  if (fault) stream.fail(*fault);
  return stream;
}

template <class Value>
SphereFft<Value>::Stream::Stream(std::unique_ptr<Flowing> flowing) : flowing_(std::move(flowing)) {}
template <class Value>
SphereFft<Value>::Stream::~Stream() = default;
template <class Value>
SphereFft<Value>::Stream::Stream(Stream&&) noexcept = default;
template <class Value>
typename SphereFft<Value>::Stream& SphereFft<Value>::Stream::operator=(Stream&&) noexcept = default;

template <class Value>
typename SphereFft<Value>::Stream::Flowing& SphereFft<Value>::Stream::flowing() const {
  require(flowing_ != nullptr, Fault::bad_argument, "fft: this stream is finished: create another");
  return *flowing_;
}
template <class Value>
void SphereFft<Value>::Stream::add(Coefficients<const Complex> in, std::int64_t bands) {
  Flowing& f = flowing();
  f.body->kept->require_idle();
#ifdef SEICHE_CHECKS  // synchronizes the ranks, which add() avoids in other builds
  f.body->check("add", bands, [](EqualArguments&) {});
#endif
  if (const auto fault = fault_of([&] { f.body->require_coefficients(bands, in, input); })) {
    f.run.fail(*fault);
    in = {};  // the run takes part in the exchanges without it
  }
  bands = std::max<std::int64_t>(bands, 0);
  f.run.feed({.bands = bands, .in = in.values.data(), .in_row = f.body->row_length(in)});
}
template <class Value>
void SphereFft<Value>::Stream::fail(const Error& fault) {
  flowing().run.fail(fault);
}
template <class Value>
void SphereFft<Value>::Stream::finish() {
  flowing().body->kept->require_idle();
  const auto last = std::move(flowing_);
  last->run.finish();
}

template class SphereFft<double>;
template class SphereFft<float>;
template class SphereFft<std::complex<double>>;
template class SphereFft<std::complex<float>>;

}  // namespace seiche
