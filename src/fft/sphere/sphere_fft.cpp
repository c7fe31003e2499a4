// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions of SphereFft. Each transform is a run of the plan's pipeline stages.
#include <functional>
#include <optional>

#include "comm/agree.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/sphere_run.hpp"
#include "fft/sphere/weighted_bands.hpp"
#include "pipeline/arrival_skew.hpp"
#include "seiche/presence.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

template <class Value>
struct SphereFft<Value>::Body {
  using Batch = SphereBatch<Value>;

  std::shared_ptr<KeptSphere<Value>> kept;
  std::int64_t number = 0;  // number of the object on the communicator
  ProgressReport spent{};   // use of time in calls of this object

  const SpherePlan& plan() const { return kept->plan(); }

  /// Collective. Transforms one batch of bands.
  void run(Flow flow, const Batch& batch, const GridFunction<Value>& function = {}, const RunOptions& how = {}) {
    SphereRun<Value> once(*kept, flow, function, spent, how);
    once.feed(batch);
    once.finish();
  }

  Batch there_and_back(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands, Result result) const {
    return {.bands = bands,
            .in = in.data(),
            .out = out.data(),
            .in_row = row_length(bands, in.size()),
            .out_row = row_length(bands, out.size()),
            .result = result};
  }

  /// Returns the number of rows of coefficients, one for each component of each band. Rows may be padded.
  std::int64_t rows(std::int64_t bands) const { return bands * plan().options.components; }
  std::int64_t row_length(std::int64_t bands, std::size_t given) const {
    return bands > 0 ? static_cast<std::int64_t>(given) / rows(bands) : 0;
  }
  void require_coefficients(std::int64_t bands, std::size_t given) const {
    constexpr std::int64_t most = std::int64_t{1} << 32;  // prevents overflow of array sizes
    require(bands >= 0 && bands <= most, Fault::bad_argument, "fft: wrong number of bands ({}): pass 0 to {}", bands,
            most);
    const std::int64_t length = row_length(bands, given);
    require(given == static_cast<std::size_t>(rows(bands) * length) && (bands == 0 || length >= plan().waves),
            Fault::bad_argument,
            "fft: {} bands of {} waves and {} components need {} coefficients, or longer rows of equal length (got {})",
            bands, plan().waves, plan().options.components, rows(bands) * plan().waves, given);
  }
  void require_values(std::int64_t bands, std::size_t given) const {
    const std::int64_t all = plan().bands_here(bands) * plan().values();
    require(given == static_cast<std::size_t>(all), Fault::bad_argument,
            "fft: {} bands on {} grid points with {} components need {} values (got {})", plan().bands_here(bands),
            plan().box.volume(), plan().options.components, all, given);
  }
  /// Checks the size of a potential or density. For complex spinors it may have four components.
  void require_points(std::size_t given) const {
    const auto points = static_cast<std::size_t>(plan().box.volume());
    const bool four = given == components_of_magnetism * points && plan().options.components == 2;
    require(given == points || (four && !plan().kind.half), Fault::bad_argument,
            "fft: grid_box() of this rank has {} points: pass one value per point, or {} for complex spinors with "
            "magnetism (got {} values)",
            points, components_of_magnetism, given);
  }
  bool with_magnetism(std::size_t given) const { return given > static_cast<std::size_t>(plan().box.volume()); }
  /// Collective. Calls `checks`, and checks that `bands` is equal on all ranks.
  template <class Checks>
  void check(std::int64_t bands, const Checks& checks) const {
    kept->require_idle();
    agree_on_bands(plan().comm, bands, fault_of(checks));
  }
  /// Checks that bands have one component. `other`: the function for several components.
  void require_one_component(const char* other) const {
    require(plan().options.components == 1, Fault::bad_argument,
            "fft: bands of this plan have {} components: use {}, whose callback receives all components",
            plan().options.components, other);
  }
};

