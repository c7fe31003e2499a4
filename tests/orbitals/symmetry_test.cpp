// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operations on waves: inverses, product tables, norms, full zones, and bands that are symmetric.
#include "seiche/symmetry.hpp"
#include "seiche/selection.hpp"
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/data.hpp"
#include "support/transforms.hpp"
#include "support/waves.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_close;
using testing::expect_error;
using Complex = std::complex<double>;

const SymmetryOperation identity{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false};

/// Translations as the fractions they stand for: files give some of them with 15 digits only.
std::vector<SymmetryOperation> exact(std::vector<SymmetryOperation> operations) {
  for (SymmetryOperation& operation : operations) {
    for (double& t : operation.translation) {
      if (std::abs(24 * t - std::round(24 * t)) < 1e-9) t = std::round(24 * t) / 24;
    }
  }
  return operations;
}

/// Bands of one k-point: those of a file, read whole by every rank.
struct Bands {
  Vector3 k{};
  std::vector<Miller> waves;
  std::vector<Complex> c;  // [band][component][wave]
};

Bands bands_of(const WaveFile& file, int k, int bands) {
  const KPoint& point = file.header().kpoints[static_cast<std::size_t>(k)];
  const Range all{0, point.plane_waves};
  return {point.k, file.waves(0, k, all), file.coefficients(0, k, {0, bands}, all)};
}

Bands turned(const OrbitalHeader& header, const SymmetryOperation& operation, const Bands& from) {
  const ImageRequest request{operation, from.k, image_of(operation, from.k), header.spinor, header.half_sphere};
  const PlaneWaveImage image = image_of(header.crystal, request, from.waves);
  Bands to{request.to, image.waves, from.c};
  const auto per_band = static_cast<std::int64_t>(from.waves.size()) * header.spinor;
  apply(image, static_cast<std::int64_t>(from.c.size()) / per_band, to.c, to.c);
  return to;
}

/// Largest |a - factor b|; waves must be the same in the same order.
double deviation(const Bands& a, const Bands& b, const Complex& factor) {
  EXPECT_EQ(a.waves, b.waves);
  double worst = 0;
  for (std::size_t i = 0; i < a.c.size(); ++i) worst = std::max(worst, std::abs(a.c[i] - factor * b.c[i]));
  compared(static_cast<std::int64_t>(a.c.size()));
  return worst;
}

double up_to_sign(const Bands& a, const Bands& b) { return std::min(deviation(a, b, 1.0), deviation(a, b, -1.0)); }

class EachGroup : public testing::EachSet {
 protected:
  void SetUp() override {
    EachSet::SetUp();
    if (!IsSkipped()) file_ = std::make_unique<WaveFile>(MPI_COMM_WORLD, data_set(GetParam()));
  }
  const OrbitalHeader& header() const { return file_->header(); }
  std::unique_ptr<WaveFile> file_;
};

TEST_P(EachGroup, InverseUndoesTheOperationAndNormsAreKept) {
  const auto operations = exact(header().crystal.operations);
  for (int k = 0; k < static_cast<int>(header().kpoints.size()); ++k) {
    const Bands bands = bands_of(*file_, k, std::min(header().bands, 4));
    double norm = 0;
    for (const Complex& c : bands.c) norm += std::norm(c);
    for (const SymmetryOperation& operation : operations) {
      const Bands image = turned(header(), operation, bands);
      double kept = 0;
      for (const Complex& c : image.c) kept += std::norm(c);
      EXPECT_NEAR(kept, norm, 1e-14 * norm);
      const Bands back = turned(header(), inverse(operation), image);
      if (header().spinor == 2) {
        EXPECT_LE(up_to_sign(back, bands), 1e-14);
      } else {
        EXPECT_LE(deviation(back, bands, 1.0), 1e-14);
      }
    }
  }
}

/// The operation of the table with the rotation (and time reversal) of `wanted`.
const SymmetryOperation* found_in(const std::vector<SymmetryOperation>& table, const SymmetryOperation& wanted) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const SymmetryOperation& s) {
    return s.rotation == wanted.rotation && s.time_reversal == wanted.time_reversal;
  });
  return found == table.end() ? nullptr : &*found;
}

