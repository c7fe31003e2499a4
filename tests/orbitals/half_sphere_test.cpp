// SPDX-License-Identifier: BSD-3-Clause
/// \file  Half spheres under symmetry: a real function turned as its half is what it is turned as a whole, under every
/// operation of a crystal, spread in any way. No set has a half sphere and more operations than the identity, so the
/// functions are made here, and compared with whole spheres and with sums over waves.
#include <cmath>
#include <map>
#include <numbers>

#include "seiche/symmetry.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/waves.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::ScratchDirectory;
using Complex = std::complex<double>;

using Values = std::map<std::array<std::int32_t, 3>, Complex>;
std::array<std::int32_t, 3> key(const Miller& g) { return {g.x, g.y, g.z}; }

/// A number for each wave and band that nothing relates to those of others but c(-G) = conj c(G).
Complex value_of(const Miller& g, int band) {
  if (!in_half(g)) return std::conj(value_of({-g.x, -g.y, -g.z}, band));
  const double phase = 1.7 * g.x - 2.3 * g.y + 0.9 * g.z + 0.37 * g.x * g.y - 0.61 * g.y * g.z + band;
  const double size = 1 / (1.0 + g.x * g.x + g.y * g.y + g.z * g.z);
  return g == Miller{} ? Complex(size) : std::polar(size, phase * phase);
}

/// Silicon's or corundum's crystal, its waves at k = 0, and its operations without and with time reversal.
struct Case {
  explicit Case(const char* set) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    header = file.header();
    EXPECT_EQ(header.kpoints[0].k, Vector3{}) << set;
    whole = file.waves(0, 0, {0, header.kpoints[0].plane_waves});
    for (const Miller& g : whole) {
      if (in_half(g)) half.push_back(g);
    }
    EXPECT_EQ(2 * half.size() - 1, whole.size());
    for (SymmetryOperation operation : header.crystal.operations) {
      operations.push_back(operation);
      operation.time_reversal = true;
      operations.push_back(operation);
    }
  }
  /// The function of `waves` after an operation.
  Values turned(const SymmetryOperation& operation, const std::vector<Miller>& waves, bool is_half) const {
    const PlaneWaveImage image = image_of(header.crystal, {operation, {}, {}, 1, is_half}, waves);
    std::vector<Complex> c;
    for (const Miller& g : waves) c.push_back(value_of(g, 0));
    apply(image, 1, c, c);
    Values values;
    for (std::size_t i = 0; i < c.size(); ++i) values[key(image.waves[i])] = c[i];
    EXPECT_EQ(values.size(), waves.size()) << "two waves went to one place";
    return values;
  }
  OrbitalHeader header;
  std::vector<Miller> whole, half;
  std::vector<SymmetryOperation> operations;
};

class EachCrystal : public testing::EachSet {};

TEST_P(EachCrystal, AHalfTurnsAsTheWholeDoes) {
  const Case made(GetParam());
  EXPECT_GT(made.operations.size(), 2U);
  std::int64_t opposite = 0;
  for (const SymmetryOperation& operation : made.operations) {
    const Values whole = made.turned(operation, made.whole, false), half = made.turned(operation, made.half, true);
    double worst = 0;
    for (const auto& [g, c] : half) {
      EXPECT_TRUE(in_half({g[0], g[1], g[2]}));
      worst = std::max(worst, std::abs(c - whole.at(g)));
    }
    EXPECT_LE(worst, 1e-15);
    compared(static_cast<std::int64_t>(half.size()));
    const PlaneWaveImage image = image_of(made.header.crystal, {operation, {}, {}, 1, true}, made.half);
    for (const bool yes : image.opposite) opposite += yes;
  }
  EXPECT_GT(opposite, 0) << "no wave left its half: nothing was shown";
}

TEST_P(EachCrystal, TheInverseBringsAHalfBack) {
  const Case made(GetParam());
  for (const SymmetryOperation& operation : made.operations) {
    std::vector<Complex> c;
    for (const Miller& g : made.half) c.push_back(value_of(g, 0));
    const std::vector<Complex> before = c;
    const PlaneWaveImage there = image_of(made.header.crystal, {operation, {}, {}, 1, true}, made.half);
    const PlaneWaveImage back = image_of(made.header.crystal, {inverse(operation), {}, {}, 1, true}, there.waves);
    apply(there, 1, c, c);
    apply(back, 1, c, c);
    EXPECT_EQ(back.waves, made.half);
    testing::expect_close<Complex>(c, before, 1e-14);
  }
}

