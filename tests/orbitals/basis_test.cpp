// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in other bases: exact where they must be, close to converged ones, and orthonormal on request.
#include "seiche/basis.hpp"
#include "seiche/wavefile.hpp"

#include <array>
#include <cmath>

#include "support/data.hpp"
#include "support/waves.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;
using testing::in_memory;
using Complex = std::complex<double>;

OrbitalGrid some_grid() {
  const auto grids = testing::grids(testing::ranks());
  return grids[grids.size() / 2];
}

/// All coefficients as (wave, numbers of all bands), however they are ordered.
Orbitals in_order_of(const Orbitals& orbitals, const std::vector<std::vector<Miller>>& order) {
  BasisRequest request;
  request.waves = order;
  return reassign(orbitals, request).orbitals;
}

TEST(Basis, AHigherCutoffAndBackIsExact) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set)), alone(MPI_COMM_SELF, data_set(set));
    const Orbitals before = in_memory(MPI_COMM_WORLD, file, some_grid());
    BasisRequest up, down;
    up.cutoff = 1.5 * file.header().cutoff;
    down.cutoff = file.header().cutoff;
    const Reassigned there = reassign(before, up);
    const Reassigned back = reassign(there.orbitals, down);
    for (std::size_t k = 0; k < there.added.size(); ++k) {
      EXPECT_GT(there.added[k], 0);
      EXPECT_EQ(there.left_out[k], 0);
      EXPECT_EQ(back.left_out[k], there.added[k]);
      EXPECT_EQ(back.added[k], 0);
    }
    for (const double lost : back.norm_lost) EXPECT_EQ(lost, 0);
    EXPECT_EQ(back.orbitals.header.grid, file.header().grid);
    EXPECT_EQ(back.orbitals.header.density_waves, file.header().density_waves);
    testing::expect_parts_of(in_order_of(back.orbitals, testing::waves_of_file(file)),
                             in_memory(MPI_COMM_SELF, alone, {1, 1, 1}));
  }
}

/// The density of a new cut-off, by a loop over a generous box of indices: how many waves it has, and the smallest grid
/// of factors 2, 3 and 5 that holds them all.
TEST(Basis, ANewCutoffHasTheGridOfItsDensity) {
  const WaveFile file(MPI_COMM_WORLD, data_set("gamma"));
  BasisRequest up;
  up.cutoff = 1.3 * file.header().cutoff;
  const OrbitalHeader made = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), up).orbitals.header;
  EXPECT_NEAR(made.density_cutoff, 1.3 * file.header().density_cutoff, 1e-12);
  const auto b = made.crystal.reciprocal();
  std::array<std::int64_t, 3> reach{};
  std::int64_t waves = 0;
  for (std::int64_t x = -60; x <= 60; ++x) {
    for (std::int64_t y = -60; y <= 60; ++y) {
      for (std::int64_t z = -60; z <= 60; ++z) {
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          square += std::pow(double(x) * b[0][i] + double(y) * b[1][i] + double(z) * b[2][i], 2);
        }
        if (square / 2 > made.density_cutoff) continue;
        reach = {std::max(reach[0], x), std::max(reach[1], y), std::max(reach[2], z)};
        ++waves;
      }
    }
  }
  EXPECT_TRUE(made.half_sphere);
  EXPECT_EQ(made.density_waves, (waves + 1) / 2);
  const std::array grid{made.grid.nx, made.grid.ny, made.grid.nz};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(reach[i], 60) << "the box of indices is too small for this test";
    std::int64_t n = 2 * reach[i] + 1, rest = 0;
    do {
      rest = n++;
      for (const std::int64_t factor : {2, 3, 5}) {
        while (rest % factor == 0) rest /= factor;
      }
    } while (rest != 1);
    EXPECT_EQ(grid[i], n - 1);
  }
  EXPECT_NE(made.grid, file.header().grid);
  compared(6);
}

/// Where nothing is lost, overlaps of bands with themselves stay those of orthonormal bands.
TEST(Basis, ALowerCutoffLosesNormAndItIsSaid) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const OrbitalHeader& h = file.header();
    BasisRequest request;
    request.cutoff = 0.6 * h.cutoff;
    const Reassigned cut = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), request);
    const auto s = overlaps(cut.orbitals, cut.orbitals);
    for (std::size_t state = 0; state < s.size(); ++state) {
      for (std::size_t b = 0; b < static_cast<std::size_t>(h.bands); ++b) {
        const double lost = cut.norm_lost[state * static_cast<std::size_t>(h.bands) + b];
        EXPECT_GT(lost, 1e-7);
        EXPECT_NEAR(s[state][b * static_cast<std::size_t>(h.bands) + b].real(), 1 - lost, 1e-13);
        compared();
      }
    }
  }
}

