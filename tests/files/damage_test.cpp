// SPDX-License-Identifier: BSD-3-Clause
/// \file  Damaged files of each format: truncated, one value NaN, one count wrong, a stale file beside. A reader
/// refuses them on all ranks, or returns the values of the undamaged file. It never returns other values, and always
/// returns.
#include "files/damages.hpp"

#include <fmt/core.h>

#include <fstream>
#include <map>

#include "files/wannier90/nnkp.hpp"
#include "support/foreign_files.hpp"

namespace seiche {
namespace {

using namespace testing;

/// The source of the files that are damaged, and the same with fewer bands or k-points.
WaveFile source(const Selection& selection = {}) {
  WaveFile file(world(), data_file("abinit/time_reversal/WFK"));
  if (!selection.bands.empty()) file.select(selection);
  return file;
}

/// Returns the largest number in the coefficients of the first band, which occurs once.
double largest_of(const WaveFile& file, int k) {
  double largest = 0;
  const std::int64_t waves = file.header().kpoints[static_cast<std::size_t>(k)].plane_waves;
  for (const auto& c : file.coefficients(0, k, {0, 1}, {0, waves})) {
    for (const double x : {c.real(), c.imag()}) {
      if (std::abs(x) > std::abs(largest)) largest = x;
    }
  }
  return largest;
}

class DamagedWaves : public ::testing::TestWithParam<const char*> {};

/// Files of wavefunctions that are written here. `parts` are damaged.
TEST_P(DamagedWaves, AreRefused) {
  const testing::ScratchDirectory scratch;
  const std::string word = GetParam(), ending = word.starts_with("qe") ? ".save" : "." + word;
  const std::string path = scratch.file("a" + ending), four = scratch.file("four" + ending);
  convert(source(), path, word);
  convert(source({{0, 1, 2, 3}, {}, {}}), four, word);
  const std::string part = word == "qe" ? "/wfc2.dat" : word == "qe-hdf5" ? "/wfc2.hdf5" : "";
  Damages file(path + part, waves_in(path));
  truncate(file, word == "vasp" ? 500 : word == "castep" ? 4000 : 32);  // the end of the others holds values
  std::vector<double> values{largest_of(WaveFile(world(), path), part.empty() ? 0 : 1)};
  const OrbitalHeader h = source().header();
  if (part.empty()) values.push_back(h.energies.back());
  EXPECT_EQ(spoil_values(file, values), std::ssize(values));
  EXPECT_GE(spoil_count(file, 5, contents(four + part), 4), 4);
}
INSTANTIATE_TEST_SUITE_P(Formats, DamagedWaves,
                         ::testing::Values("qe", "qe-hdf5", "wfn", "wfn-binary", "vasp", "castep", "abinit"),
                         name_of_set);

TEST(Damage, OfANetCdfFile) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("a.nc");
  if (rank() == 0) std::filesystem::copy_file(data_file("abinit/time_reversal/WFK.nc"), path);
  MPI_Barrier(MPI_COMM_WORLD);
  Damages file(path, waves_in(path));
  truncate(file, 32);
  EXPECT_EQ(spoil_values(file, {source().header().energies.back(), largest_of(source(), 0)}), 2);
}

TEST(Damage, OfTheXmlOfQuantumEspresso) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("a.save");
  convert(source(), path, "qe");
  Damages file(path + "/data-file-schema.xml", waves_in(path));
  const std::string& good = file.good();
  truncate(file, 20);
  for (const char* name : {"<eigenvalues", "<occupations", "<a1", "<ecutwfc", "<k_point weight=\""}) {
    const auto at = good.find(name) + std::strlen(name);
    for (const char* word : {"nan", "inf", "1e999", "0x10", ""}) {
      EXPECT_TRUE(file.refused(with_number(good, name[1] == 'k' ? at - 1 : good.find('>', at), word), name))
          << name << word;
    }
  }
  for (const char* name : {"<nbnd", "<nks", "<npw>", "<nsym"}) {
    const auto at = good.find(name) + std::strlen(name) - 1;
    for (const char* word : {"0", "-1", "77", "2000000000", "1e30"}) {
      EXPECT_TRUE(file.refused(with_number(good, at, word), name)) << name << " " << word;
    }
  }
  for (std::size_t n = 1; n < 12; ++n) file.refused(with_number(good, good.size() * n / 12, "nan"), "NaN");
}

