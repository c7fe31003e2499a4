// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exact exchange. A set of target orbitals is on the grid at once. Each occupied orbital meets all of them: a
/// convolution of the pipeline computes the pair density, applies the kernel, and adds the result to the target's sum.
/// Pair densities are not stored.
#include "seiche/exact_exchange.hpp"

#include <cmath>
#include <vector>

#include "comm/agree.hpp"
#include "exact_exchange/block.hpp"
#include "exact_exchange/expectation.hpp"
#include "exact_exchange/own_pairs.hpp"
#include "fft/sphere/callers_rows.hpp"
#include "pipeline/arrival_skew.hpp"

namespace seiche {

namespace {

/// Returns the positions of weights other than 0. \throws Error for a weight that is not finite
std::vector<std::int64_t> positions_used(std::span<const double> weights) {
  std::vector<std::int64_t> used;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require(std::isfinite(weights[i]), Fault::bad_argument, "exact exchange: weight {} is not a finite number ({})", i,
            weights[i]);
    if (weights[i] != 0) used.push_back(static_cast<std::int64_t>(i));
  }
  return used;
}

/// Collective. Checks that all ranks have the same weights. \throws `fault`, or Error if weights differ
void agree_on_weights(const Communicator& comm, std::span<const double> weights, const std::optional<Error>& fault) {
  const auto [digest] = bounds(comm, std::array{PlanKey().add(weights).digest()}, fault);
  require(digest.first == digest.second, Fault::bad_argument,
          "exact exchange: ranks passed different weights to a collective call: pass the same on all ranks");
}

/// Returns the weights or the rows of coefficients at some positions, without padding.
std::vector<double> chosen(std::span<const double> weights, const std::vector<std::int64_t>& positions) {
  std::vector<double> some;
  for (const std::int64_t i : positions) some.push_back(weights[static_cast<std::size_t>(i)]);
  return some;
}
template <class Complex>
std::vector<Complex> chosen_rows(const SpherePlan& plan, std::span<const Complex> all, std::int64_t bands,
                                 const std::vector<std::int64_t>& positions) {
  const std::int64_t length = row_length(plan, bands, all.size()), components = plan.options.components;
  std::vector<Complex> some;
  some.reserve(static_cast<std::size_t>(rows_of(plan, std::ssize(positions)) * plan.waves));
  for (const std::int64_t i : positions) {
    for (std::int64_t c = 0; c < components; ++c) {
      const auto row = all.begin() + (i * components + c) * length;
      some.insert(some.end(), row, row + plan.waves);
    }
  }
  return some;
}

void require_sound(const ExactExchangeOptions& options) {
  require(options.batch >= 0, Fault::bad_argument, "exact exchange: the batch must not be negative (got {})",
          options.batch);
  require(options.fft.space == Space::host, Fault::unsupported,
          "exact exchange: orbitals on a device are not supported: use Space::host");
}

}  // namespace