double largest_deviation_from_unity(const Orbitals& orbitals) {
  const auto n = static_cast<std::size_t>(orbitals.header.bands);
  double worst = 0;
  for (const auto& s : overlaps(orbitals, orbitals)) {
    for (std::size_t i = 0; i < s.size(); ++i) worst = std::max(worst, std::abs(s[i] - (i / n == i % n ? 1.0 : 0.0)));
    compared(static_cast<std::int64_t>(s.size()));
  }
  return worst;
}

TEST(Basis, BandsAreMadeOrthonormalWithTheSameBitsHoweverTheyAreSpread) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set)), alone(MPI_COMM_SELF, data_set(set));
    for (const Orthonormal how : {Orthonormal::loewdin, Orthonormal::cholesky}) {
      BasisRequest request;
      request.cutoff = 0.6 * file.header().cutoff;
      request.orthonormal = how;
      if (how == Orthonormal::cholesky) request.bands = file.header().bands + 3;
      const Orbitals ours = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), request).orbitals;
      EXPECT_LE(largest_deviation_from_unity(ours), 1e-13) << set;
      testing::expect_parts_of(ours, reassign(in_memory(MPI_COMM_SELF, alone, {1, 1, 1}), request).orbitals);
    }
  }
}

/// Loewdin's bands are the closest orthonormal ones: their overlaps with the old ones are S^(1/2), hermitian.
/// Cholesky's first band is the old one, only longer.
TEST(Basis, EachWayOfOrthonormalisingIsWhatItSays) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const auto n = static_cast<std::size_t>(file.header().bands);
  BasisRequest request;
  request.cutoff = 0.6 * file.header().cutoff;
  const Orbitals cut = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), request).orbitals;
  for (const auto& s : overlaps(cut, orthonormalized(cut, Orthonormal::loewdin))) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) EXPECT_LE(std::abs(s[i * n + j] - std::conj(s[j * n + i])), 1e-14);
    }
    compared(static_cast<std::int64_t>(n * n));
  }
  for (const auto& s : overlaps(cut, orthonormalized(cut, Orthonormal::cholesky))) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) EXPECT_LE(std::abs(s[i * n + j]), 1e-14) << "a later band mixed in";
      compared();
    }
  }
}

/// Occupied bands of small silicon, taken to another basis, beside those that converged in it.
void expect_near_converged(const char* other, double at_least) {
  if (data_set(other).empty()) GTEST_SKIP() << other << " is not here; set SEICHE_SHARED";
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small")), converged(MPI_COMM_WORLD, data_set(other));
  BasisRequest request = basis_like(converged.header());
  request.waves = testing::waves_of_file(converged);
  request.bands = 4;
  const Orbitals start = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), request).orbitals;
  EXPECT_EQ(start.header.grid, converged.header().grid);
  BasisRequest occupied;
  occupied.bands = 4;
  occupied.waves = request.waves;
  const Orbitals wanted = reassign(in_memory(MPI_COMM_WORLD, converged, some_grid()), occupied).orbitals;
  for (const auto& s : overlaps(start, wanted)) {
    const double overlap = smallest_singular_value(s, 4, 4);
    EXPECT_GT(overlap, at_least) << other;
    EXPECT_LT(overlap, 1 - 1e-9) << other << " is another calculation";
    compared();
  }
}

TEST(Basis, StartsNearWhatConvergesInAHigherCutoff) { expect_near_converged("si_ecut2", 0.99); }
TEST(Basis, StartsNearWhatConvergesInAStrainedCell) { expect_near_converged("si_cell2", 0.99); }

