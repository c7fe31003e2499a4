// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench first`: the cost of plans of spheres, compared with a call of one band, and calls that
/// alternate between plans, compared with calls of one plan. Times are CPU times of the slowest rank.
#include <fmt/core.h>

#include <ctime>
#include <memory>

#include "bench_report.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;
using Plan = SphereFft<Complex>;

constexpr std::int64_t bands_of_a_call = 8;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Plans of spheres |k + G| <= R of one grid, for different k.
class Spheres {
 public:
  Spheres(const Session& session, const BenchRequest& request, bool measured)
      : session_(session), shape_(request.shape()), options_(request.fft_options()) {
    options_.measured = measured;
  }

  /// Collective. Creates plan number `i` of `count`. Returns its CPU time.
  double add(int i, int count) {
    const auto waves = waves_of(0.5 * i / count);
    most_waves_ = std::max(most_waves_, waves.size());
    return timed([&] { plans_.push_back(std::make_unique<Plan>(session_.comm, shape_, waves, options_)); });
  }
  /// Collective. Multiplies bands by the potential 1 with plan number `i`. Returns the CPU time.
  double apply(std::size_t i, std::int64_t bands) {
    Plan& plan = *plans_[i];
    coefficients_.resize(static_cast<std::size_t>(bands_of_a_call) * most_waves_, Complex(1));
    potential_.resize(static_cast<std::size_t>(plan.grid_box().volume()), 1.0);
    return timed([&] { plan.apply_potential(coefficients_, coefficients_, bands, potential_); });
  }
  /// Returns the largest deviation of a coefficient from 1, its value at the beginning.
  double deviation() const {
    double largest = 0;
    for (const Complex& c : coefficients_) largest = std::max(largest, std::abs(c - 1.0));
    return largest;
  }
  std::size_t size() const { return plans_.size(); }
  FftReport report() const { return plans_.front()->report(); }

 private:
  /// Returns the waves of this rank. R is a quarter of the grid.
  std::vector<Miller> waves_of(double k) const {
    const double radius = static_cast<double>(std::min({shape_.nx, shape_.ny, shape_.nz})) / 4;
    return share_of(session_,
                    sphere_of_waves({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {k, k / 2, k / 3}, radius * radius / 2));
  }

  template <class Work>
  double timed(const Work& work) const {
    MPI_Barrier(session_.comm);
    const double start = cpu_seconds();
    work();
    return largest(session_.comm, cpu_seconds() - start);
  }

  const Session& session_;
  GridShape shape_;
  FftOptions options_;
  std::size_t most_waves_ = 0;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<Complex> coefficients_;
  std::vector<double> potential_;
};

}  // namespace

void bench_first(const Session& session, const BenchRequest& request, int plans, bool measured) {
  Spheres spheres(session, request, measured);
  BenchResult result;
  const double first = spheres.add(0, plans);
  const double first_call = spheres.apply(0, 1);
  std::vector<double> band, later, alone, alternating;
  for (int i = 0; i < 10 * request.repeats; ++i) band.push_back(spheres.apply(0, 1));
  for (int i = 1; i < plans; ++i) later.push_back(spheres.add(i, plans));
  for (std::size_t i = 0; i < spheres.size(); ++i) spheres.apply(i, bands_of_a_call);
  for (int round = 0; round < request.repeats; ++round) {
    double of_one = 0, of_all = 0;
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      of_one += spheres.apply(spheres.size() / 2, bands_of_a_call);
      of_all += spheres.apply(i, bands_of_a_call);
    }
    alone.push_back(of_one);
    alternating.push_back(of_all);
  }
  const GridShape shape = request.shape();
  result.name = fmt::format("first {}x{}x{} {} plans", shape.nx, shape.ny, shape.nz, plans);
  result.timing.seconds = later;
  result.plan = spheres.report();
  result.max_error = spheres.deviation();
  result.more = {{"first_plan", first},
                 {"first_call", first_call},
                 {"later_plan", median_of(later)},
                 {"band", median_of(band)},
                 {"plan_in_bands", median_of(later) / median_of(band)},
                 {"alternating", median_of(alternating) / median_of(alone)},
                 {"kept_memory_bytes",
                  static_cast<std::int64_t>(largest(session.comm, static_cast<double>(result.plan.kept_memory)))}};
  print(session, result);
}

}  // namespace seiche::command