template <class Value>
OccupiedOrbitals<Value>::OccupiedOrbitals(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
template <class Value>
const typename OccupiedOrbitals<Value>::Body& OccupiedOrbitals<Value>::body() const {
  require(body_ != nullptr, Fault::bad_argument, "exact exchange: these occupied orbitals are moved from");
  return *body_;
}
template <class Value>
std::int64_t OccupiedOrbitals<Value>::count() const {
  return body().count();
}
template <class Value>
std::int64_t OccupiedOrbitals<Value>::memory() const {
  return static_cast<std::int64_t>(body().values.size());
}

template <class Value>
struct ExactExchange<Value>::Body {
  using Orbitals = typename OccupiedOrbitals<Value>::Body;
  using Sphere = KeptSphere<Value>;

  Body(const Communicator& comm, const GridShape& shape, std::span<const Miller> waves,
       std::span<const Miller> density_waves, const ExactExchangeOptions& options)
      : orbitals(kept_sphere<Value>(comm, shape, waves, options.fft)),
        settled(options.fft),
        across(comm),
        number(fresh_number(comm)) {
    // other plans must have the same grid boxes and band groups
    settled.band_groups = plan().band_groups.count;
    settled.decomposition = plan().options.decomposition;
    FftOptions of_pairs = settled;
    of_pairs.components = 1;
    pairs = sphere(density_waves, of_pairs);
    across = comm.split(plan().me);
    report.orbitals = orbitals->report();
    report.pairs = pairs->report();
    report.batch = options.batch > 0 ? options.batch : 8;
    const std::int64_t on_grid = OccupiedStream<Value>::orbitals_in_memory(groups(), window()) + 2 * report.batch;
    report.memory = report.orbitals.memory + report.pairs.memory +
                    on_grid * plan().values() * std::int64_t{sizeof(Value)} +
                    pairs->factors() * std::int64_t{sizeof(double)};
  }

  const SpherePlan& plan() const { return orbitals->plan(); }
  const Communicator& comm() const { return plan().comm; }
  int groups() const { return plan().band_groups.count; }
  int window() const { return pairs->plan().options.policy.window; }
  std::int64_t most_targets() const { return std::int64_t{groups()} * report.batch; }

  /// Collective. Returns a plan with the grid boxes of this object.
  std::shared_ptr<Sphere> sphere(std::span<const Miller> waves, const FftOptions& options) const {
    auto kept = kept_sphere<Value>(comm(), plan().shape, waves, options);
    together(comm(), [&] {
      require(kept->plan().box == plan().box, Fault::bad_argument,
              "exact exchange: the tuning file has different decompositions for the plans of orbitals and of pair "
              "densities: set the decomposition in the options");
    });
    return kept;
  }
  void transform(Sphere& kept, Flow flow, const SphereBatch<Value>& batch, const GridFunction<Value>& function = {}) {
    SphereRun<Value> run(kept, flow, function, spent);
    run.feed(batch);
    run.finish();
  }

  Orbitals empty_orbitals(std::vector<double> weights) const {
    return {comm(), plan().shape, plan().box, plan().band_groups, plan().options.components, std::move(weights), {}};
  }
  void allocate(Orbitals& made) const {
    const std::int64_t all = plan().bands_here(made.count()) * plan().values();
    made.values = Memory(static_cast<std::size_t>(all) * sizeof(Value), Fresh::raw);
  }
  /// Collective.
  std::shared_ptr<const Orbitals> occupied(Sphere& kept, std::span<const Complex> all,
                                           std::span<const double> weights) {
    const std::int64_t bands = std::ssize(weights);
    Orbitals made = empty_orbitals({});
    std::vector<Complex> rows;
    agree_on_weights(comm(), weights, fault_of([&] {
                       kept.require_idle();
                       require_coefficients(kept.plan(), bands, all.size());
                       const auto used = positions_used(weights);
                       made.weights = chosen(weights, used);
                       rows = chosen_rows(kept.plan(), all, bands, used);
                       allocate(made);
                     }));
    transform(kept, Flow::backward,
              {.bands = made.count(), .in = rows.data(), .grid = made.orbital(0), .in_row = kept.plan().waves});
    return std::make_shared<const Orbitals>(std::move(made));
  }
  /// Collective.
  std::shared_ptr<const Orbitals> occupied_on_grid(std::span<const Value> values,
                                                   std::span<const double> weights) const {
    const std::int64_t here = plan().bands_here(std::ssize(weights)), length = plan().values();
    Orbitals made = empty_orbitals({weights.begin(), weights.end()});
    agree_on_weights(comm(), weights, fault_of([&] {
                       positions_used(weights);
                       require(std::ssize(values) == here * length, Fault::bad_argument,
                               "exact exchange: {} orbitals on {} grid points with {} components need {} values (got "
                               "{})",
                               here, plan().box.volume(), plan().options.components, here * length, values.size());
                       allocate(made);
                       std::copy(values.begin(), values.end(), made.orbital(0));
                     }));
    return std::make_shared<const Orbitals>(std::move(made));
  }

  void require_ours(const Orbitals& occupied) const {
    const bool same = &body_of(occupied.comm) == &body_of(comm()) && occupied.shape == plan().shape &&
                      occupied.box == plan().box && occupied.band_groups.count == groups() &&
                      occupied.components == plan().options.components;
    require(same, Fault::bad_argument,
            "exact exchange: the occupied orbitals have another communicator, grid, decomposition, number of band "
            "groups or of components: create them with the same options");
  }
  void require_kernel(std::span<const double> kernel) const {
    require(std::ssize(kernel) == pairs->plan().waves, Fault::bad_argument,
            "exact exchange: the kernel needs one value for each of the {} density waves of this rank (got {})",
            pairs->plan().waves, kernel.size());
  }

  /// Collective. Calls use(first target, number of targets, block) for V_x of some targets at a time, in order. `rows`:
  /// coefficients without errors. \pre the arguments were checked
  template <class Use>
  void each_block(const Orbitals& held, std::span<const double> kernel, const SphereBatch<Value>& rows,
                  const Use& use) {
    std::optional<TargetBlock<Value>> block;
    std::optional<OccupiedStream<Value>> stream;
    std::vector<Complex> values;
    together(comm(), [&] {
      block.emplace(plan(), std::min(rows.bands, most_targets()), pairs->factors());
      stream.emplace(across, held, window());
      values.assign(kernel.begin(), kernel.end());
    });
    // each group receives the kernel as a band of its own
    transform(*pairs, Flow::keep_factors, {.bands = groups(), .in = values.data()},
              {.of_user = false, .factors = block->factors()});
    for (std::int64_t first = 0; first < rows.bands; first += most_targets()) {
      const std::int64_t targets = std::min(rows.bands - first, most_targets());
      stream->start(0);
      transform(*orbitals, Flow::backward,
                {.bands = targets,
                 .in = rows.in + rows_of(plan(), first) * rows.in_row,
                 .grid = block->orbitals(),
                 .in_row = rows.in_row});
      block->sum_pairs(*pairs, *stream, targets, spent);
      use(first, targets, *block);
    }
  }

  /// Collective. Checks that K(-G) = K(G), which means that the kernel is real on the grid.
  void require_even(std::span<const double> kernel) {
    if constexpr (!std::is_same_v<Value, Complex>) return;  // half spheres have no other kernels
    std::vector<Complex> coefficients;
    std::vector<Value> values;
    together(comm(), [&] {
      coefficients.assign(kernel.begin(), kernel.end());
      values.resize(static_cast<std::size_t>(pairs->plan().values()));
    });
    // each group receives the kernel as a band of its own
    transform(*pairs, Flow::backward, {.bands = groups(), .in = coefficients.data(), .grid = values.data()});
    double largest = 0, odd = 0;
    for (const Value& value : values) {
      largest = std::max(largest, std::abs(value));
      odd = std::max(odd, std::abs(std::imag(value)));
    }
    constexpr double rounding = 1e-10;
    require(maximum(comm(), odd) <= rounding * maximum(comm(), largest), Fault::bad_argument,
            "exact exchange: the kernel differs between G and -G: use apply() for orbitals of another k-point");
  }
  /// Collective. Adds to `out`, or replaces, V_x of occupied orbitals that one band group has.
  void apply_to_own(const Orbitals& held, std::span<const double> kernel, const SphereBatch<Value>& rows) {
    std::optional<Memory> sums, factors;
    std::vector<Complex> values;
    together(comm(), [&] {
      sums.emplace(held.values.size(), Fresh::zero);
      factors.emplace(static_cast<std::size_t>(pairs->factors()) * sizeof(double), Fresh::raw);
      values.assign(kernel.begin(), kernel.end());
    });
    auto* const kept = reinterpret_cast<double*>(factors->data());
    auto* const on_grid = reinterpret_cast<Value*>(sums->data());
    transform(*pairs, Flow::keep_factors, {.bands = 1, .in = values.data()}, {.of_user = false, .factors = kept});
    const OwnPairs<Value> own(held, on_grid);
    const typename SphereFft<Value>::SpinorSpace fill = [&](auto... of) { own.fill(of...); },
                                                 take = [&](auto... of) { own.take(of...); };
    transform(*pairs, Flow::convolution, {.bands = own.count()},
              {.together = &take, .of_user = false, .fill = &fill, .factors = kept});
    SphereBatch<Value> result = rows;
    result.grid = on_grid;
    transform(*orbitals, Flow::forward, result);
  }

  std::shared_ptr<Sphere> orbitals, pairs;
  FftOptions settled;   // options of plans of orbitals
  Communicator across;  // ranks of all groups with the same part of the grid
  std::int64_t number;  // number of the object on the communicator
  ExactExchangeReport report{};
  ProgressReport spent{};
};

template <class Value>
ExactExchange<Value>::ExactExchange(const Communicator& comm, GridShape shape, std::span<const Miller> waves,
                                    std::span<const Miller> density_waves, ExactExchangeOptions options) {
  agree_on(comm, options.batch, "exact exchange: ranks passed different batches ({} to {}): pass the same on all ranks",
           fault_of([&] { require_sound(options); }));
  body_ = std::make_unique<Body>(comm, shape, waves, density_waves, options);
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
  require_all_close(body_->comm(), body_->number);
  body_->orbitals->close();
  body_->pairs->close();
  body_.reset();
}

template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied(std::span<const Complex> all, std::span<const double> weights) {
  return OccupiedOrbitals<Value>(body().occupied(*body().orbitals, all, weights));
}
template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied(std::span<const Miller> waves, std::span<const Complex> all,
                                                       std::span<const double> weights) {
  const auto kept = body().sphere(waves, body().settled);
  return OccupiedOrbitals<Value>(body().occupied(*kept, all, weights));
}
template <class Value>
OccupiedOrbitals<Value> ExactExchange<Value>::occupied_on_grid(std::span<const Value> values,
                                                               std::span<const double> weights) {
  return OccupiedOrbitals<Value>(body().occupied_on_grid(values, weights));
}

template <class Value>
void ExactExchange<Value>::apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                 std::span<const Complex> in, std::span<Complex> out, std::int64_t bands,
                                 Result result) {
  Body& b = body();
  agree_on_bands(b.comm(), bands, fault_of([&] {
                   b.require_ours(occupied.body());
                   b.require_kernel(kernel);
                   for (const std::size_t size : {in.size(), out.size()}) require_coefficients(b.plan(), bands, size);
                 }));
  const std::int64_t in_row = row_length(b.plan(), bands, in.size()), out_row = row_length(b.plan(), bands, out.size());
  b.each_block(occupied.body(), kernel, {.bands = bands, .in = in.data(), .in_row = in_row},
               [&](std::int64_t first, std::int64_t targets, const TargetBlock<Value>& block) {
                 b.transform(*b.orbitals, Flow::forward,
                             {.bands = targets,
                              .out = out.data() + rows_of(b.plan(), first) * out_row,
                              .grid = block.sums(),
                              .out_row = out_row,
                              .result = result});
               });
}