template <class Value>
SphereFft<Value>::SphereFft(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                            FftOptions options) {
  const std::array kind{'s', letter_of<Value>()};
  auto common = PlanKey().add(kind).add(shape);
  const PlanRequest request{PlanKey().add(kind).add(shape).add(options).add(mine).text(),
                            add_common(common, options).digest(), fault_of([&] { require_sound(shape); })};
  auto kept = cached_plan<KeptSphere<Value>>(
      comm, request, [&] { return std::make_shared<KeptSphere<Value>>(comm, shape, mine, options); });
  body_ = std::make_shared<Body>(Body{std::move(kept), fresh_number(comm)});
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
  require_all_close(body_->plan().comm, body_->number);
  body_->kept->close();
  body_.reset();
}

template <class Value>
void SphereFft<Value>::backward(std::span<const Complex> waves, std::span<Value> grid, std::int64_t bands) {
  Body& b = body();
  b.check(bands, [&] {
    b.require_coefficients(bands, waves.size());
    b.require_values(bands, grid.size());
  });
  b.run(Flow::backward,
        {.bands = bands, .in = waves.data(), .grid = grid.data(), .in_row = b.row_length(bands, waves.size())});
}
template <class Value>
void SphereFft<Value>::forward(std::span<const Value> grid, std::span<Complex> waves, std::int64_t bands) {
  Body& b = body();
  b.check(bands, [&] {
    b.require_coefficients(bands, waves.size());
    b.require_values(bands, grid.size());
  });
  // forward transforms only read the grid
  b.run(Flow::forward, {.bands = bands,
                        .out = waves.data(),
                        .grid = const_cast<Value*>(grid.data()),
                        .out_row = b.row_length(bands, waves.size())});
}

template <class Value>
void SphereFft<Value>::round_trip(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                                  const RealSpace& function, Result result) {
  Body& b = body();
  b.check(bands, [&] {
    b.require_one_component("round_trip_spinors");
    for (const std::size_t size : {in.size(), out.size()}) b.require_coefficients(bands, size);
  });
  b.run(Flow::round_trip, b.there_and_back(in, out, bands, result), {&function, nullptr});
}
template <class Value>
void SphereFft<Value>::round_trip_spinors(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                                          const SpinorSpace& function, Result result) {
  Body& b = body();
  b.check(bands, [&] {
    for (const std::size_t size : {in.size(), out.size()}) b.require_coefficients(bands, size);
  });
  b.run(Flow::round_trip, b.there_and_back(in, out, bands, result), {nullptr, &function});
}

template <class Value>
void SphereFft<Value>::backward(std::span<const Complex> in, std::int64_t bands, const RealSpace& function) {
  Stream all = stream(function);
  all.add(in, bands);
  all.finish();
}
template <class Value>
void SphereFft<Value>::to_grid_spinors(std::span<const Complex> in, std::int64_t bands, const SpinorSpace& function) {
  Stream all = stream_spinors(function);
  all.add(in, bands);
  all.finish();
}

template <class Value>
void SphereFft<Value>::apply_potential(std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                                       std::span<const double> potential, Result result) {
  Body& b = body();
  std::optional<KernelArray<const double>> values;
  DevicePotential on_device;
  b.check(bands, [&] {
    for (const std::size_t size : {in.size(), out.size()}) b.require_coefficients(bands, size);
    b.require_points(potential.size());
    values.emplace(b.plan().queue, potential);
    on_device = DevicePotential(b.plan(), {values->data(), potential.size()});
  });
  const bool magnetism = b.with_magnetism(potential.size());
  SpinorSpace function = Multiply<Value>{b.plan().box, values->data()};
  if constexpr (!std::is_floating_point_v<Value>) {
    if (magnetism) function = MultiplySpinors<Value>{b.plan().box, values->data()};
  }
  b.run(Flow::round_trip, b.there_and_back(in, out, bands, result),
        {.together = &function,
         .of_user = false,
         .on_device = {.work = magnetism ? PlaneWork::spinor_potential : PlaneWork::potential,
                       .potential = on_device.data()}});
}