TEST_P(EachGroup, ProductTableHolds) {
  const auto operations = exact(header().crystal.operations);
  const int k = static_cast<int>(header().kpoints.size()) - 1;
  const Bands bands = bands_of(*file_, k, 1);
  for (const SymmetryOperation& a : operations) {
    const Bands first = turned(header(), a, bands);
    for (const SymmetryOperation& b : operations) {
      const SymmetryOperation both = product(b, a);
      const SymmetryOperation* listed = found_in(operations, both);
      ASSERT_NE(listed, nullptr);
      // The product is the listed operation up to a lattice vector n, after which Bloch waves have exp(-2 pi i k.n).
      double turn = 0;
      const Vector3 k_image = image_of(both, bands.k);
      for (std::size_t i = 0; i < 3; ++i) {
        const double n = both.translation[i] - listed->translation[i];
        EXPECT_NEAR(n, std::round(n), 1e-12);
        turn += std::round(n) * k_image[i];
      }
      const Bands step_by_step = turned(header(), b, first);
      Bands at_once = turned(header(), *listed, bands);
      const Complex phase = std::polar(1.0, -2 * std::numbers::pi * turn);
      for (Complex& c : at_once.c) c *= phase;
      EXPECT_LE(header().spinor == 2 ? up_to_sign(step_by_step, at_once) : deviation(step_by_step, at_once, 1.0),
                2e-14);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Symmetry, EachGroup,
                         ::testing::Values("si_small", "gamma", "gamma_k", "fe", "fe_so", "al2o3_prim", "si_ecut2"),
                         testing::name_of_set);

/// What a file's operations say, spglib says too (of crystals without magnetic order).
class WithoutMagneticOrder : public EachGroup {};
TEST_P(WithoutMagneticOrder, SpglibFindsTheFilesOperations) {
  const Crystal& crystal = header().crystal;
  const auto found = find_operations(crystal);
  EXPECT_EQ(found.size(), crystal.operations.size());
  EXPECT_EQ(found.at(0).rotation, identity.rotation);
  for (const SymmetryOperation& listed : crystal.operations) {
    const SymmetryOperation* same = found_in(found, listed);
    ASSERT_NE(same, nullptr);
    for (std::size_t i = 0; i < 3; ++i) {
      const double n = same->translation[i] - listed.translation[i];
      EXPECT_NEAR(n, std::round(n), 1e-6);
      compared();
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Symmetry, WithoutMagneticOrder, ::testing::Values("si_small", "al2o3_prim"),
                         testing::name_of_set);

/// The image of a function's values is the function at R^-1 (x - t), by direct sums.
TEST(Symmetry, ImagesAreTheFunctionAtTheOperatedPoint) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Crystal& crystal = file.header().crystal;
  const auto value = [](const Bands& bands, const Vector3& x) {
    Complex sum = 0;
    for (std::size_t i = 0; i < bands.waves.size(); ++i) {
      const Miller& g = bands.waves[i];
      const double turn = (bands.k[0] + g.x) * x[0] + (bands.k[1] + g.y) * x[1] + (bands.k[2] + g.z) * x[2];
      sum += bands.c[i] * std::polar(1.0, 2 * std::numbers::pi * turn);
    }
    return sum;
  };
  for (int k = 0; k < 8; k += 3) {
    const Bands bands = bands_of(file, k, 1);
    for (SymmetryOperation operation : exact(crystal.operations)) {
      for (const bool reversed : {false, true}) {
        operation.time_reversal = reversed;
        const Bands image = turned(file.header(), operation, bands);
        const Vector3 x{0.13, -0.41, 0.29};
        Vector3 at{}, back = inverse(operation).translation;
        for (std::size_t i = 0; i < 3; ++i) {
          at[i] = back[i];
          for (std::size_t j = 0; j < 3; ++j) at[i] += inverse(operation).rotation[i][j] * x[j];
        }
        const Complex there = value(bands, at);
        EXPECT_NEAR(std::abs(value(image, x) - (reversed ? std::conj(there) : there)), 0, 1e-12);
        compared();
      }
    }
  }
}

TEST(Symmetry, FullZoneIsTheListOfTheFullCalculation) {
  for (const auto& [set, other] : {std::pair("si_small", "si_small_full"), std::pair("fe_so", "fe_so_full")}) {
    if (data_set(other).empty()) GTEST_SKIP() << other << " is not here; set SEICHE_SHARED";
    const OrbitalHeader part = WaveFile(MPI_COMM_WORLD, data_set(set)).header();
    const OrbitalHeader all = WaveFile(MPI_COMM_WORLD, data_set(other)).header();
    const KStarMap zone = full_zone(part, part.crystal.operations);
    EXPECT_EQ(zone.header.kpoints.size(), all.kpoints.size());
    for (std::size_t k = 0; k < std::min(all.kpoints.size(), zone.header.kpoints.size()); ++k) {
      expect_close<double>(zone.header.kpoints[k].k, all.kpoints[k].k, 1e-9);
      EXPECT_NEAR(zone.header.kpoints[k].weight, all.kpoints[k].weight, 1e-12);
      EXPECT_EQ(zone.header.kpoints[k].plane_waves, all.kpoints[k].plane_waves);
    }
    expect_close<double>(zone.header.energies, all.energies, 1e-6);
  }
}

TEST(Symmetry, AFullZoneHasTheMeshOnlyWhereItIsTheMesh) {
  const OrbitalHeader header = WaveFile(MPI_COMM_WORLD, data_set("si_small")).header();
  const auto mesh_of = [](const OrbitalHeader& h) { return full_zone(h, h.crystal.operations).header.mesh; };
  EXPECT_EQ(mesh_of(header), (std::array<int, 3>{4, 4, 4}));
  OrbitalHeader moved = header;  // as many k-points, but others
  moved.mesh_shift = {0.5, 0.5, 0.5};
  EXPECT_EQ(mesh_of(moved), (std::array<int, 3>{0, 0, 0}));
  EXPECT_EQ(full_zone(moved, header.crystal.operations).header.mesh_shift, (Vector3{0, 0, 0}));
  OrbitalHeader less = selected(header, {{}, {0, 1}, {}});  // 1 x 1 x 2 of the crystal's cubic mesh
  less.kpoints[1].k = {0, 0, 0.5};
  less.mesh = {1, 1, 2};
  const OrbitalHeader zone = full_zone(less, header.crystal.operations).header;
  EXPECT_EQ(zone.kpoints.size(), 5U);
  EXPECT_EQ(zone.mesh, (std::array<int, 3>{0, 0, 0}));
  compared(5);
}

TEST(Symmetry, AFullZoneStaysAsItIs) {
  const OrbitalHeader header = WaveFile(MPI_COMM_WORLD, data_set("gamma")).header();
  const KStarMap zone = full_zone(header, header.crystal.operations);
  EXPECT_EQ(zone.header.kpoints.size(), 1U);
  EXPECT_EQ(zone.header.kpoints[0].weight, 1);
  EXPECT_EQ(zone.parent_states[0].operation.rotation, identity.rotation);
  compared(3);
}

/// From any grid to any other, by any way, on all ranks: the parts of what one rank gets alone.
TEST(Symmetry, TheFullZoneHasTheSameBitsHoweverItIsSpread) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set)), file_alone(MPI_COMM_SELF, data_set(set));
    const KStarMap zone = full_zone(file.header(), file.header().crystal.operations);
    const Orbitals alone = mapped(testing::in_memory(MPI_COMM_SELF, file_alone, {1, 1, 1}), zone);
    const auto grids = testing::grids(testing::ranks());
    for (std::size_t g = 0; g < grids.size(); ++g) {
      const Orbitals there = mapped(testing::in_memory(MPI_COMM_WORLD, file, grids[g]), zone);
      testing::expect_parts_of(there, alone);
      MoveOptions options;
      options.policy.algorithm = testing::ways_here()[g % testing::ways_here().size()];
      testing::expect_parts_of(redistribute(there, {grids[(g + 1) % grids.size()]}, options), alone);
    }
  }
}