template <class Value>
void ExactExchange<Value>::apply_to_occupied(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                             std::span<Complex> out, Result result) {
  Body& b = body();
  const auto& held = occupied.body();
  const std::int64_t bands = held.count();
  const bool in_turn = b.groups() > 1 || b.plan().options.reproducible;
  std::vector<Complex> in;
  agree_on_bands(b.comm(), bands, fault_of([&] {
                   b.require_ours(held);
                   b.require_kernel(kernel);
                   require_coefficients(b.plan(), bands, out.size());
                   if (in_turn) in.resize(static_cast<std::size_t>(rows_of(b.plan(), bands) * b.plan().waves));
                 }));
  b.require_even(kernel);
  const std::int64_t row = row_length(b.plan(), bands, out.size());
  if (!in_turn) {
    b.apply_to_own(held, kernel, {.bands = bands, .out = out.data(), .out_row = row, .result = result});
    return;
  }
  b.transform(*b.orbitals, Flow::forward,
              {.bands = bands, .out = in.data(), .grid = held.orbital(0), .out_row = b.plan().waves});
  apply(occupied, kernel, in, out, bands, result);
}

template <class Value>
double ExactExchange<Value>::energy(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                                    std::span<const Complex> in, std::span<const double> weights) {
  Body& b = body();
  std::vector<double> used_weights;
  std::vector<Complex> rows;
  agree_on_weights(b.comm(), weights, fault_of([&] {
                     b.require_ours(occupied.body());
                     b.require_kernel(kernel);
                     require_coefficients(b.plan(), std::ssize(weights), in.size());
                     const auto used = positions_used(weights);
                     used_weights = chosen(weights, used);
                     rows = chosen_rows(b.plan(), in, std::ssize(weights), used);
                   }));
  double sum = 0;
  b.each_block(occupied.body(), kernel,
               {.bands = std::ssize(used_weights), .in = rows.data(), .in_row = b.plan().waves},
               [&](std::int64_t first, std::int64_t targets, const TargetBlock<Value>& block) {
                 const auto values = expectations(b.plan(), b.across, targets, block.orbitals(), block.sums());
                 for (std::size_t i = 0; i < values.size(); ++i) {
                   sum += used_weights[static_cast<std::size_t>(first) + i] * values[i];
                 }
               });
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
