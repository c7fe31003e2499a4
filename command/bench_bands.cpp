// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench bands`: transforms bands of plane waves |G| <= R to the grid, multiplies them by a real V(r),
/// and transforms them back. For V = 2 cos(g.r), c(G) becomes c(G-g) + c(G+g), so that all coefficients are known
/// without a transform. Or it adds their densities, whose mean value is the sum of |c(G)|^2.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "bench_bound.hpp"
#include "fft/exchange_only.hpp"
#include "predict/line_rates.hpp"
#include "seiche/device_memory.hpp"
#include "threads_option.hpp"

namespace seiche::command {

namespace {

constexpr Miller shift{1, 2, -1};

/// A sphere of waves with coefficients that are known on every rank.
struct KnownBands {
  GridShape shape;
  double radius;

  bool holds(const Miller& g) const {
    const double x = g.x, y = g.y, z = g.z;
    return x * x + y * y + z * z <= radius * radius;
  }

  std::vector<Miller> waves() const {
    const auto reach = static_cast<std::int32_t>(radius);
    std::vector<Miller> all;
    for (std::int32_t x = -reach; x <= reach; ++x) {
      for (std::int32_t y = -reach; y <= reach; ++y) {
        for (std::int32_t z = -reach; z <= reach; ++z) {
          if (holds({x, y, z})) all.push_back({x, y, z});
        }
      }
    }
    return all;
  }

  std::complex<double> coefficient(std::int64_t band, const Miller& g) const {
    if (!holds(g)) return 0;
    const auto hash = static_cast<std::uint64_t>(g.x * 73856093 ^ g.y * 19349663 ^ g.z * 83492791) +
                      977 * static_cast<std::uint64_t>(band);
    const auto fraction = [](std::uint64_t bits) { return static_cast<double>(bits % 2003) / 2003.0 - 0.5; };
    return {fraction(hash * 2654435761U >> 7), fraction(hash * 40503U >> 5)};
  }

  /// Returns the coefficient after the round trip. Waves beyond the edge of the grid are wrapped around.
  std::complex<double> shifted(std::int64_t band, const Miller& g) const {
    const auto at = [&](int sign) {
      return coefficient(band, {nearest(g.x + sign * shift.x, shape.nx), nearest(g.y + sign * shift.y, shape.ny),
                                nearest(g.z + sign * shift.z, shape.nz)});
    };
    return at(-1) + at(+1);
  }

  static std::int32_t nearest(std::int64_t g, std::int64_t n) {
    const auto wrapped = modulo(g, n);
    return static_cast<std::int32_t>(2 * wrapped > n ? wrapped - n : wrapped);
  }
};

/// Returns 2 cos(g.r) at the points of `box`, x fastest.
std::vector<double> potential(const GridShape& shape, const Box& box) {
  const auto x_roots = roots_of_unity(shape.nx), y_roots = roots_of_unity(shape.ny), z_roots = roots_of_unity(shape.nz);
  const auto root = [](const auto& roots, std::int64_t k) {
    return roots[static_cast<std::size_t>(modulo(k, static_cast<std::int64_t>(roots.size())))];
  };
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(box.volume()));
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      const auto row = root(y_roots, shift.y * y) * root(z_roots, shift.z * z);
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        values.push_back(2 * (row * root(x_roots, shift.x * x)).real());
      }
    }
  }
  return values;
}

/// Bands on this rank, and their product with V.
template <class Real>
class Bands {
 public:
  using Value = std::complex<Real>;
  using Plan = SphereFft<Value>;

  /// `plan`: a plan for these waves.
  Bands(const KnownBands& known, const std::vector<Miller>& mine, std::int64_t bands, const Plan& plan, bool on_device)
      : known_(known), mine_(mine), bands_(bands), box_(plan.grid_box()) {
    for (std::int64_t band = 0; band < bands; ++band) {
      for (const Miller& g : mine) in_.emplace_back(known.coefficient(band, g));
    }
    out_.resize(in_.size());
    if (on_device) {
      device_.emplace(in_, potential(known.shape, box_));
    } else {
      v_ = potential(known.shape, box_);
    }
  }