TEST(Damage, StaleFilesInASaveAreRefused) {
  const testing::ScratchDirectory scratch;
  const std::string save = testing::copy_of("si_small", scratch), other = data_set("si_small/hdf5");
  const auto put = [&](const std::filesystem::path& from, const std::string& name) {
    if (rank() == 0)
      std::filesystem::copy_file(from, save + "/" + name, std::filesystem::copy_options::overwrite_existing);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  const auto take_away = [&](const std::string& name) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove(save + "/" + name);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  put(other + "/wfc3.hdf5", "wfc3.hdf5");
  testing::expect_error(Fault::bad_file, "wfc3.dat and ", [&] { WaveFile(world(), save); });
  take_away("wfc3.hdf5");
  put(other + "/charge-density.hdf5", "charge-density.hdf5");
  testing::expect_error(Fault::bad_file, "remove the older one", [&] { WaveFile(world(), save); });
  testing::expect_error(Fault::bad_file, "remove the older one", [&] { read_density(world(), save); });
  take_away("charge-density.hdf5");
  WaveFile(world(), save);
  put(save + "/wfc2.dat", "wfc3.dat");  // of another k-point
  testing::expect_error(Fault::bad_file, "wfc3.dat", [&] { WaveFile(world(), save); });
  take_away("wfc3.dat");
  testing::expect_error(Fault::bad_file, "cannot find", [&] { WaveFile(world(), save); });
}

class DamagedDensity : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedDensity, IsRefused) {
  const testing::ScratchDirectory scratch;
  const std::string name = GetParam(), path = scratch.file(name);
  Density density = read_density(world(), data_file("abinit/time_reversal/DEN"));
  density.cutoff = 1;
  write_density(density, path);
  Damages file(path, density_in(path));
  const bool binary = name.ends_with(".h5") || name.ends_with("RHO");
  truncate(file, binary ? 32 : 400);
  const std::string& good = file.good();
  if (binary) {
    const auto& first = density.components[0];
    double value = first.empty() ? 0 : first[first.size() / 2];
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (name == "RHO") {
      EXPECT_TRUE(file.refused(with(good, good.size() - 12, nan, false), "NaN"));  // before the last marker
      return;
    }
    EXPECT_EQ(spoil_values(file, {value}), 1);
    const Places shape = places_of(good, static_cast<std::int64_t>(density.grid.nx), 0);
    EXPECT_GE(spoil_count<std::int64_t>(file, shape, {15, 17, 1'000'000}), 5);
    return;
  }
  for (const char* word : {"nan", "inf", "0x10", "1e999", "x"}) {
    EXPECT_TRUE(file.refused(with_number(good, good.size() / 2, word), word)) << word;
    EXPECT_TRUE(file.refused(with_number(good, good.size() - 100, word), word)) << word;
  }
  const auto shape = good.find("\n   " + std::to_string(density.grid.nx));
  if (name.ends_with(".cube")) {
    for (const char* word : {"0", "11", "99", "2000000000", "1e30", "nan"}) {
      EXPECT_TRUE(file.refused(with_number(good, shape, word), word)) << word;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Formats, DamagedDensity, ::testing::Values("a.cube", "a.xsf", "CHGCAR", "a.h5", "RHO"),
                         name_of_set);

/// Densities that other programs wrote, and those in wavefunction files.
TEST(Damage, OfDensitiesOfCodes) {
  const testing::ScratchDirectory scratch;
  const std::string abinit = scratch.file("DEN"), castep = scratch.file("a.check"),
                    save = testing::copy_of("si_small", scratch);
  if (rank() == 0) {
    std::filesystem::copy_file(data_file("abinit/time_reversal/DEN"), abinit);
    testing::write_check(castep, {1, 1, 1, false, true, 0.4, {{0, 0, 0}}, {2, 2, 3}});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::string& part : {abinit, castep, save + "/charge-density.dat"}) {
    Damages file(part, density_in(part == save + "/charge-density.dat" ? save : part));
    truncate(file, part == castep ? 60 : 32);
    if (part == castep) {
      EXPECT_EQ(spoil_values(file, {testing::density_at(1, 1, 1, 0)}), 1);
    }
  }
}

TEST(Damage, OfMatrices) {
  const testing::ScratchDirectory scratch;
  std::string text = "%%MatrixMarket matrix coordinate real general\n6 6 36\n";
  std::vector<double> dense(36);
  for (int i = 0; i < 36; ++i) {
    dense[static_cast<std::size_t>(i)] = 1 / (3.0 + i);
    text += fmt::format("{} {} {:.17e}\n", i % 6 + 1, i / 6 + 1, dense[static_cast<std::size_t>(i)]);
  }
  const std::string source = scratch.file("source.mtx");
  if (rank() == 0) std::ofstream(source) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto matrix = read_blocks<double>(world(), source);
  for (const auto& [format, name] :
       {std::pair(MatrixFormat::matrix_market, "a.mtx"), std::pair(MatrixFormat::csr_binary, "a.csr"),
        std::pair(MatrixFormat::csr_text, "a.txt"), std::pair(MatrixFormat::dbcsr, "a.dbcsr")}) {
    const std::string path = scratch.file(name);
    write_blocks(matrix, path, format);
    Damages file(path, matrix_in(path));
    const std::string& good = file.good();
    if (format == MatrixFormat::dbcsr || format == MatrixFormat::csr_binary) {
      EXPECT_TRUE(file.refused(good.substr(0, good.size() - 11), "truncated"));
      EXPECT_TRUE(file.refused(good.substr(0, good.size() / 2 + 5), "truncated"));
      EXPECT_EQ(spoil_values(file, {dense[7], dense[35]}), 2);
      continue;
    }
    if (format == MatrixFormat::matrix_market) {
      EXPECT_TRUE(file.refused(good.substr(0, good.size() / 2), "truncated"));
    }
    for (const char* word : {"nan", "inf", "0x10", "1e999", "4294967298", "-3", "0"}) {
      const auto line = good.find('\n', good.size() / 2);  // the row of an element
      EXPECT_TRUE(file.refused(with_number(good, line, word), word)) << name << " " << word;
    }
    const auto value = good.rfind(' ', good.size() - 3);
    for (const char* word : {"nan", "inf", "0x10", "1e999", "x"}) {
      EXPECT_TRUE(file.refused(with_number(good, value, word), word)) << name << " " << word;
    }
  }
}

TEST(Damage, OfTheRequestOfWannier90) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("a.nnkp");
  if (rank() == 0) std::filesystem::copy_file(data_file("wannier90/si_small.nnkp"), path);
  MPI_Barrier(MPI_COMM_WORLD);
  Damages file(path, [&] {
    const WannierRequest request = read_nnkp(world(), path);
    std::string bytes;
    append(bytes, request.kpoints);
    append(bytes, request.excluded_bands);
    append(bytes, std::vector(request.lattice.begin(), request.lattice.end()));
    for (const auto& neighbours : request.neighbours) append(bytes, neighbours);
    return bytes;
  });
  const std::string& good = file.good();
  for (const std::size_t kept : {std::size_t{0}, good.size() / 9, good.size() / 3, good.size() / 2}) {
    EXPECT_TRUE(file.refused(good.substr(0, kept), "truncated"));
  }
  for (const char* block : {"begin real_lattice", "begin kpoints", "begin nnkpts"}) {
    for (const char* word : {"nan", "1e999", "0x10", "-4", "2000000000"}) {
      if (std::string(word) == "-4" && std::string(block) == "begin real_lattice") continue;
      const auto at = good.find(block) + std::strlen(block);
      EXPECT_TRUE(file.refused(with_number(good, at, word), word)) << block << " " << word;
    }
  }
}

}  // namespace
}  // namespace seiche
