// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that an error of exact exchange on one rank is thrown on all ranks.
#include <limits>

#include "exact_exchange/direct_sum.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{6, 5, 8};

/// Five orbitals on the waves of this rank.
struct Sample {
  std::vector<Miller> waves, density_waves;
  std::vector<Complex> psi, out;
  std::vector<double> kernel, weights;

  Sample() : weights(5, 1.0) {
    const auto all = sphere(shape, 2, 0, false), density = sphere(shape, 4, 0, false);
    waves = part(all, mine_of(all, true));
    density_waves = part(density, mine_of(density, true));
    psi.assign(5 * waves.size(), 0.5);
    out = psi;
    kernel.assign(density_waves.size(), 1.0);
  }
  ExactExchange<Complex> make(const ExactExchangeOptions& options = {}, MPI_Comm comm = MPI_COMM_WORLD) const {
    return ExactExchange<Complex>(comm, shape, waves, density_waves, options);
  }
};

bool last() { return rank() == ranks() - 1; }

TEST(ExactExchangeFaults, OfOptions) {
  const Sample s;
  expect_error(Fault::bad_argument, "exact exchange: the batch must not be negative (got -1)",
               [&] { s.make({.batch = -1}); });
  expect_error(Fault::bad_argument, "fft: the number of components must be 1, or 2 for spinors (got 3)",
               [&] { s.make({.fft = {.components = 3}}); });
}

TEST(ExactExchangeFaults, OfWaves) {
  Sample s;
  const auto good = s.density_waves;
  if (last()) s.density_waves.push_back({4, 0, 0});
  expect_error(Fault::bad_argument, "fft: wave (4,0,0) does not fit a grid of 6 x 5 x 8 points", [&] { s.make(); });
  s.density_waves = good;
  if (last()) s.density_waves.push_back(good.front());
  expect_error(Fault::bad_argument, "fft: duplicate wave", [&] { s.make(); });
}

TEST(ExactExchangeFaults, OfArrays) {
  Sample s;
  auto exchange = s.make();
  const auto occupied = exchange.occupied(s.psi, s.weights);
  auto kernel = s.kernel;
  if (last()) kernel.push_back(1);
  const std::string of_kernel = "exact exchange: the kernel needs one value for each of the ";
  expect_error(Fault::bad_argument, of_kernel, [&] { exchange.apply(occupied, kernel, s.psi, s.out, 5); });
  expect_error(Fault::bad_argument, of_kernel, [&] { exchange.energy(occupied, kernel, s.psi, s.weights); });
  expect_error(Fault::bad_argument, of_kernel, [&] { exchange.apply_to_occupied(occupied, kernel, s.out); });
  auto shorter = s.out;
  if (last()) shorter.pop_back();
  const std::string of_rows = "coefficients is too short (";
  expect_error(Fault::bad_argument, of_rows, [&] { exchange.apply(occupied, s.kernel, shorter, s.out, 5); });
  expect_error(Fault::bad_argument, of_rows, [&] { exchange.apply(occupied, s.kernel, s.psi, shorter, 5); });
  expect_error(Fault::bad_argument, of_rows, [&] { exchange.energy(occupied, s.kernel, shorter, s.weights); });
  expect_error(Fault::bad_argument, of_rows, [&] { exchange.apply_to_occupied(occupied, s.kernel, shorter); });
  expect_error(Fault::bad_argument, of_rows, [&] { exchange.occupied(shorter, s.weights); });
  expect_error(Fault::bad_argument, "fft: wrong number of bands (-1): pass 0 to ",
               [&] { exchange.apply(occupied, s.kernel, s.psi, s.out, -1); });
  std::vector<Complex> grid(static_cast<std::size_t>(exchange.bands_here(5) * exchange.grid_box().volume()) + last());
  expect_error(Fault::bad_argument, " values (got ", [&] { exchange.occupied_on_grid(grid, s.weights); });
  auto both = s.psi;
  both.resize(s.psi.size() + s.waves.size());
  expect_error(Fault::bad_argument, "fft: the input and output arrays overlap", [&] {
    const std::span all(both);
    exchange.apply(occupied, s.kernel, all.first(s.psi.size()), all.last(s.psi.size()), 5);
  });
  if (ranks() == 1) return;
  expect_error(Fault::bad_argument, "apply: bands is 0 on rank", [&] {
    const std::size_t size = last() ? 0 : s.psi.size();
    exchange.apply(occupied, s.kernel, std::span(s.psi).first(size), std::span(s.out).first(size), last() ? 0 : 5);
  });
  exchange.apply(occupied, s.kernel, s.psi, s.out, 5);  // the object still works
}

