// SPDX-License-Identifier: BSD-3-Clause
/// \file  What wannier90 is given, against sums over all waves by definition and integrals by quadrature. Whole files
/// are judged by wannier90 itself, in tests/foreign.
#include <cmath>
#include <map>

#include "orbitals/trial_orbitals.hpp"
#include "seiche/wannier_file.hpp"
#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;
using Matrix = WannierMatrices::Matrix;

// ------------------------------------------------------------------------------------------------ overlaps,
// projections

/// All k-points of a file, each with six neighbours: a step of the 2 x 2 x 2 mesh forth and back along each axis.
WannierRequest request_of(const OrbitalHeader& h, int mesh) {
  WannierRequest request{"by hand", h.crystal.lattice, {}, {}, {}, {}, {}};
  for (const KPoint& point : h.kpoints) request.kpoints.push_back(point.k);
  for (const Vector3& k : request.kpoints) {
    auto& list = request.neighbours.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const double step : {1.0 / mesh, -1.0 / mesh}) {
        Vector3 to = k;
        to[axis] += step;
        for (std::size_t n = 0; n < request.kpoints.size(); ++n) {
          std::array<int, 3> shift{};
          double off = 0;
          for (std::size_t i = 0; i < 3; ++i) {
            const double apart = to[i] - request.kpoints[n][i];
            shift[i] = static_cast<int>(std::lround(apart));
            off += std::abs(apart - shift[i]);
          }
          if (off < 1e-6) list.push_back({static_cast<int>(n), {shift[0], shift[1], shift[2]}});
        }
      }
    }
  }
  return request;
}

/// The coefficients of one k-point by wave, both of each pair of a half sphere: [component][band].
using ByWave = std::map<std::array<int, 3>, std::vector<Complex>>;
ByWave by_wave(const WaveFile& file, int k) {
  const OrbitalHeader& h = file.header();
  const Range all{0, h.kpoints[static_cast<std::size_t>(k)].plane_waves};
  const auto waves = file.waves(0, k, all);
  const auto c = file.coefficients(0, k, {0, h.bands}, all);
  ByWave found;
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const Miller& g = waves[i];
    auto& values = found[{g.x, g.y, g.z}];
    for (std::size_t row = 0; row < c.size() / waves.size(); ++row) values.push_back(c[row * waves.size() + i]);
  }
  if (h.half_sphere) {
    for (const Miller& g : waves) {
      if (g == Miller{}) continue;
      auto values = found[{g.x, g.y, g.z}];
      for (Complex& value : values) value = std::conj(value);
      found[{-g.x, -g.y, -g.z}] = values;
    }
  }
  return found;
}

void expect_overlaps_by_definition(const WaveFile& file, const WannierRequest& request, const WannierMatrices& found) {
  const OrbitalHeader& h = file.header();
  const auto bands = static_cast<std::size_t>(h.bands), spinor = static_cast<std::size_t>(h.spinor);
  for (std::size_t k = 0; k < request.kpoints.size(); ++k) {
    const ByWave left = by_wave(file, static_cast<int>(k));
    ASSERT_EQ(request.neighbours[k].size(), found.overlaps[k].size());
    for (std::size_t b = 0; b < request.neighbours[k].size(); ++b) {
      const auto& [to, shift] = request.neighbours[k][b];
      const ByWave right = by_wave(file, to);
      Matrix sums(bands * bands);
      for (const auto& [g, c] : left) {
        const auto other = right.find({g[0] + shift.x, g[1] + shift.y, g[2] + shift.z});
        if (other == right.end()) continue;
        for (std::size_t m = 0; m < bands; ++m) {
          for (std::size_t n = 0; n < bands; ++n) {
            for (std::size_t s = 0; s < spinor; ++s) {
              sums[m * bands + n] += std::conj(c[m * spinor + s]) * other->second[n * spinor + s];
            }
          }
        }
      }
      expect_close<Complex>(found.overlaps[k][b], sums, 1e-13);
    }
  }
}

/// A^H A
Matrix squares(const Matrix& a, std::size_t columns) {
  Matrix sums(columns * columns);
  for (std::size_t row = 0; row < a.size() / columns; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        sums[i * columns + j] += std::conj(a[row * columns + i]) * a[row * columns + j];
    }
  }
  return sums;
}
Matrix unit(std::size_t n) {
  Matrix one(n * n);
  for (std::size_t i = 0; i < n; ++i) one[i * (n + 1)] = 1;
  return one;
}

