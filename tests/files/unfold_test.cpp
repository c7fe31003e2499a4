// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of a supercell that is made of a primitive cell's, so that their weights are known: each band of the 2
/// x 2 x 2 supercell at k = 0 is one of the 8 k-points of a mesh, but for two that are mixed by an angle.
#include <cmath>
#include <fstream>
#include <map>

#include "seiche/unfold.hpp"
#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

constexpr double angle = 0.3;

std::int32_t twice(double k, std::int32_t g) { return static_cast<std::int32_t>(std::lround(2 * (k + g))); }

/// The supercell of a file's k-points, all in memory. The first bands of the first two k-points are mixed.
Orbitals supercell_of(const WaveFile& file) {
  OrbitalHeader header = file.header();
  const std::size_t kpoints = header.kpoints.size();
  const int bands = header.bands;
  for (Vector3& a : header.crystal.lattice) {
    for (double& x : a) x *= 2;
  }
  header.crystal.operations = {{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false}};
  header.grid = {2 * header.grid.nx, 2 * header.grid.ny, 2 * header.grid.nz};
  header.bands = bands * static_cast<int>(kpoints);
  header.density_components = 0;
  header.electrons *= static_cast<double>(kpoints);
  std::vector<Miller> waves;
  std::vector<std::int64_t> first;
  for (const KPoint& point : header.kpoints) {
    first.push_back(std::ssize(waves));
    const auto k = static_cast<int>(&point - header.kpoints.data());
    for (const Miller& g : file.waves(0, k, {0, point.plane_waves})) {
      waves.push_back({twice(point.k[0], g.x), twice(point.k[1], g.y), twice(point.k[2], g.z)});
    }
  }
  header.kpoints = {{{0, 0, 0}, 1, std::ssize(waves)}};
  Orbitals made = make_orbitals(Communicator(MPI_COMM_WORLD), header, {waves}, {{1, 1, ranks()}});
  for (std::size_t k = 0; k < kpoints; ++k) {
    const Range all{0, file.header().kpoints[k].plane_waves};
    const auto c = file.coefficients(0, static_cast<int>(k), {0, bands}, all);
    const auto count = static_cast<std::size_t>(all.size()), rows = c.size() / count;
    for (OrbitalPart& part : made.parts) {
      for (std::size_t i = 0; i < part.waves.size(); ++i) {
        const std::int64_t place = part.positions[0].low + static_cast<std::int64_t>(i) - first[k];
        if (place < 0 || place >= all.size()) continue;
        for (std::size_t row = 0; row < rows; ++row) {
          part.coefficients[(k * rows + row) * part.waves.size() + i] =
              c[row * count + static_cast<std::size_t>(place)];
        }
      }
    }
  }
  for (OrbitalPart& part : made.parts) {
    const std::size_t row = part.waves.size() * static_cast<std::size_t>(header.spinor),
                      other = row * static_cast<std::size_t>(bands);
    for (std::size_t i = 0; i < row; ++i) {
      const Complex a = part.coefficients[i], b = part.coefficients[other + i];
      part.coefficients[i] = std::cos(angle) * a + std::sin(angle) * b;
      part.coefficients[other + i] = std::cos(angle) * b - std::sin(angle) * a;
    }
  }
  return made;
}

double within_zone(double k) { return k - std::floor(k + 1e-9); }