TEST(ExactExchangeFaults, OfKernelsOfAnotherKPoint) {
  Sample s;
  auto exchange = s.make();
  const auto occupied = exchange.occupied(s.psi, s.weights);
  auto kernel = s.kernel;
  for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i] *= 1 + 0.1 * s.density_waves[i].x;
  expect_error(Fault::bad_argument,
               "exact exchange: the kernel differs between G and -G: use apply() for orbitals of another k-point",
               [&] { exchange.apply_to_occupied(occupied, kernel, s.out); });
  exchange.apply_to_occupied(occupied, s.kernel, s.out);  // the object still works
}

TEST(ExactExchangeFaults, OfWeights) {
  Sample s;
  auto exchange = s.make();
  const auto occupied = exchange.occupied(s.psi, s.weights);
  std::vector<Complex> grid(static_cast<std::size_t>(exchange.bands_here(5) * exchange.grid_box().volume()));
  const auto expect_fault = [&](const std::vector<double>& weights, const std::string& sentence) {
    expect_error(Fault::bad_argument, sentence, [&] { exchange.occupied(s.psi, weights); });
    expect_error(Fault::bad_argument, sentence, [&] { exchange.occupied(s.waves, s.psi, weights); });
    expect_error(Fault::bad_argument, sentence, [&] { exchange.occupied_on_grid(grid, weights); });
    expect_error(Fault::bad_argument, sentence, [&] { exchange.energy(occupied, s.kernel, s.psi, weights); });
  };
  auto weights = s.weights;
  if (last()) weights[3] = std::numeric_limits<double>::infinity();
  expect_fault(weights, "exact exchange: weight 3 is not a finite number (inf)");
  if (ranks() == 1) return;
  weights[3] = last() ? 2 : 1;
  expect_fault(weights, ": weights differs between rank ");
}

TEST(ExactExchangeFaults, OfOrbitalsOfOtherObjects) {
  const Sample s;
  auto exchange = s.make();
  const auto expect_foreign = [&](const OccupiedOrbitals<Complex>& occupied) {
    auto out = s.out;
    expect_error(Fault::bad_argument, "exact exchange: the occupied orbitals have another communicator, grid, ",
                 [&] { exchange.apply(occupied, s.kernel, s.psi, out, 5); });
    expect_error(Fault::bad_argument, "exact exchange: the occupied orbitals have another communicator, grid, ",
                 [&] { exchange.energy(occupied, s.kernel, s.psi, s.weights); });
    expect_error(Fault::bad_argument, "exact exchange: the occupied orbitals have another communicator, grid, ",
                 [&] { exchange.apply_to_occupied(occupied, s.kernel, out); });
  };
  ExactExchange<Complex> larger(MPI_COMM_WORLD, {6, 6, 8}, s.waves, s.density_waves);
  expect_foreign(larger.occupied(s.psi, s.weights));
  auto spinors = s.make({.fft = {.components = 2}});
  auto two = s.psi;
  two.insert(two.end(), s.psi.begin(), s.psi.end());
  expect_foreign(spinors.occupied(two, s.weights));
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  {
    auto same = s.make({}, other);
    expect_foreign(same.occupied(s.psi, s.weights));
  }
  MPI_Comm_free(&other);
  if (ranks() == 1) return;
  auto grouped = s.make({.fft = {.band_groups = ranks()}});
  expect_foreign(grouped.occupied(s.psi, s.weights));
}

TEST(ExactExchangeFaults, OfObjectsThatAreGone) {
  Sample s;
  auto exchange = s.make();
  auto occupied = exchange.occupied(s.psi, s.weights);
  const auto kept = std::move(occupied);
  expect_error(Fault::bad_argument, "exact exchange: these occupied orbitals are moved from",
               [&] { exchange.apply(occupied, s.kernel, s.psi, s.out, 5); });
  exchange.close();
  exchange.close();  // no effect
  const std::string closed = "exact exchange: this object is closed or moved from: create another";
  expect_error(Fault::bad_argument, closed, [&] { exchange.apply(kept, s.kernel, s.psi, s.out, 5); });
  expect_error(Fault::bad_argument, closed, [&] { exchange.grid_box(); });
}

TEST(ExactExchangeFaults, OfMpiReachAll) {
  if (ranks() == 1) GTEST_SKIP() << "needs messages between band groups";
  Sample s;
  auto exchange = s.make({.fft = {.policy = {.algorithm = Algorithm::alltoallv}, .band_groups = ranks()}});
  const auto occupied = exchange.occupied(s.psi, s.weights);
  for (const std::string call : {"MPI_Isend", "MPI_Irecv"}) {
    if (rank() == 1) mpi_profile::fail_next(call);
    expect_error(Fault::mpi, call + " failed: ", [&] { exchange.apply(occupied, s.kernel, s.psi, s.out, 5); });
  }
  exchange.apply(occupied, s.kernel, s.psi, s.out, 5);  // the object still works
}

}  // namespace
}  // namespace seiche::testing