/// Against an independent calculation of all k-points; degenerate bands are compared as the spaces they span.
void expect_full_zone_of(const char* set, const char* other, double overlap) {
  const WaveFile part(MPI_COMM_WORLD, data_set(set)), all(MPI_COMM_WORLD, data_set(other));
  const auto grids = testing::grids(testing::ranks());
  const KStarMap zone = full_zone(part.header(), part.header().crystal.operations);
  const Orbitals made = mapped(testing::in_memory(MPI_COMM_WORLD, part, grids[grids.size() / 2]), zone);
  BasisRequest order;
  order.waves = testing::waves_of_file(all);
  const Reassigned ordered = reassign(made, order);
  testing::expect_equal(ordered.added, std::vector<std::int64_t>(all.header().kpoints.size()));
  testing::expect_equal(ordered.left_out, ordered.added);
  EXPECT_GE(testing::smallest_overlap(ordered.orbitals, testing::in_memory(MPI_COMM_WORLD, all, grids[0]), 1e-5),
            overlap)
      << set;
}

TEST(Symmetry, SiliconsFullZoneIsThatOfAFullCalculation) {
  if (data_set("si_small_full").empty()) GTEST_SKIP() << "si_small_full is not here; set SEICHE_SHARED";
  expect_full_zone_of("si_small", "si_small_full", 1 - 1e-10);
}

