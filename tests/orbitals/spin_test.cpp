// SPDX-License-Identifier: BSD-3-Clause
/// \file  Spin under symmetry: spinors about threefold and sixfold axes against exp(-i angle n.sigma / 2), and which
/// set of bands each k-point of a magnet's full zone comes from, against models whose energies are known everywhere.
#include <cmath>
#include <numbers>

#include "seiche/density.hpp"
#include "seiche/selection.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_close;
using Complex = std::complex<double>;
using Spin = std::array<std::array<Complex, 2>, 2>;

const SymmetryOperation identity{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false};

std::vector<Complex> flat(const Spin& s) { return {s[0][0], s[0][1], s[1][0], s[1][1]}; }

/// exp(-i angle n.sigma / 2) = cos(angle / 2) - i sin(angle / 2) n.sigma
std::vector<Complex> turn_about(const Vector3& n, double angle) {
  const double c = std::cos(angle / 2), s = std::sin(angle / 2);
  return {{c, -s * n[2]}, {-s * n[1], -s * n[0]}, {s * n[1], -s * n[0]}, {c, s * n[2]}};
}

/// Of a matrix and its negative, that which is nearer to `wanted`.
std::vector<Complex> with_sign_of(std::vector<Complex> matrix, const std::vector<Complex>& wanted) {
  double same = 0;
  for (std::size_t i = 0; i < 4; ++i) same += (std::conj(matrix[i]) * wanted[i]).real();
  for (Complex& x : matrix) x *= same < 0 ? -1.0 : 1.0;
  return matrix;
}

/// A hexagonal cell whose sixfold axis is the cartesian axis `up`, and its rotations by axis and angle.
struct Hexagonal {
  explicit Hexagonal(std::size_t up) : up_(up) {
    crystal.lattice = {{turned({4, 0, 0}), turned({-2, 2 * std::sqrt(3.0), 0}), turned({0, 0, 7})}};
    SymmetryOperation sixfold = identity, twofold = identity;
    sixfold.rotation = {{{1, -1, 0}, {1, 0, 0}, {0, 0, 1}}};    // a1 to a1 + a2, a2 to -a1
    twofold.rotation = {{{1, -1, 0}, {0, -1, 0}, {0, 0, -1}}};  // about a1: a2 to -a1 - a2
    SymmetryOperation power = identity;
    for (int n = 0; n < 6; ++n, power = product(sixfold, power)) {
      const double angle = n * std::numbers::pi / 3;
      rotations.push_back({power, turn_about(turned({0, 0, 1}), angle)});
      const Vector3 axis = turned({std::cos(angle / 2), std::sin(angle / 2), 0});
      rotations.push_back({product(power, twofold), turn_about(axis, std::numbers::pi)});
    }
  }
  Vector3 turned(const Vector3& v) const {
    Vector3 w{};
    for (std::size_t i = 0; i < 3; ++i) w[(i + up_ + 1) % 3] = v[i];
    return w;
  }

  struct Known {
    SymmetryOperation operation;
    std::vector<Complex> spin;
  };
  Crystal crystal;
  std::vector<Known> rotations;

 private:
  std::size_t up_;
};

TEST(Spin, TurnsAboutSixfoldAxesByAxisAndAngle) {
  for (const std::size_t up : {0U, 1U, 2U}) {
    const Hexagonal cell(up);
    for (const auto& [operation, expected] : cell.rotations) {
      const auto found = flat(spin_matrix(cell.crystal, operation));
      expect_close<Complex>(with_sign_of(found, expected), expected, 1e-14);
      SymmetryOperation improper = operation;  // spins do not see the inversion
      for (auto& row : improper.rotation) {
        for (int& number : row) number = -number;
      }
      testing::expect_equal(flat(spin_matrix(cell.crystal, improper)), found);
    }
  }
}

/// Time reversal takes a spinor to i sigma_y of its conjugate.
TEST(Spin, TimeReversalFollowsTheTurn) {
  const Hexagonal cell(2);
  for (const auto& [operation, turn] : cell.rotations) {
    SymmetryOperation reversed = operation;
    reversed.time_reversal = true;
    const std::vector<Complex> expected{std::conj(turn[2]), std::conj(turn[3]), -std::conj(turn[0]),
                                        -std::conj(turn[1])};
    const auto found = flat(spin_matrix(cell.crystal, reversed));
    expect_close<Complex>(with_sign_of(found, expected), expected, 1e-14);
  }
}