/// The value at R x + t after the operation is that at x before, by direct sums over G and -G.
TEST_P(EachCrystal, ARealFunctionIsMovedWithItsPoints) {
  const Case made(GetParam());
  const auto sum = [](const Values& values, const Vector3& x) {
    double total = 0;
    for (const auto& [g, c] : values) {
      const double turn = g[0] * x[0] + g[1] * x[1] + g[2] * x[2];
      const double real = (c * std::polar(1.0, 2 * std::numbers::pi * turn)).real();
      total += key(Miller{}) == g ? real : 2 * real;
    }
    return total;
  };
  const Vector3 x{0.13, -0.41, 0.29};
  const Values before = made.turned({{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false}, made.half, true);
  for (const SymmetryOperation& operation : made.operations) {
    Vector3 moved = operation.translation;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) moved[i] += operation.rotation[i][j] * x[j];
    }
    EXPECT_NEAR(sum(made.turned(operation, made.half, true), moved), sum(before, x), 1e-11);
    compared();
  }
}

/// Half spheres in memory, spread in every way: the bits of one rank alone, and the numbers of the whole sphere.
TEST_P(EachCrystal, SpreadHalvesTurnAlike) {
  const Case made(GetParam());
  const int bands = 5;
  const auto waves_on = [&](MPI_Comm comm) {
    Orbitals orbitals{Communicator(comm), made.header, {}};
    orbitals.header.half_sphere = true;
    orbitals.header.spins = orbitals.header.spinor = 1;
    orbitals.header.bands = bands;
    orbitals.header.kpoints = {{{}, 1, static_cast<std::int64_t>(made.half.size())}};
    orbitals.header.occupations.assign(bands, 1);
    orbitals.header.energies = {0, 1, 2, 3, 4};
    const Range mine = block(std::ssize(made.half), orbitals.comm.size(), orbitals.comm.rank());
    OrbitalPart part{0, 0, {0, bands}, {mine}, {made.half.begin() + mine.low, made.half.begin() + mine.high}, {}};
    for (int band = 0; band < bands; ++band) {
      for (const Miller& g : part.waves) part.coefficients.push_back(value_of(g, band));
    }
    if (!mine.empty()) orbitals.parts.push_back(std::move(part));
    return orbitals;
  };
  const Orbitals alone = waves_on(MPI_COMM_SELF), together = waves_on(MPI_COMM_WORLD);
  const auto grids = testing::grids(testing::ranks());
  for (std::size_t i = 0; i < made.operations.size(); ++i) {
    const KStarMap map = moved(alone.header, made.operations[i]);
    const Orbitals expected = mapped(alone, map);
    testing::expect_parts_of(mapped(redistribute(together, {grids[i % grids.size()]}), map), expected);
    const Values whole = made.turned(made.operations[i], made.whole, false);
    for (std::size_t g = 0; g < expected.parts[0].waves.size(); ++g) {
      EXPECT_LE(std::abs(expected.parts[0].coefficients[g] - whole.at(key(expected.parts[0].waves[g]))), 1e-15);
    }
    compared();
  }
}

INSTANTIATE_TEST_SUITE_P(HalfSphere, EachCrystal, ::testing::Values("si_small", "al2o3_prim"), testing::name_of_set);

/// Bands of water as halves, and as a whole sphere at k = 0, by two runs: averaged over the molecule's operations they
/// are the same physics still.
TEST(HalfSphere, SymmetricBandsOfHalvesAreThoseOfWholeSpheres) {
  if (data_set("gamma_k").empty()) GTEST_SKIP() << "gamma_k is not here; set SEICHE_SHARED";
  const WaveFile half(MPI_COMM_WORLD, data_set("gamma")), whole(MPI_COMM_WORLD, data_set("gamma_k"));
  const auto operations = find_operations(half.header().crystal, 1e-3);
  EXPECT_GT(operations.size(), 1U) << "nothing but the identity: nothing was shown";
  const auto grids = testing::grids(testing::ranks());
  const Orbitals ours = symmetric_bands(testing::in_memory(MPI_COMM_WORLD, half, grids[grids.size() / 2]), operations);
  const Orbitals theirs = symmetric_bands(testing::in_memory(MPI_COMM_WORLD, whole, grids[0]), operations);
  const ScratchDirectory scratch;
  write_orbitals(ours, scratch.file("half.save"));
  write_orbitals(theirs, scratch.file("whole.save"));
  const Comparison comparison = compare(WaveFile(MPI_COMM_WORLD, scratch.file("half.save")),
                                        WaveFile(MPI_COMM_WORLD, scratch.file("whole.save")));
  EXPECT_EQ(comparison.difference, "");
  EXPECT_GT(comparison.worst().overlap, 1 - 1e-9);
  compared();
}

}  // namespace
}  // namespace seiche