TEST(Symmetry, SpinorIronsFullZoneIsThatOfAFullCalculation) {
  if (data_set("fe_so_full").empty()) GTEST_SKIP() << "fe_so_full is not here; set SEICHE_SHARED";
  expect_full_zone_of("fe_so", "fe_so_full", 1 - 1e-6);
}

/// From file to file a few bands at a time, or through memory: the same file.
TEST(Symmetry, StreamingAFullZoneGivesTheSameFile) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const testing::ScratchDirectory scratch;
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const KStarMap zone = full_zone(file.header(), file.header().crystal.operations);
    expand(file, zone, scratch.file("streamed.save"));
    const auto grids = testing::grids(testing::ranks());
    write_orbitals(mapped(testing::in_memory(MPI_COMM_WORLD, file, grids[grids.size() / 2]), zone),
                   scratch.file("through_memory.save"));
    for (const auto& entry : std::filesystem::directory_iterator(scratch.file("streamed.save"))) {
      const auto name = entry.path().filename();
      EXPECT_TRUE(testing::contents(entry.path()) ==
                  testing::contents(std::filesystem::path(scratch.file("through_memory.save")) / name))
          << name;
      compared();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// One operation on a whole zone, and back.
TEST(Symmetry, AnOperationMovesAWholeZoneAndBack) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const auto operations = exact(file.header().crystal.operations);
  const Orbitals irreducible = testing::in_memory(MPI_COMM_WORLD, file, {testing::ranks(), 1, 1});
  const Orbitals zone = mapped(irreducible, full_zone(file.header(), operations));
  const Orbitals there = mapped(zone, moved(zone.header, operations[7]));
  const Orbitals back = mapped(there, moved(there.header, inverse(operations[7])));
  testing::expect_equal(back.header.energies, zone.header.energies);
  EXPECT_EQ(back.parts.size(), zone.parts.size());
  for (std::size_t p = 0; p < zone.parts.size(); ++p) {
    EXPECT_EQ(back.parts[p].waves, zone.parts[p].waves);
    expect_close<Complex>(back.parts[p].coefficients, zone.parts[p].coefficients, 1e-14);
  }
}