TEST(Spin, ProductsOfTurnsAreTheTurnsOfProducts) {
  for (const std::size_t up : {0U, 1U, 2U}) {
    const Hexagonal cell(up);
    for (const auto& a : cell.rotations) {
      for (const auto& b : cell.rotations) {
        const Spin s = spin_matrix(cell.crystal, a.operation), t = spin_matrix(cell.crystal, b.operation);
        std::vector<Complex> both;
        for (std::size_t i = 0; i < 2; ++i) {
          for (std::size_t j = 0; j < 2; ++j) both.push_back(s[i][0] * t[0][j] + s[i][1] * t[1][j]);
        }
        const auto at_once = flat(spin_matrix(cell.crystal, product(a.operation, b.operation)));
        expect_close<Complex>(with_sign_of(at_once, both), both, 1e-14);
      }
    }
  }
}

/// <sigma> of a spinor turns as an axial vector, and time reversal turns it round.
TEST(Spin, TurnsAsItsMagnetisation) {
  const Crystal crystal = WaveFile(MPI_COMM_WORLD, testing::data_set("fe_so")).header().crystal;
  const auto moment = [](const Complex& u, const Complex& d) {
    const Complex ud = std::conj(u) * d;
    return Vector3{2 * ud.real(), 2 * ud.imag(), std::norm(u) - std::norm(d)};
  };
  const Complex up(0.3, -0.5), down(0.7, 0.4);
  const Vector3 before = moment(up, down);
  const auto b = crystal.reciprocal();
  auto operations = find_operations(crystal);
  EXPECT_EQ(operations.size(), 48U);
  for (SymmetryOperation& operation : operations) {
    const auto& r = operation.rotation;
    const int det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                    r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                    r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    // In units of the lattice a vector v has the numbers v.b / 2 pi, which R turns.
    Vector3 in_lattice{}, expected{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) in_lattice[i] += b[i][j] * before[j] / (2 * std::numbers::pi);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t x = 0; x < 3; ++x) expected[x] += det * crystal.lattice[i][x] * r[i][j] * in_lattice[j];
      }
    }
    for (const bool reversed : {false, true}) {
      operation.time_reversal = reversed;
      const auto s = spin_matrix(crystal, operation);
      const Complex u = reversed ? std::conj(up) : up, d = reversed ? std::conj(down) : down;
      const Vector3 after = moment(s[0][0] * u + s[0][1] * d, s[1][0] * u + s[1][1] * d);
      Vector3 wanted = expected;
      if (reversed) {
        for (double& x : wanted) x = -x;
      }
      expect_close<double>(after, wanted, 1e-14);
    }
  }
}

/// Two sets of bands whose energies are known at every k: even in k, as without spin-orbit coupling.
struct Magnet {
  using Energy = double (*)(int spin, const Vector3& k);

  Magnet(Energy energy_of, const std::vector<Vector3>& kpoints) : energy(energy_of) {
    header.crystal.lattice = {{{5, 0, 0}, {0, 5, 0}, {0, 0, 8}}};
    header.spins = 2;
    header.magnetism = Magnetism::collinear;
    header.bands = 1;
    for (const Vector3& k : kpoints) header.kpoints.push_back({k, 1.0 / static_cast<double>(kpoints.size()), 10});
    for (const int spin : {0, 1}) {
      for (const Vector3& k : kpoints) {
        header.energies.push_back(energy(spin, k));
        header.occupations.push_back(spin == 0 ? 1 : 0.5);
      }
    }
  }

  /// Every state of `map` has the energy that its spin has at its k-point, and comes from a state that had it.
  void expect_energies(const KStarMap& map) const {
    for (int spin = 0; spin < 2; ++spin) {
      for (int k = 0; k < static_cast<int>(map.header.kpoints.size()); ++k) {
        const std::size_t state = map.header.state(spin, k, 0);
        const double wanted = energy(spin, map.header.kpoints[static_cast<std::size_t>(k)].k);
        EXPECT_NEAR(map.header.energies[state], wanted, 1e-14) << "spin " << spin << ", k-point " << k;
        const ParentState& from = map.parent_states[state];
        EXPECT_NEAR(energy(from.spin, header.kpoints[static_cast<std::size_t>(from.k)].k), wanted, 1e-14);
        EXPECT_EQ(map.header.occupations[state], header.occupations[header.state(from.spin, from.k, 0)]);
        compared(3);
      }
    }
  }