  void apply(Plan& plan) {
    if (device_) return plan.apply_potential(device_->in.span(), device_->out.span(), bands_, device_->v.span());
    plan.apply_potential(in_, out_, bands_, v_);
  }
  /// Replaces the density by that of all bands.
  void sum_density(Plan& plan) {
    weights_.assign(static_cast<std::size_t>(bands_), 1.0);
    density_.assign(static_cast<std::size_t>(box_.volume()), 0.0);
    plan.add_density(in_, weights_, bands_, density_);
  }
  /// Collective. Returns the relative deviation of the mean density.
  double deviation_of_density(const Session& session) const {
    std::array<double, 2> sums{};
    for (const double value : density_) sums[0] += value / static_cast<double>(known_.shape.volume());
    for (const Value& value : in_) sums[1] += std::norm(std::complex<double>(value));
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, session.comm);
    return std::abs(sums[0] - sums[1]) / sums[1];
  }
  /// Returns the largest deviation of the last result.
  double deviation() const {
    const std::vector<Value> out = device_ ? device_->out.values() : out_;
    double largest = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto band = static_cast<std::int64_t>(i / mine_.size());
      const double deviation = std::abs(std::complex<double>(out[i]) - known_.shifted(band, mine_[i % mine_.size()]));
      if (!(deviation <= largest)) largest = deviation;  // also true for NaN
    }
    return largest;
  }

 private:
  struct OnDevice {
    OnDevice(const std::vector<Value>& bands, const std::vector<double>& potential)
        : in(std::span<const Value>(bands)), out(bands.size()), v(std::span<const double>(potential)) {}
    DeviceArray<Value> in, out;
    DeviceArray<double> v;
  };

  const KnownBands& known_;
  const std::vector<Miller>& mine_;
  std::int64_t bands_;
  Box box_;
  std::vector<Value> in_, out_;
  std::vector<double> v_;
  std::vector<double> weights_, density_;
  std::optional<OnDevice> device_;
};

/// Collective. Returns the least time of a band.
predict::Bound bound_of(const Session& session, const BandsRequest& request, const std::vector<Miller>& mine) {
  const GridShape shape = request.shape();
  std::set<std::pair<std::int32_t, std::int32_t>> columns;
  for (const Miller& g : mine) columns.emplace(g.x, g.y);
  const predict::BandArrays arrays{std::ssize(mine), std::ssize(columns) * shape.nz, shape.volume() / session.size};
  const double cache = predict::own_cache();
  const auto bytes = request.density ? predict::least_bytes_of_density(arrays, cache)
                                     : predict::least_bytes_of_round_trip(arrays, cache);
  const auto on = [&](const predict::Where& where) {
    return predict::work_of_band(shape, request.radius, where, request.fft_options());
  };
  return measured_bound(session, {on, request.density ? 0.5 : 1.0, bytes}, request.fft_options().library);
}

template <class Real>
void run(const Session& session, const BandsRequest& request) {
  using Plan = SphereFft<std::complex<Real>>;
  const std::int64_t bands = request.bands;
  const KnownBands known{request.shape(), request.radius};
  const auto mine = waves_within(session, known.shape, known.radius);
  if (request.of_bound) require_bound(request);
  warn_of_threads(session, request.threads);
  Plan fft(session.comm, known.shape, mine, request.fft_options());
  Bands<Real> all(known, mine, bands, fft, request.on_device());

  BenchResult result;
  result.name = fmt::format("bands {}x{}x{} radius {} bands {} {}{}", known.shape.nx, known.shape.ny, known.shape.nz,
                            known.radius, bands, request.precision,
                            request.density       ? " density"
                            : request.on_device() ? " cuda"
                                                  : "");
  result.threads = request.threads;
  result.timing = time_repeats(session.comm, request.repeats, request.skew * 1e-6,
                               [&] { request.density ? all.sum_density(fft) : all.apply(fft); });
  result.bands = bands;
  for (double& seconds : result.timing.seconds) seconds /= static_cast<double>(bands);
  if (request.overlap_report) {
    Plan blocking(session.comm, known.shape, mine, request.blocking_options());
    const auto runnable = [&](Plan& plan) {
      return Runnable{[&] { all.apply(plan); }, [&](bool asleep) { exchange_only(plan, bands, asleep); },
                      [&] { return plan.progress(); }};
    };
    result.overlap =
        measure_overlap(session.comm, request.repeats, static_cast<double>(bands), runnable(blocking), runnable(fft));
    all.apply(fft);
  }
  const auto points = static_cast<double>(known.shape.volume());
  result.operations = 10 * points * std::log2(points);  // counted as for a full grid, so that cases are comparable
  result.plan = fft.report();
  result.more["messages"] = result.plan.messages;
  result.max_error = request.density ? all.deviation_of_density(session) : all.deviation();
  if (request.of_bound) result.least = bound_of(session, request, mine);
  print(session, result);
}

}  // namespace

std::vector<Miller> waves_within(const Session& session, const GridShape& shape, double radius) {
  return share_of(session, KnownBands{shape, radius}.waves());
}

std::vector<Miller> share_of(const Session& session, const std::vector<Miller>& all) {
  const auto owners = balanced_owners(all, session.size);
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == session.rank) mine.push_back(all[i]);
  }
  return mine;
}

void bench_bands(const Session& session, BandsRequest request) {
  const GridShape shape = request.shape();
  if (request.radius <= 0) request.radius = static_cast<double>(std::min({shape.nx, shape.ny, shape.nz})) / 4;
  request.precision == "float" ? run<float>(session, request) : run<double>(session, request);
}

}  // namespace seiche::command
