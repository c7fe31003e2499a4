// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench pairs`: densities of pairs of orbitals, compared with a loop over pairs that multiplies
/// orbitals and calls dense FFTs. Each orbital is one plane wave. The density of a pair is then 1 at one wave, and 0
/// elsewhere.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "contest.hpp"
#include "seiche/pair_densities.hpp"
#include "threads_option.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

Miller difference(const Miller& a, const Miller& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

/// Orbitals, and what their densities must be.
struct PlaneWaves {
  std::vector<Miller> of_orbitals;
  double largest_error = 0;

  PlaneWaves(const std::vector<Miller>& all, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      of_orbitals.push_back(all[static_cast<std::size_t>(i) * 977 % all.size()]);
    }
  }
  std::vector<Complex> coefficients(const std::vector<Miller>& mine) const {
    std::vector<Complex> values;
    for (const Miller& g : of_orbitals) {
      for (const Miller& wave : mine) values.emplace_back(wave == g ? 1 : 0);
    }
    return values;
  }
  /// Compares the densities of one pair. `densities`: of the waves `mine`.
  void check(std::size_t i, std::size_t j, const std::vector<Miller>& mine, const Complex* densities) {
    const Miller at = difference(of_orbitals[j], of_orbitals[i]);
    for (std::size_t g = 0; g < mine.size(); ++g) {
      const double error = std::abs(densities[g] - (mine[g] == at ? 1.0 : 0.0));
      if (!(error <= largest_error)) largest_error = error;  // also true for NaN
    }
  }
};

/// Returns the index of a wave in a part of the spectrum, or -1 if it is elsewhere.
std::int64_t index_in(const Box& box, const GridShape& shape, const Miller& g) {
  const std::array at{modulo(g.x, shape.nx), modulo(g.y, shape.ny), modulo(g.z, shape.nz)};
  std::int64_t index = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    if (at[axis] < box.axis[axis].low || at[axis] >= box.axis[axis].high) return -1;
    index = index * box.axis[axis].size() + at[axis] - box.axis[axis].low;
  }
  return index;
}

FftOptions dense_options(const BenchRequest& request) {
  FftOptions options = request.fft_options();
  options.band_groups = options.policy.window = 0;  // of spheres only
  return options;
}

/// The loop over pairs with dense FFTs. It keeps the densities of the last orbital i.
class DenseLoop {
 public:
  DenseLoop(const Session& session, const BenchRequest& request, const std::vector<Miller>& density_waves,
            std::int64_t count)
      : fft_(session.comm, request.shape(), dense_options(request)),
        count_(static_cast<std::size_t>(count)),
        product_(static_cast<std::size_t>(fft_.grid_box().volume())),
        spectrum_(static_cast<std::size_t>(fft_.spectrum_box().volume())),
        orbitals_(count_ * product_.size()) {
    for (const Miller& g : density_waves) {
      const std::int64_t place = index_in(fft_.spectrum_box(), request.shape(), g);
      if (place < 0) continue;
      waves.push_back(g);
      places_.push_back(static_cast<std::size_t>(place));
    }
    densities_.resize(count_ * waves.size());
  }
  /// Collective. Sets orbitals to exp(i g.r).
  void set(const PlaneWaves& known, const GridShape& shape) {
    for (std::size_t i = 0; i < count_; ++i) {
      std::fill(spectrum_.begin(), spectrum_.end(), 0);
      const std::int64_t place = index_in(fft_.spectrum_box(), shape, known.of_orbitals[i]);
      if (place >= 0) spectrum_[static_cast<std::size_t>(place)] = 1;
      fft_.backward(spectrum_, std::span(orbitals_).subspan(i * product_.size(), product_.size()));
    }
  }
  /// Collective. Computes all pairs. Calls done(i, densities [j][wave]) after those of each i.
  template <class Done>
  void run(const Done& done) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Complex* a = orbitals_.data() + i * product_.size();
      Complex* density = densities_.data();
      for (std::size_t j = 0; j < count_; ++j) {
        const Complex* b = orbitals_.data() + j * product_.size();
        for (std::size_t at = 0; at < product_.size(); ++at) {
          product_[at] = {a[at].real() * b[at].real() + a[at].imag() * b[at].imag(),
                          a[at].real() * b[at].imag() - a[at].imag() * b[at].real()};
        }
        fft_.forward(product_, spectrum_);
        for (const std::size_t place : places_) *density++ = spectrum_[place];
      }
      done(i, densities_.data());
    }
  }
  std::vector<Miller> waves;  ///< density waves in this rank's part of the spectrum

 private:
  DenseFft<Complex> fft_;
  std::size_t count_;
  std::vector<Complex> product_, spectrum_, orbitals_, densities_;
  std::vector<std::size_t> places_;
};

}  // namespace