/// The grid that a code chose for its cut-off and cell is the one chosen here, or larger: codes count waves by a bound.
class OfACode : public testing::EachSet {};
TEST_P(OfACode, GridsAreNoLargerThanTheCodes) {
  const WaveFile file(MPI_COMM_WORLD, data_set(GetParam()));
  BasisRequest request;
  request.cutoff = file.header().cutoff;
  const Reassigned same = reassign(in_memory(MPI_COMM_WORLD, file, some_grid()), request);
  const GridShape &grid = same.orbitals.header.grid, &theirs = file.header().grid;
  EXPECT_TRUE(grid.nx <= theirs.nx && grid.ny <= theirs.ny && grid.nz <= theirs.nz);
  EXPECT_TRUE(grid == theirs || std::string(GetParam()) == "si_ecut2");
  EXPECT_EQ(same.orbitals.header.density_waves, file.header().density_waves);
  for (std::size_t k = 0; k < same.added.size(); ++k) EXPECT_EQ(same.added[k] + same.left_out[k], 0);
  compared(2);
}
INSTANTIATE_TEST_SUITE_P(Basis, OfACode,
                         ::testing::Values("si_small", "si_ecut2", "si_cell2", "gamma", "fe_so", "al2o3_prim"),
                         testing::name_of_set);

TEST(Basis, FewerBandsAreTheFirstOnes) {
  const WaveFile file(MPI_COMM_WORLD, data_set("fe_so")), alone(MPI_COMM_SELF, data_set("fe_so"));
  BasisRequest request;
  request.bands = 5;
  request.waves = testing::waves_of_file(file);
  for (const OrbitalGrid& grid : testing::grids(testing::ranks())) {
    const Orbitals fewer = reassign(in_memory(MPI_COMM_WORLD, file, grid), request).orbitals;
    Orbitals whole = in_memory(MPI_COMM_SELF, alone, {1, 1, 1});
    whole.header.energies = fewer.header.energies;
    whole.header.occupations = fewer.header.occupations;
    testing::expect_parts_of(fewer, whole);
    EXPECT_EQ(fewer.header.energies.size(), 5 * file.header().kpoints.size());
    EXPECT_EQ(fewer.header.energies[5], file.header().energies[28]);
  }
}

TEST(Basis, BadRequestsAreNamed) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = in_memory(MPI_COMM_WORLD, file, some_grid());
  const auto refuse = [&](const std::string& part, const auto& change) {
    BasisRequest request;
    change(request);
    expect_error(Fault::bad_argument, part, [&] { reassign(orbitals, request); });
  };
  refuse("the cutoff must be positive (got -1 hartree)", [](BasisRequest& r) { r.cutoff = -1; });
  refuse("no wave of k-point", [](BasisRequest& r) { r.cutoff = 1e-9, r.waves.resize(8); });
  refuse("the new cell has another lattice type", [](BasisRequest& r) {
    r.lattice = {{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}};
  });
  refuse("differs by 50 %", [&](BasisRequest& r) {
    r.lattice = file.header().crystal.lattice;
    for (auto& a : *r.lattice) {
      for (double& x : a) x *= 1.5;
    }
  });
  refuse("has no volume", [](BasisRequest& r) { r.lattice = {{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}; });
  refuse("the number of bands must be positive (got 0)", [](BasisRequest& r) { r.bands = 0; });
  refuse("add bands with Cholesky orthonormalization", [](BasisRequest& r) { r.bands = 9; });
  refuse("choose a larger grid", [](BasisRequest& r) { r.grid = GridShape{4, 20, 20}; });
  refuse("(2 lists, 8 k-points): give one list per k-point", [](BasisRequest& r) { r.waves.resize(2, {{}}); });
  refuse("bands are linearly dependent", [](BasisRequest& r) {
    r.waves.assign(8, {{0, 0, 0}, {1, 0, 0}});
    r.orthonormal = Orthonormal::loewdin;
  });
  Orbitals soft = orbitals;
  soft.header.norm_conserving = NormConserving::no;
  expect_error(Fault::unsupported, "keep the bands as they are", [&] { orthonormalized(soft, Orthonormal::loewdin); });
  Orbitals doubled = orbitals;
  for (OrbitalPart& part : doubled.parts) {
    for (Complex& c : part.coefficients) c *= 3;
  }
  expect_error(Fault::bad_argument, "bands must have norm 1", [&] { overlaps(doubled, doubled); });
  const WaveFile other(MPI_COMM_WORLD, data_set("gamma"));
  expect_error(Fault::bad_argument, "different k-points",
               [&] { overlaps(orbitals, in_memory(MPI_COMM_WORLD, other, some_grid())); });
  BasisRequest request;
  request.cutoff = 3;
  expect_error(Fault::bad_argument, "overlaps need the same waves",
               [&] { overlaps(orbitals, reassign(orbitals, request).orbitals); });
}

}  // namespace
}  // namespace seiche