/// Ways back are taken from the way there; here one is missing, one neighbour is listed twice, one is the k-point.
TEST(Wannier, NeighboursMayBeListedOneWayOrTwice) {
  const WaveFile file(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  WannierRequest request = request_of(file.header(), 2);
  const auto last = request.neighbours.size() - 1;
  request.neighbours[0][0] = request.neighbours[0][1];
  request.neighbours[last][0] = {static_cast<int>(last), {0, 0, 0}};
  request.neighbours[last][1] = {static_cast<int>(last), {0, 0, 1}};
  request.neighbours[last][2] = {static_cast<int>(last), {0, 0, -1}};
  const WannierMatrices found = wannier_matrices(read_orbitals(file, {{1, ranks(), 1}}), request);
  expect_overlaps_by_definition(file, request, found);
}

TEST(Wannier, SpinorsOfAllKPoints) {
  const WaveFile file(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  WannierRequest request = request_of(file.header(), 2);
  request.trial_orbitals = {{.centre = {0.1, 0.2, 0.3}, .l = 1, .number = 2, .spin = 1},
                            {.centre = {0, 0, 0}, .l = -3, .number = 1, .spin = -1, .spin_axis = {1, 1, 0}}};
  const Orbitals orbitals = read_orbitals(file, {{1, ranks(), 1}});
  const WannierMatrices found = wannier_matrices(orbitals, request);
  expect_overlaps_by_definition(file, request, found);
  EXPECT_EQ(found.functions, 2);
  EXPECT_EQ(found.energies, file.header().energies);
  const auto bands = static_cast<std::size_t>(file.header().bands);
  for (std::size_t k = 0; k < request.kpoints.size(); ++k) {
    const ByWave waves = by_wave(file, static_cast<int>(k));
    for (std::size_t n = 0; n < 2; ++n) {
      const TrialWaves value(file.header().crystal, request.trial_orbitals[n]);
      double norm = 0;
      Matrix sums(bands);
      for (const auto& [g, c] : waves) {
        const Vector3& at = request.kpoints[k];
        const Complex of = value({at[0] + g[0], at[1] + g[1], at[2] + g[2]});
        norm += std::norm(of);
        for (std::size_t m = 0; m < bands; ++m) {
          for (std::size_t s = 0; s < 2; ++s) sums[m] += std::conj(c[2 * m + s]) * value.spin()[s] * of;
        }
      }
      for (std::size_t m = 0; m < bands; ++m) {
        EXPECT_NEAR(std::abs(found.projections[k][2 * m + n] - sums[m] / std::sqrt(norm)), 0, 1e-13);
        compared();
      }
    }
  }
  const WannierMatrices selected = wannier_matrices(orbitals, request, SelectedColumns{3, BandWeight::full, 0, 0});
  for (const Matrix& projections : selected.projections) expect_close<Complex>(squares(projections, 3), unit(3), 1e-12);
}

TEST(Wannier, HalfSpheres) {
  const WaveFile file(MPI_COMM_WORLD, data_set("gamma"));
  const WannierRequest request = request_of(file.header(), 1);
  expect_overlaps_by_definition(file, request, wannier_matrices(read_orbitals(file, {{1, 1, ranks()}}), request));
}

TEST(Wannier, BandsAreWeighed) {
  const WaveFile file(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  const OrbitalHeader& h = file.header();
  const WannierRequest request = request_of(h, 2);
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const double edge = (h.energies[1] + h.energies[2]) / 2;  // at k = 0, below which two bands are
  for (const bool gaussian : {false, true}) {
    const auto found = wannier_matrices(orbitals, request,
                                        gaussian ? SelectedColumns{2, BandWeight::gaussian, h.energies[0], 0.05}
                                                 : SelectedColumns{2, BandWeight::erfc, edge, 0.02});
    double low = 0, high = 0;
    for (std::size_t i = 0; i < found.projections[0].size(); ++i) {
      (h.energies[i / 2] < edge ? low : high) += std::norm(found.projections[0][i]);
    }
    EXPECT_NEAR(low, 2, 1e-3);
    EXPECT_LT(high, 1e-3);
    compared();
  }
}

TEST(Wannier, RefusesWhatItCannotAnswer) {
  const WaveFile file(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  const WannierRequest good = request_of(file.header(), 2);
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const auto refused = [&](Fault fault, const std::string& part, const auto& change,
                           const std::optional<SelectedColumns>& columns = std::nullopt) {
    WannierRequest request = good;
    Orbitals changed = orbitals;
    change(request, changed.header);
    expect_error(fault, part, [&] { wannier_matrices(changed, request, columns); });
  };
  const auto nothing = [](WannierRequest&, OrbitalHeader&) {};
  refused(Fault::unsupported, "pseudopotentials are ultrasoft, PAW or unknown",
          [](WannierRequest&, OrbitalHeader& h) { h.norm_conserving = NormConserving::no; });
  refused(Fault::bad_argument, "have different cells",
          [](WannierRequest& r, OrbitalHeader&) { r.lattice[0][0] += 0.1; });
  refused(Fault::bad_argument, "requests k-point (0.250000", [](WannierRequest& r, OrbitalHeader&) {
    r.kpoints[1] = {0.25, 0, 0};
  });
  refused(Fault::bad_argument, "projections that are not spinors",
          [](WannierRequest& r, OrbitalHeader&) { r.trial_orbitals.emplace_back(); });
  refused(Fault::bad_argument, "select columns of the density matrix",
          [](WannierRequest& r, OrbitalHeader&) { r.automatic = 4; });
  refused(Fault::bad_argument, "99 Wannier functions need at least as many bands", nothing,
          SelectedColumns{99, BandWeight::full, 0, 0});
  {
    const testing::ScratchDirectory scratch;
    WannierRequest many = good;
    many.kpoints.resize(10'000);
    expect_error(Fault::unsupported, "files of wannier90 cannot hold 10000 k-points",
                 [&] { write_wannier(file, many, scratch.file("a"), {}); });
  }
  refused(Fault::bad_argument, "the width of the band weights must be positive (got 0)", nothing,
          SelectedColumns{2, BandWeight::erfc, 0, 0});
  refused(
      Fault::bad_argument, "does not list k = 0",
      [](WannierRequest& r, OrbitalHeader& h) {
        for (std::size_t k = 0; k < r.kpoints.size(); ++k) r.kpoints[k][0] = h.kpoints[k].k[0] += 0.25;
      },
      SelectedColumns{2, BandWeight::full, 0, 0});
  const WaveFile spins(MPI_COMM_WORLD, data_file("abinit/spin/WFK"));
  expect_error(Fault::bad_argument, "has two spins", [&] {
    wannier_matrices(read_orbitals(spins, {{1, 1, ranks()}}), request_of(spins.header(), 2));
  });
}

// ------------------------------------------------------------------------------------------------------------ the
// .nnkp

TEST(Nnkp, IsReadAsItIs) {
  const WannierRequest request = read_nnkp(MPI_COMM_WORLD, "data/wannier90/si_small.nnkp");
  EXPECT_EQ(request.kpoints.size(), 64U);
  EXPECT_EQ(request.neighbours[1].size(), 8U);
  EXPECT_EQ(request.excluded_bands, (std::vector<int>{4, 5, 6, 7}));
  ASSERT_EQ(request.trial_orbitals.size(), 4U);
  EXPECT_EQ(request.trial_orbitals[1].centre, (Vector3{0.125, 0.125, -0.375}));
  EXPECT_NEAR(request.lattice[0][0], -10.2631 / 2, 1e-6);
  compared(5);
}

TEST(Nnkp, DamageIsTold) {
  const ScratchDirectory scratch;
  const std::string whole = contents("data/wannier90/si_small.nnkp");
  const auto refused = [&](const std::string& part, const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string path = written(scratch, "x.nnkp", [&](const std::string& name) { std::ofstream(name) << text; });
    expect_error(Fault::bad_file, part, [&] { read_nnkp(MPI_COMM_WORLD, path); });
    MPI_Barrier(MPI_COMM_WORLD);
  };
  refused("has no block kpoints", "begin kpoints", "begin points");
  refused("'what' in block real_lattice is not a number", "real_lattice\n", "real_lattice\nwhat");
  refused("does not list 9 neighbours of each of 64", "nnkpts\n   8", "nnkpts\n   9");
  refused("expected an integer from 1 to 64", "nnkpts\n   8\n     1", "nnkpts\n   8\n     65");
  refused("block exclude_bands", "exclude_bands\n   4", "exclude_bands\n   9");
  refused("has more than 8 neighbours", "\n     2     1  ", "\n     1     1  ");
  expect_error(Fault::bad_file, "create it with wannier90.x -pp",
               [&] { read_nnkp(MPI_COMM_WORLD, scratch.file("none")); });
}

}  // namespace
}  // namespace seiche