void bench_pairs(const Session& session, const BenchRequest& request, double radius, std::int64_t orbitals) {
  const GridShape shape = request.shape();
  const auto least = static_cast<double>(std::min({shape.nx, shape.ny, shape.nz}));
  const double of_densities = radius > 0 ? radius : least / 4;
  warn_of_threads(session, request.threads);
  const auto all = sphere_of_waves({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}, least * least / 32);
  const auto density_waves =
      sphere_of_waves({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}, of_densities * of_densities / 2);
  const auto mine = share_of(session, all);
  PlaneWaves known(all, orbitals);

  DenseLoop loop(session, request, density_waves, orbitals);
  loop.set(known, shape);
  PairDensityOptions options;
  options.fft = request.fft_options();
  const int members = options.fft.band_groups > 0 ? session.size / options.fft.band_groups : session.size;
  std::vector<Miller> waves;
  const auto owners = balanced_owners(density_waves, members);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == session.rank % members) waves.push_back(density_waves[i]);
  }
  options.fft.band_groups = session.size / members;
  PairDensities<Complex> densities(session.comm, shape, waves, options);
  const auto on_grid = densities.orbitals(mine, known.coefficients(mine), orbitals);

  loop.run([&](std::size_t i, const Complex* of_all) {
    for (std::size_t j = 0; j < known.of_orbitals.size(); ++j) {
      known.check(i, j, loop.waves, of_all + j * loop.waves.size());
    }
  });
  densities.compute(on_grid, on_grid, [&](const PairBlock<Complex>& block) {
    for (std::size_t p = 0; p < block.pairs.size(); ++p) {
      known.check(static_cast<std::size_t>(block.pairs[p].i), static_cast<std::size_t>(block.pairs[p].j), waves,
                  block.densities.data() + p * waves.size());
    }
  });
  Contest contest(session);
  contest.add(
      "loop", [] {}, [&] { loop.run([](std::size_t, const Complex*) {}); });
  contest.add(
      "pairs", [] {}, [&] { densities.compute(on_grid, on_grid, [](const PairBlock<Complex>&) {}); });
  contest.run(request.repeats);
  const double before = densities.progress().worked;
  densities.compute(on_grid, on_grid, [](const PairBlock<Complex>&) {});
  const double worked = densities.progress().worked - before;

  BenchResult result;
  result.name =
      fmt::format("pairs {}x{}x{} radius {} orbitals {}", shape.nx, shape.ny, shape.nz, of_densities, orbitals);
  result.threads = request.threads;
  result.timing.seconds = contest.seconds(1);
  const auto points = static_cast<double>(shape.volume()), pairs = static_cast<double>(orbitals * orbitals);
  result.operations = pairs * 5 * points * std::log2(points);  // counted as for a full grid
  result.plan = densities.report().pairs;
  result.transforms = pairs;
  result.max_error = known.largest_error;
  // pairs inside a group, and orbitals to the other groups
  const std::int64_t groups = options.fft.band_groups, of_group = (orbitals + groups - 1) / groups;
  const std::int64_t orbital = shape.volume() / members * std::int64_t{sizeof(Complex)};
  const std::int64_t sent = of_group * (orbitals * result.plan.bytes_sent + (groups - 1) * orbital);
  result.more = {{"methods", contest.json()},
                 {"ratios", contest.ratios()},
                 {"worked", largest(session.comm, worked)},
                 {"sent", largest(session.comm, static_cast<double>(sent))}};
  print(session, result);
}

}  // namespace seiche::command