template <class Value>
void SphereFft<Value>::add_density(std::span<const Complex> in, std::span<const double> weights, std::int64_t bands,
                                   std::span<double> density) {
  Body& b = body();
  std::optional<KernelArray<double>> values;
  b.check(bands, [&] {
    b.require_coefficients(bands, in.size());
    require(weights.size() == static_cast<std::size_t>(bands), Fault::bad_argument,
            "fft: {} bands need one weight each (got {} weights)", bands, weights.size());
    b.require_points(density.size());
    values.emplace(b.plan().queue, density);
  });
  const WeightedBands some = weighted_bands(b.plan(), weights);
  const AddSquares<Value> squares{b.plan().box, some.weights.data(), values->data()};
  const AddMagnetism<Value> magnetism{b.plan().box, some.weights.data(), values->data()};
  const bool four = b.with_magnetism(density.size());
  const SpinorSpace function =  // std::cref avoids an allocation
      four ? SpinorSpace(std::cref(magnetism)) : SpinorSpace(std::cref(squares));
  const std::int64_t row = b.row_length(bands, in.size());
  SphereRun<Value> run(*b.kept, Flow::to_the_function,
                       {.together = &function,
                        .of_user = false,
                        .on_device = {.work = four ? PlaneWork::magnetization : PlaneWork::density,
                                      .density = values->data(),
                                      .weights = some.weights.data()}},
                       b.spent);
  for (const Range& fed : some.runs) {
    run.feed({.bands = fed.size(), .in = in.data() + b.rows(fed.low) * row, .in_row = row});
  }
  run.finish();
  values->take_back();
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
void SphereFft<Value>::exchange_only(std::int64_t bands, bool asleep) {
  body().check(bands, [&] {
    require(bands >= 0, Fault::bad_argument, "fft: the number of bands must not be negative (got {})", bands);
  });
  body().run(Flow::round_trip, {.bands = bands}, {.of_user = false},
             {.skip = true, .waiting = asleep ? Waiting::sleeping : Waiting::spinning});
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
  return body().kept->report();
}

/// Implementation of a stream. It owns the functions, to which the run has pointers.
template <class Value>
struct SphereFft<Value>::Stream::Flowing {
  Flowing(std::shared_ptr<SphereFft<Value>::Body> of, RealSpace one, SpinorSpace all)
      : body(std::move(of)),
        each(std::move(one)),
        together(std::move(all)),
        run(*body->kept, Flow::to_the_function, {each ? &each : nullptr, together ? &together : nullptr}, body->spent) {
  }
  std::shared_ptr<SphereFft<Value>::Body> body;
  RealSpace each;
  SpinorSpace together;
  SphereRun<Value> run;
};

template <class Value>
typename SphereFft<Value>::Stream SphereFft<Value>::stream(RealSpace function) {
  body().require_one_component("stream_spinors");
  return Stream(std::make_unique<typename Stream::Flowing>(body_, std::move(function), nullptr));
}
template <class Value>
typename SphereFft<Value>::Stream SphereFft<Value>::stream_spinors(SpinorSpace function) {
  body();
  return Stream(std::make_unique<typename Stream::Flowing>(body_, nullptr, std::move(function)));
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
void SphereFft<Value>::Stream::add(std::span<const Complex> in, std::int64_t bands) {
  Flowing& f = flowing();
  f.body->kept->require_idle();
#ifdef SEICHE_CHECKS  // synchronizes the ranks, which add() avoids in other builds
  f.body->check(bands, [] {});
#endif
  if (const auto fault = fault_of([&] { f.body->require_coefficients(bands, in.size()); })) f.run.fail(*fault);
  bands = std::max<std::int64_t>(bands, 0);
  f.run.feed({.bands = bands, .in = in.data(), .in_row = f.body->row_length(bands, in.size())});
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