TEST(Unfold, WeightsOfASupercellThatIsMadeOfItsKPoints) {
  const ScratchDirectory scratch;
  const WaveFile primitive(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  const OrbitalHeader& h = primitive.header();
  write_orbitals(supercell_of(primitive), scratch.file("super.h5"));
  const WaveFile super(MPI_COMM_WORLD, scratch.file("super.h5"));
  const Table table = unfold(super, {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}});
  constexpr std::size_t columns = 13;  // those of spins among them
  ASSERT_EQ(table.columns.size(), columns);
  ASSERT_EQ(table.rows(), 8U * static_cast<std::size_t>(8 * h.bands));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double* value = &table.values[row * columns];
    const auto band = static_cast<std::size_t>(value[5]) - 1, k = band / static_cast<std::size_t>(h.bands);
    const auto at = [&](std::size_t number) {
      const Vector3& listed = h.kpoints[number].k;
      return std::abs(within_zone(listed[0]) - value[2]) + std::abs(within_zone(listed[1]) - value[3]) +
                 std::abs(within_zone(listed[2]) - value[4]) <
             1e-9;
    };
    double expected = at(k) ? 1 : 0;
    const bool mixed = band == 0 || band == static_cast<std::size_t>(h.bands);
    if (mixed && at(k)) expected = std::pow(std::cos(angle), 2);
    if (mixed && at(1 - k)) expected = std::pow(std::sin(angle), 2);
    EXPECT_NEAR(value[9], expected, 1e-9) << "band " << band;
    EXPECT_EQ(value[6], super.header().energies[band]);
    compared();
  }
}

/// A cell unfolds to itself, halves of spheres to both of each pair, and any matrix to as many k-points as it has
/// cells.
TEST(Unfold, SumsAndHalves) {
  for (const char* set : {"gamma", "si_small"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const Table same = unfold(file, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    ASSERT_EQ(same.rows(), file.header().energies.size());
    for (std::size_t row = 0; row < same.rows(); ++row) EXPECT_EQ(same.values[row * 10 + 9], 1);
    // as if the cell were a supercell: all waves are counted once, each with its k-point
    const Table odd = unfold(file, {{{1, 1, 0}, {-1, 1, 0}, {0, 1, -2}}});
    ASSERT_EQ(odd.rows(), 4 * file.header().energies.size());
    std::map<std::array<double, 2>, double> sums;
    for (std::size_t row = 0; row < odd.rows(); ++row) {
      sums[{odd.values[row * 10 + 1], odd.values[row * 10 + 5]}] += odd.values[row * 10 + 9];
      for (std::size_t i = 2; i < 5; ++i) {
        EXPECT_GE(odd.values[row * 10 + i], 0);
        EXPECT_LT(odd.values[row * 10 + i], 1 - 1e-9);
      }
    }
    for (const auto& [state, sum] : sums) EXPECT_NEAR(sum, 1, 1e-12);
    const OrbitalHeader& h = file.header();
    const Range all{0, h.kpoints[0].plane_waves};
    const auto waves = file.waves(0, 0, all);
    const auto c = file.coefficients(0, 0, {0, h.bands}, all);
    // M p = G; with a = p1, b = p2: x = a + b, y = b - a, z = b - 2 c: p whole or halves and quarters
    std::map<std::array<int, 3>, double> by_hand;
    for (std::size_t i = 0; i < waves.size(); ++i) {
      for (const int sign : {1, -1}) {
        if (sign < 0 && (!h.half_sphere || waves[i] == Miller{})) continue;
        const double x = sign * waves[i].x, y = sign * waves[i].y, z = sign * waves[i].z;
        const std::array p{(x - y) / 2, (x + y) / 2, ((x + y) / 2 - z) / 2};
        std::array<int, 3> place{};
        for (std::size_t j = 0; j < 3; ++j) place[j] = static_cast<int>(std::lround(4 * within_zone(p[j])));
        by_hand[place] += std::norm(c[i]);  // of band 1
      }
    }
    for (std::size_t row = 0; row < odd.rows(); ++row) {
      const double* value = &odd.values[row * 10];
      if (value[1] != 1 || value[5] != 1) continue;
      std::array<int, 3> place{};
      for (std::size_t j = 0; j < 3; ++j) place[j] = static_cast<int>(std::lround(4 * value[2 + j]));
      EXPECT_NEAR(value[9], by_hand[place], 1e-9);
      compared();
    }
  }
}

TEST(Unfold, RefusesWhatIsNoSupercell) {
  const WaveFile file(MPI_COMM_WORLD, data_set("gamma"));
  expect_error(Fault::bad_argument, "a supercell of 0 cells", [&] {
    unfold(file, {{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}});
  });
  expect_error(Fault::bad_argument, "a supercell of 27000 cells", [&] {
    unfold(file, {{{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}});
  });
}

}  // namespace
}  // namespace seiche