  Energy energy;
  OrbitalHeader header;
};

constexpr double whole_turn = 2 * std::numbers::pi;

/// A quarter turn takes one sublattice to the other, whose moment is opposite: it is a symmetry with time reversal
/// only.
TEST(Spin, OperationsWithTimeReversalSwapUpAndDown) {
  const auto energy = [](int spin, const Vector3& k) {
    const double x = std::cos(whole_turn * k[0]), y = std::cos(whole_turn * k[1]);
    return x + y + (spin == 0 ? 0.4 : -0.4) * (x - y) + 0.1 * std::cos(whole_turn * k[2]);
  };
  const Magnet magnet(energy, {{0.1, 0.3, 0.2}});
  SymmetryOperation quarter = identity, half = identity, three_quarters = identity;
  quarter.rotation = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
  quarter.time_reversal = three_quarters.time_reversal = true;
  half.rotation = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
  three_quarters.rotation = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}};
  const KStarMap zone = full_zone(magnet.header, {identity, quarter, half, three_quarters});
  EXPECT_EQ(zone.header.kpoints.size(), 8U);
  magnet.expect_energies(zone);
  Magnet whole = magnet;
  whole.header = zone.header;
  for (const SymmetryOperation& operation : {quarter, half, three_quarters}) {
    whole.expect_energies(moved(zone.header, operation));
  }
}

/// Bands of one spin at a k-point that only such an operation makes are those of the other spin elsewhere.
TEST(Spin, OneSpinAloneKeepsWhatDoesNotExchangeThem) {
  const auto energy = [](int, const Vector3&) { return 0.0; };
  SymmetryOperation quarter = identity, half = identity, three_quarters = identity;
  quarter.rotation = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
  quarter.time_reversal = three_quarters.time_reversal = true;
  half.rotation = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
  three_quarters.rotation = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}};
  Magnet magnet(energy, {{0.1, 0.3, 0.2}});
  magnet.header.crystal.operations = {identity, quarter, half, three_quarters};
  const Selection down{{}, {}, {1}};
  testing::expect_error(Fault::unsupported, "its symmetry maps spin up to spin down",
                        [&] { selected(magnet.header, down); });
  OrbitalHeader zone = full_zone(magnet.header, magnet.header.crystal.operations).header;
  zone.crystal.operations = magnet.header.crystal.operations;
  const OrbitalHeader whole = selected(zone, down);
  EXPECT_EQ(whole.kpoints.size(), 8U);
  EXPECT_EQ(whole.crystal.operations.size(), 2U);
  for (const SymmetryOperation& operation : whole.crystal.operations) EXPECT_FALSE(operation.time_reversal);
  EXPECT_EQ(selected(magnet.header, {}).crystal.operations.size(), 4U);
  compared(5);
}

/// So it is with the density of one spin.
TEST(Spin, OneSpinsDensityIsNotAveragedOverBoth) {
  const WaveFile file(MPI_COMM_WORLD, testing::data_file("abinit/spin/WFK"));
  Orbitals orbitals = read_orbitals(file, {{1, 1, testing::ranks()}});
  for (SymmetryOperation& operation : orbitals.header.crystal.operations) {
    operation.time_reversal = operation.rotation != identity.rotation;
  }
  DensityOptions options;
  options.occupations = filled(orbitals.header, {{{}, {}, {0}}, {}, {}});
  testing::expect_error(Fault::unsupported, "one spin alone is incomplete", [&] { density_of(orbitals, options); });
  options.symmetric = false;
  const Density density = density_of(orbitals, options);
  EXPECT_EQ(density.components.size(), 2U);
  compared(1);
}

/// -k comes from k by conjugation, which leaves each spin its bands.
TEST(Spin, WithoutInversionUpStaysUp) {
  const auto energy = [](int spin, const Vector3& k) {
    return std::cos(whole_turn * k[0]) + (spin == 0 ? 0.3 : -0.2) * std::cos(whole_turn * (k[1] - k[2]));
  };
  const Magnet magnet(energy, {{0.1, 0.3, 0.2}, {0.25, 0.05, 0.4}});
  const KStarMap zone = full_zone(magnet.header, {identity});
  EXPECT_EQ(zone.header.kpoints.size(), 4U);
  magnet.expect_energies(zone);
}

}  // namespace
}  // namespace seiche