/// Bands are averaged over the group of their k-point, alike on all grids; a second time changes nothing.
TEST(Symmetry, SymmetricBandsAreSymmetric) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set)), file_alone(MPI_COMM_SELF, data_set(set));
    const auto& operations = file.header().crystal.operations;
    const Orbitals alone = symmetric_bands(testing::in_memory(MPI_COMM_SELF, file_alone, {1, 1, 1}), operations);
    const auto grids = testing::grids(testing::ranks());
    const Orbitals orbitals = testing::in_memory(MPI_COMM_WORLD, file, grids[grids.size() / 2]);
    const Orbitals once = symmetric_bands(orbitals, operations);
    testing::expect_parts_of(once, alone);
    const Orbitals twice = symmetric_bands(once, operations);
    double first = 0, second = 0;
    const Orbitals before = redistribute(orbitals, {{1, 1, testing::ranks()}});
    const Orbitals after = redistribute(once, {{1, 1, testing::ranks()}});
    for (std::size_t p = 0; p < before.parts.size(); ++p) {
      const auto &a = before.parts[p].coefficients, &b = after.parts[p].coefficients;
      for (std::size_t i = 0; i < a.size(); ++i) first = std::max(first, std::abs(a[i] - b[i]));
    }
    for (std::size_t p = 0; p < once.parts.size(); ++p) {
      const auto &a = once.parts[p].coefficients, &b = twice.parts[p].coefficients;
      for (std::size_t i = 0; i < a.size(); ++i) second = std::max(second, std::abs(a[i] - b[i]));
    }
    EXPECT_LE(first, 1e-5) << "bands of a code are symmetric to the accuracy of its diagonalisation";
    EXPECT_LE(second, 1e-13);
    compared(2);
  }
}

/// Without their translations silicon's operations are those of a lattice of equal points, and not of its bands.
TEST(Symmetry, OperationsOfOtherBandsAreRefused) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  auto operations = file.header().crystal.operations;
  for (SymmetryOperation& operation : operations) operation.translation = {};
  const Orbitals orbitals = testing::in_memory(MPI_COMM_WORLD, file, testing::grids(testing::ranks())[0]);
  expect_error(Fault::bad_argument, "do not map bands 1 to 1 of k-point 1 onto each other",
               [&] { symmetric_bands(orbitals, operations); });
}

TEST(Symmetry, MistakesAreNamed) {
  const OrbitalHeader header = WaveFile(MPI_COMM_WORLD, data_set("si_small")).header();
  SymmetryOperation stretched = identity;
  stretched.rotation[0][0] = 2;
  expect_error(Fault::bad_argument, "has determinant 2: it must be 1 or -1", [&] { inverse(stretched); });
  SymmetryOperation sheared = identity;
  sheared.rotation[0][1] = 1;
  expect_error(Fault::bad_argument, "changes lengths or angles", [&] { spin_matrix(header.crystal, sheared); });
  const Vector3 k{0.25, 0.125, -0.375}, other{0.5, 0.0625, 1};
  expect_error(Fault::bad_argument,
               "(0.250000, 0.125000, -0.375000) to (0.250000, 0.125000, -0.375000), not to (0.500000, 0.062500, "
               "1.000000): choose an operation",
               [&] {
                 image_of(header.crystal, {identity, k, other}, {});
               });
  SymmetryOperation turn = identity;  // three times this is no identity: the images of the images are not there
  turn.rotation = {{{0, 1, 0}, {-1, 1, 0}, {0, 0, 1}}};
  expect_error(Fault::bad_argument, "the operations form no group", [&] { full_zone(header, {identity, turn}); });
  expect_error(Fault::bad_argument, "which is not in the list: expand the k-points",
               [&] { moved(header, header.crystal.operations[1]); });
  Orbitals none{Communicator(MPI_COMM_WORLD), header, {}};
  none.header.bands = 3;
  expect_error(Fault::bad_argument, "the map belongs to other wavefunctions",
               [&] { mapped(none, full_zone(header, header.crystal.operations)); });
  Crystal twice = header.crystal;
  twice.atoms.push_back(twice.atoms[0]);
  expect_error(Fault::bad_argument, "no two atoms coincide", [&] { find_operations(twice); });
  OrbitalHeader doubled = header;
  doubled.kpoints.push_back(doubled.kpoints[3]);
  doubled.energies.resize(doubled.state(1, 0, 0));
  doubled.occupations.resize(doubled.energies.size());
  expect_error(Fault::bad_file, "k-points 4 and 9 are equivalent",
               [&] { full_zone(doubled, header.crystal.operations); });
}

}  // namespace
}  // namespace seiche
