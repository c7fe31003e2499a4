// SPDX-License-Identifier: BSD-3-Clause
/// \file  WFN.h5 of each kind, written through HDF5 alone, and a real one where it is at hand.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "containers/hdf5.hpp"
#include "seiche/orbitals.hpp"

#include "seiche/wavefile.hpp"
#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

struct WfnKind {
  int spins = 1, spinor = 1, flavour = 2;
};

constexpr int wfn_bands = 3;
const std::vector<std::vector<Miller>> wfn_waves{{{0, 0, 0}, {1, 0, 0}, {-1, 2, 0}}, {{0, 0, 1}, {0, 0, 0}}};

/// A small file by the specification of version 1, through HDF5 alone.
void write_wfn(const std::string& path, const WfnKind& kind) {
  const Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  for (const char* group :
       {"mf_header", "mf_header/kpoints", "mf_header/gspace", "mf_header/symmetry", "mf_header/crystal", "wfns"}) {
    H5Gclose(H5Gcreate2(file.get(), group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  const auto put = [&](const std::string& name, hid_t type, const std::vector<hsize_t>& shape, const void* values) {
    const Hdf5Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
    const Hdf5Id set(H5Dcreate2(file.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  };
  const auto integers = [&](const std::string& name, std::vector<hsize_t> shape, const std::vector<int>& v) {
    put("mf_header/" + name, H5T_NATIVE_INT, shape, v.data());
  };
  const auto reals = [&](const std::string& name, std::vector<hsize_t> shape, const std::vector<double>& v) {
    put("mf_header/" + name, H5T_NATIVE_DOUBLE, shape, v.data());
  };
  const auto spins = static_cast<hsize_t>(kind.spins);
  integers("versionnumber", {}, {1});
  integers("flavor", {}, {kind.flavour});
  integers("kpoints/nspin", {}, {kind.spins});
  integers("kpoints/nspinor", {}, {kind.spinor});
  integers("kpoints/nrk", {}, {2});
  integers("kpoints/mnband", {}, {wfn_bands});
  integers("kpoints/ngk", {2}, {3, 2});
  reals("kpoints/ecutwfc", {}, {30});
  reals("kpoints/w", {2}, {0.25, 0.75});
  reals("kpoints/rk", {2, 3}, {0, 0, 0, 0.5, 0, 0.25});
  std::vector<double> levels(static_cast<std::size_t>(kind.spins) * 2 * wfn_bands);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<double>(i);
  reals("kpoints/el", {spins, 2, wfn_bands}, levels);
  reals("kpoints/occ", {spins, 2, wfn_bands}, std::vector<double>(levels.size(), 0.5));
  integers("gspace/ng", {}, {100});
  integers("gspace/FFTgrid", {3}, {8, 9, 10});
  reals("gspace/ecutrho", {}, {120});
  integers("symmetry/ntran", {}, {2});
  std::vector<int> rotations(48 * 9);
  for (const std::size_t i : {0U, 4U, 8U}) rotations[i] = 1;
  for (const std::size_t i : {9U + 1, 9U + 5, 9U + 6}) rotations[i] = 1;  // (x, y, z) -> (y, z, x)
  std::vector<double> translations(48 * 3);
  translations[3] = 0.5 * std::numbers::pi;  // -2 pi R^-1 t with R^-1 t = (-1/4, 0, 0), so t = (0, 0, -1/4)
  integers("symmetry/mtrx", {48, 3, 3}, rotations);
  reals("symmetry/tnp", {48, 3}, translations);
  reals("crystal/alat", {}, {2});
  reals("crystal/avec", {3, 3}, {2, 0, 0, 0, 2.5, 0, 0, 0.5, 3});
  integers("crystal/nat", {}, {1});
  integers("crystal/atyp", {1}, {7});
  reals("crystal/apos", {1, 3}, {0.5, 0, 0.25});
  std::vector<int> indices;
  for (const auto& waves : wfn_waves) {
    for (const Miller& g : waves) indices.insert(indices.end(), {g.x, g.y, g.z});
  }
  put("wfns/gvecs", H5T_NATIVE_INT, {5, 3}, indices.data());
  std::vector<double> values;
  for (int band = 0; band < wfn_bands; ++band) {
    for (int row = 0; row < kind.spins * kind.spinor; ++row) {
      for (int k = 0; k < 2; ++k) {
        for (const Miller& g : wfn_waves[static_cast<std::size_t>(k)]) {
          const bool spinor = kind.spinor == 2;
          const Complex c = testing::coefficient_of(g, spinor ? 0 : row, k, band, spinor ? row : 0);
          values.push_back(c.real());
          if (kind.flavour == 2) values.push_back(c.imag());
        }
      }
    }
  }
  const std::vector<hsize_t> shape{wfn_bands, static_cast<hsize_t>(kind.spins * kind.spinor), 5,
                                   static_cast<hsize_t>(kind.flavour)};
  values.resize(shape[0] * shape[1] * shape[2] * shape[3]);  // flavours that there are not have no values above
  put("wfns/coeffs", H5T_NATIVE_DOUBLE, shape, values.data());
}

TEST(BerkeleyGw, WavesAndCoefficientsOfEachKind) {
  for (const WfnKind& kind : {WfnKind{}, WfnKind{2, 1, 2}, WfnKind{1, 2, 2}, WfnKind{2, 1, 1}}) {
    const testing::ScratchDirectory scratch;
    const auto path = written(scratch, "WFN.h5", [&](const std::string& p) { write_wfn(p, kind); });
    const WaveFile file(MPI_COMM_WORLD, path);
    const OrbitalHeader& h = file.header();
    EXPECT_EQ(h.cutoff, 15);
    EXPECT_EQ(h.grid, (GridShape{8, 9, 10}));
    EXPECT_NEAR(h.crystal.volume(), 120, 1e-12);
    EXPECT_EQ(h.crystal.atoms[0].symbol, "N");
    testing::expect_close<double>(h.crystal.atoms[0].position, Vector3{1, 0, 0.5}, 0);
    EXPECT_EQ(h.crystal.operations[1].rotation[0][1], 1);
    testing::expect_close<double>(h.crystal.operations[1].translation, Vector3{0, 0, -0.25}, 1e-15);
    EXPECT_EQ(h.energies[h.state(0, 1, 2)], 2.5);
    for (int spin = 0; spin < kind.spins; ++spin) {
      for (int k = 0; k < 2; ++k) {
        const auto& waves = wfn_waves[static_cast<std::size_t>(k)];
        const Range mine = mine_of(static_cast<std::int64_t>(waves.size()));
        testing::expect_equal(file.waves(spin, k, {0, static_cast<std::int64_t>(waves.size())}), waves);
        std::vector<Complex> expected;
        for (int band = 0; band < wfn_bands; ++band) {
          for (int component = 0; component < kind.spinor; ++component) {
            for (std::int64_t i = mine.low; i < mine.high; ++i) {
              const Complex c = testing::coefficient_of(waves[static_cast<std::size_t>(i)], spin, k, band, component);
              expected.push_back(kind.flavour == 2 ? c : c.real());
            }
          }
        }
        testing::expect_close<Complex>(file.coefficients(spin, k, {0, wfn_bands}, mine), expected, 0);
      }
    }
  }
}

TEST(BerkeleyGw, RefusesWhatItCannotRead) {
  const testing::ScratchDirectory scratch;
  expect_error(Fault::bad_file, "(got 2 and 2)", [&] {
    open(written(scratch, "both.h5", [](const std::string& p) { write_wfn(p, {2, 2, 2}); }));
  });
  expect_error(Fault::bad_file, "flavor must be 1 or 2 (got 3)", [&] {
    open(written(scratch, "flavour.h5", [](const std::string& p) { write_wfn(p, {1, 1, 3}); }));
  });
  const auto with = [&](const std::string& name, const std::vector<int>& values) {
    return written(scratch, "changed.h5", [&](const std::string& p) {
      write_wfn(p, {});
      const Hdf5Id file(H5Fopen(p.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      const Hdf5Id set(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
      H5Dwrite(set.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    });
  };
  expect_error(Fault::bad_file, "ntran must be 1 to 48 (got 49)",
               [&] { open(with("mf_header/symmetry/ntran", {49})); });
  expect_error(Fault::bad_file, "FFTgrid has no points", [&] { open(with("mf_header/gspace/FFTgrid", {8, 0, 10})); });
  expect_error(Fault::unsupported, "version 2 of WFN.h5", [&] { open(with("mf_header/versionnumber", {2})); });
}

std::vector<std::int32_t> integers_in(const std::string& path, const char* name, std::int64_t count) {
  return Hdf5File::open(path).read_integers(name, count);
}

/// As pw2bgw writes them for the same crystals (a WFN beside the shared sets has them): the mesh of the run, 0 for
/// cubic cells and whatever else is not hexagonal.
/// A file that another program has locked, as HDF5 does while it writes.
TEST(BerkeleyGw, LockedFileIsRead) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.h5");
  convert(WaveFile(MPI_COMM_WORLD, data_set("si_small")), path);
  const int descriptor = ::open(path.c_str(), O_RDWR);
  const bool locked = rank() != 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  EXPECT_TRUE(locked);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(WaveFile(MPI_COMM_WORLD, path).header().bands, 8);
  compared();
  MPI_Barrier(MPI_COMM_WORLD);
  ::close(descriptor);
}

TEST(BerkeleyGw, MeshAndKindOfLattice) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("silicon.h5");
  const WaveFile silicon(MPI_COMM_WORLD, data_set("si_small"));
  convert(silicon, path);
  EXPECT_EQ(integers_in(path, "mf_header/kpoints/kgrid", 3), (std::vector<std::int32_t>{4, 4, 4}));
  EXPECT_EQ(integers_in(path, "mf_header/symmetry/cell_symmetry", 1)[0], 0);
  Orbitals orbitals = read_orbitals(silicon, {{1, 1, testing::ranks()}});
  const double half = std::sqrt(0.75);
  using Cell = std::array<Vector3, 3>;
  for (const auto& [cell, hexagonal] :
       {std::pair(Cell{{{7, 0, 0}, {-3.5, 7 * half, 0}, {0, 0, 9}}}, 1),
        std::pair(Cell{{{7, 0, 0}, {3.5, 7 * half, 0}, {0, 0, 9}}}, 1),
        std::pair(Cell{{{9, 0, 0}, {0, 7, 0}, {0, 3.5, 7 * half}}}, 1),
        std::pair(Cell{{{0, 5, 5}, {5, 0, 5}, {5, 5, 0}}}, 0), std::pair(Cell{{{-5, 5, 5}, {5, -5, 5}, {5, 5, -5}}}, 0),
        std::pair(Cell{{{7, 0, 0}, {-3.5, 7 * half, 1}, {0, 0, 9}}}, 0)}) {
    orbitals.header.crystal.lattice = cell;
    write_orbitals(orbitals, path);
    EXPECT_EQ(integers_in(path, "mf_header/symmetry/cell_symmetry", 1)[0], hexagonal);
    compared();
  }
}

TEST(BerkeleyGw, OwnGroupKeepsWhatTheFormatCannotSay) {
  const testing::ScratchDirectory scratch;
  Orbitals orbitals = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {{1, 1, testing::ranks()}});
  for (const auto norms : {NormConserving::no, NormConserving::yes, NormConserving::unknown}) {
    OrbitalHeader& h = orbitals.header;
    h.norm_conserving = norms;
    h.averaged = h.weighted = norms == NormConserving::yes;
    h.electrons = 7;
    h.fermi_energy.reset();
    write_orbitals(orbitals, scratch.file("own.h5"));
    const WaveFile file(MPI_COMM_WORLD, scratch.file("own.h5"));
    const OrbitalHeader& found = file.header();
    EXPECT_EQ(found.norm_conserving, norms);
    EXPECT_EQ(found.averaged, h.averaged);
    EXPECT_EQ(found.weighted, h.weighted);
    EXPECT_EQ(found.electrons, 7);
    EXPECT_EQ(found.total_energy, h.total_energy);
    EXPECT_FALSE(found.fermi_energy);
    compared(6);
  }
  const auto with = [&](const char* name, double value) {
    return written(scratch, "changed.h5", [&](const std::string& p) {
      std::filesystem::copy_file(scratch.file("own.h5"), p, std::filesystem::copy_options::overwrite_existing);
      const Hdf5Id file(H5Fopen(p.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      const Hdf5Id set(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose);
      H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    });
  };
  expect_error(Fault::bad_file, "norm_conserving must be 0 to 2 (got 3)",
               [&] { open(with("seiche/norm_conserving", 3)); });
  expect_error(Fault::bad_file, "electrons is not finite", [&] { open(with("seiche/electrons", std::nan(""))); });
}

/// A file of others says nothing of norms: its bands do.
TEST(BerkeleyGw, NormsOfOthersFiles) {
  const testing::ScratchDirectory scratch;
  const auto path = written(scratch, "WFN.h5", [&](const std::string& p) { write_wfn(p, {}); });
  EXPECT_EQ(WaveFile(MPI_COMM_WORLD, path).header().norm_conserving, NormConserving::unknown);
  compared();
}

TEST(BerkeleyGw, RealFile) {
  const std::string path = data_file("foreign/WFN_in.h5");
  if (path.empty()) GTEST_SKIP() << "foreign/WFN_in.h5 is not here; set SEICHE_SHARED";
  const WaveFile file(MPI_COMM_WORLD, path);
  const OrbitalHeader& h = file.header();
  EXPECT_EQ(h.format, "BerkeleyGW WFN.h5");
  EXPECT_EQ(h.kpoints.size(), 28U);
  EXPECT_EQ(h.crystal.operations.size(), 24U);
  EXPECT_EQ(h.crystal.atoms[0].symbol, "Si");
  EXPECT_EQ(h.crystal.atoms[1].symbol, "C");
  EXPECT_NEAR(h.crystal.volume(), 139.7901103621757, 1e-9);
  EXPECT_NEAR(h.electrons, 8, 1e-12);
  EXPECT_EQ(h.norm_conserving, NormConserving::yes);
  EXPECT_EQ(h.mesh, (std::array<int, 3>{3, 3, 3}));
  const testing::ScratchDirectory scratch;
  convert(file, scratch.file("again.h5"));
  const auto shift = Hdf5File::open(scratch.file("again.h5")).read("mf_header/kpoints/shift", 3);
  testing::expect_close<double>(shift, Hdf5File::open(path).read("mf_header/kpoints/shift", 3), 0);
  EXPECT_NEAR(shift[0], 0.505, 1e-15);
  compared(9);
  expect_spheres(file);
  expect_orthonormal(file, 1e-13);
}

/// What pw2bgw.x made of a .save says what the .save says, complex coefficients to the last bit.
void expect_as_in_save(const std::string& binary, const std::string& save) {
  const WaveFile theirs(MPI_COMM_WORLD, binary), ours(MPI_COMM_WORLD, save);
  const OrbitalHeader &a = theirs.header(), &b = ours.header();
  EXPECT_EQ(std::tuple(a.spins, a.spinor, a.bands, a.kpoints.size(), a.grid, a.density_waves),
            std::tuple(b.spins, b.spinor, b.bands, b.kpoints.size(), b.grid, b.density_waves));
  EXPECT_EQ(std::tuple(a.cutoff, a.density_cutoff, a.mesh, a.crystal.operations.size(), a.crystal.atoms.size()),
            std::tuple(b.cutoff, b.density_cutoff, b.mesh, b.crystal.operations.size(), b.crystal.atoms.size()));
  EXPECT_NEAR(a.electrons, b.electrons, 1e-8);
  for (std::size_t n = 0; n < a.energies.size(); ++n) {
    EXPECT_NEAR(a.energies[n], b.energies[n], 1e-12);
    EXPECT_NEAR(a.occupations[n], b.occupations[n], 1e-12);
  }
  for (std::size_t s = 0; s < a.crystal.operations.size(); ++s) {
    EXPECT_EQ(a.crystal.operations[s].rotation, b.crystal.operations[s].rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      const double apart = a.crystal.operations[s].translation[i] - b.crystal.operations[s].translation[i];
      EXPECT_NEAR(apart, std::round(apart), 1e-9);
    }
  }
  EXPECT_TRUE(compare(theirs, ours).equal());
  for (int spin = 0; spin < a.spins; ++spin) {
    const int k = static_cast<int>(a.kpoints.size()) - 1;
    const Range all{0, a.kpoints.back().plane_waves};
    expect_equal(theirs.waves(spin, k, all), ours.waves(spin, k, all));
    if (a.format.find("real") != std::string::npos) continue;  // pw2bgw has turned their phases
    expect_equal(theirs.coefficients(spin, k, {0, a.bands}, all), ours.coefficients(spin, k, {0, a.bands}, all));
  }
}

TEST(BerkeleyGwBinary, IsWhatTheSaveSays) {
  expect_as_in_save(data_file("berkeleygw/WFN"), data_set("si_small"));
  for (const char* set : {"fe", "al2o3_prim", "si_small_full"}) {
    const std::string binary = data_file(std::string(set) + "/WFN");
    if (!binary.empty()) expect_as_in_save(binary, data_set(set));
  }
}

TEST(BerkeleyGwBinary, RefusesWhatItCannotRead) {
  const ScratchDirectory scratch;
  const std::string sound = contents(data_file("berkeleygw/WFN"));
  const auto refuse = [&](std::size_t at, std::int32_t value, Fault fault, const char* sentence) {
    const std::string path = scratch.file("WFN");
    std::string changed = sound;
    std::memcpy(changed.data() + at, &value, sizeof value);
    if (rank() == 0) std::ofstream(path, std::ios::binary) << changed;
    MPI_Barrier(MPI_COMM_WORLD);
    expect_error(fault, sentence, [&] { WaveFile(MPI_COMM_WORLD, path); });
    MPI_Barrier(MPI_COMM_WORLD);
  };
  constexpr std::size_t second = 104 + 4;  // the first number of the second record
  refuse(second, 4, Fault::unsupported, "binary WFN files of spinors are not supported");
  refuse(second, 3, Fault::bad_file, "nspin must be 1 or 2 (got 3)");
  refuse(second + 8, 49, Fault::bad_file, "ntran must be 1 to 48 (got 49)");
  refuse(second + 32, 0, Fault::bad_file, "has 0 bands and 8 k-points");
  refuse(second + 56, 0, Fault::bad_file, "invalid grid (0 x 20 x 20 points)");
  const std::string one_record("\4\0\0\0\1\0\0\0\4\0\0\0", 12);
  refuse(sound.find(one_record) + 4, 2, Fault::unsupported, "are in 2 records, which is not supported");
  refuse(sound.find(one_record) + 4, 0, Fault::bad_file, "0 records of");
}

}  // namespace
}  // namespace seiche
