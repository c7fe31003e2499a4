// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions into files: bytes that do not depend on who writes them, and old files that stay whole.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "containers/extents.hpp"
#include "containers/output_file.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;
using testing::ScratchDirectory;
namespace fs = std::filesystem;

/// The names in a directory, or one name, with what the files hold.
std::map<std::string, std::string> everything(const std::string& path) {
  std::map<std::string, std::string> files;
  if (!fs::is_directory(path)) return {{"", testing::contents(path)}};
  for (const auto& entry : fs::directory_iterator(path)) {
    files[entry.path().filename().string()] = testing::contents(entry.path());
  }
  return files;
}

void expect_same_files(const std::string& path, const std::map<std::string, std::string>& expected) {
  const auto files = everything(path);
  EXPECT_EQ(files.size(), expected.size()) << path;
  for (const auto& [name, bytes] : expected) {
    const auto found = files.find(name);
    EXPECT_TRUE(found != files.end() && found->second == bytes) << path << " " << name;
    compared();
  }
}

std::vector<OrbitalGrid> some_grids() {
  const int n = testing::ranks();
  std::vector<OrbitalGrid> grids{{1, 1, n}, {1, n, 1}, {n, 1, 1}};
  if (n % 2 == 0) grids.push_back({2, 1, n / 2});
  if (n % 3 == 0) grids.push_back({1, 3, n / 3});
  return grids;
}

/// Read in one layout, written from another: the same bytes as one process writes alone, and the same wavefunctions.
void expect_independent_of_layout(const std::string& input, const std::string& format, const std::string& name) {
  const ScratchDirectory scratch;
  const std::string alone = scratch.file("alone" + name);
  if (testing::rank() == 0) convert(WaveFile(MPI_COMM_SELF, input), alone, format);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto expected = everything(alone);
  const WaveFile file(MPI_COMM_WORLD, input);
  const auto grids = some_grids();
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const Orbitals orbitals = read_orbitals(file, {grids[i]});
    const std::string path = scratch.file("written" + name);
    write_orbitals(redistribute(orbitals, {grids[(i + 1) % grids.size()]}), path, format);
    expect_same_files(path, expected);
    const Comparison comparison = compare(file, WaveFile(MPI_COMM_WORLD, path));
    EXPECT_TRUE(comparison.equal()) << comparison.difference << " " << comparison.worst().overlap;
    EXPECT_EQ(comparison.energy, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const std::string converted = scratch.file("converted" + name);
  MoveOptions little;
  std::int64_t most = 0;
  for (const KPoint& k : file.header().kpoints) most = std::max(most, k.plane_waves);
  little.policy.memory = 10 * most * file.header().spinor * static_cast<std::int64_t>(sizeof(std::complex<double>));
  convert(file, converted, format, little);
  expect_same_files(converted, expected);
}

TEST(WaveWriting, BytesDoNotDependOnTheLayout) {
  for (const char* set : {"si_small", "si_small/hdf5", "gamma", "fe_so"}) {
    expect_independent_of_layout(data_set(set), "qe", ".save");
    expect_independent_of_layout(data_set(set), "qe-hdf5", ".save");
    expect_independent_of_layout(data_set(set), "wfn", ".h5");
  }
}

TEST(WaveWriting, SpinsKeepApart) {
  if (data_set("fe").empty()) GTEST_SKIP() << "fe is not here; set SEICHE_SHARED";
  expect_independent_of_layout(data_set("fe"), "qe", ".save");
  expect_independent_of_layout(data_set("fe"), "wfn", ".h5");
}

/// All sets of the tests and beside the repository, of all codes; in the long suite.
class EverySet : public ::testing::TestWithParam<const char*> {};
TEST_P(EverySet, FromEveryGrid) {
  const std::string name = GetParam();
  std::string input = data_set(name).empty() ? testing::data_file(name) : data_set(name);
  if (input.empty()) GTEST_SKIP() << name << " is not here; set SEICHE_SHARED";
  if (!testing::long_suite()) GTEST_SKIP() << "in the long suite; set SEICHE_LONG=1";
  const ScratchDirectory scratch;
  if (name == "al2o3") input = testing::unpacked(name, scratch);
  expect_independent_of_layout(input, "qe", ".save");
  expect_independent_of_layout(input, "wfn", ".h5");
}
INSTANTIATE_TEST_SUITE_P(WaveWriting, EverySet,
                         ::testing::Values("al2o3", "si_small_full", "si_ecut2", "si_ecut2/hdf5", "si_cell2", "gamma_k",
                                           "gamma/hdf5", "fe", "fe/hdf5", "fe_so/hdf5", "fe_so_full", "al2o3_prim",
                                           "al2o3_prim/hdf5", "abinit_si_psp8/sio_WFK", "abinit_si_psp8_nc/sio_WFK.nc",
                                           "foreign/GaAs.check", "foreign/WAVECAR.wfc_r", "foreign/WAVECAR.co2",
                                           "foreign/WFN_in.h5"),
                         testing::name_of_set);

/// The oracle is the code's own file: waves and coefficients come back in its order, to the last bit, from any format.
TEST(WaveWriting, QuantumEspressoGetsItsOwnRecordsBack) {
  const ScratchDirectory scratch;
  for (const char* set : {"si_small", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const std::string between = scratch.file(std::string(set) + ".h5"), back = scratch.file(std::string(set) + ".save");
    convert(file, between);
    convert(WaveFile(MPI_COMM_WORLD, between), back);
    const WaveFile again(MPI_COMM_WORLD, back);
    for (int k = 0; k < static_cast<int>(file.header().kpoints.size()); ++k) {
      const std::string name = "/wfc" + std::to_string(k + 1) + ".dat";
      const std::string theirs = testing::contents(data_set(set) + name), ours = testing::contents(back + name);
      const std::size_t header = 52 + 24;  // k and the vectors are computed anew; ngw is a number that nobody reads
      EXPECT_EQ(theirs.size(), ours.size());
      EXPECT_TRUE(theirs.substr(header + 80) == ours.substr(header + 80)) << set << name;
      compared();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

class OfQuantumEspresso : public testing::EachSet {};
TEST_P(OfQuantumEspresso, OrderIsThatOfItsFiles) {
  const WaveFile file(MPI_COMM_SELF, data_set(GetParam()));
  const OrbitalHeader& h = file.header();
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
    auto waves = file.waves(0, k, {0, h.kpoints[static_cast<std::size_t>(k)].plane_waves});
    const auto expected = waves;
    std::reverse(waves.begin(), waves.end());
    testing::expect_equal(in_quantum_espresso_order(h.crystal.reciprocal(), std::move(waves)), expected);
  }
}
INSTANTIATE_TEST_SUITE_P(WaveWriting, OfQuantumEspresso,
                         ::testing::Values("si_small", "gamma", "fe_so", "al2o3_prim", "fe"), testing::name_of_set);

TEST(WaveWriting, ChecksumsFindDamage) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.h5");
  convert(WaveFile(MPI_COMM_WORLD, data_set("si_small")), path);
  std::int64_t size = static_cast<std::int64_t>(fs::file_size(path));
  MPI_Barrier(MPI_COMM_WORLD);
  testing::damage(path, size - 4000, 0.125);
  const WaveFile damaged(MPI_COMM_WORLD, path);
  expect_error(Fault::bad_file, "the checksum of band 8 is wrong", [&] {
    read_orbitals(damaged, {{1, 1, testing::ranks()}});
  });
  expect_error(Fault::bad_file, "the checksum of band 8 is wrong", [&] { convert(damaged, scratch.file("b.h5")); });
  EXPECT_FALSE(fs::exists(scratch.file("b.h5")));
}

/// Lowers the limit of what lies between two markers, and puts it back.
struct ShortRecords {
  explicit ShortRecords(std::int64_t bytes) { set_subrecord_limit(bytes); }
  ~ShortRecords() { set_subrecord_limit(usual); }
  std::int64_t usual = subrecord_limit();
};

/// As gfortran -fmax-subrecord-length=64 writes 20 numbers in one record: a marker is negative before a part that
/// another follows, and behind a part that another precedes.
TEST(WaveWriting, LongRecordsAreSplitAsFortranDoes) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("record" + std::to_string(testing::rank()));
  const ShortRecords limit(64);
  std::vector<double> values(20), back(7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 1;
  const Extent extent{path, 4, 20, Element::float64, false, true};
  EXPECT_EQ(extent.end(), 184);
  File::make(path);
  const File file(path, File::Mode::write);
  write_extent(file, extent, {0, 9}, std::span<const double>(values).first(9));
  write_extent(file, extent, {9, 20}, std::span<const double>(values).subspan(9));
  const std::string bytes = testing::contents(path);
  EXPECT_EQ(bytes.size(), 184U);
  const std::array<std::pair<std::size_t, std::int32_t>, 6> markers{
      {{0, -64}, {68, 64}, {72, -64}, {140, -64}, {144, 32}, {180, -32}}};
  for (const auto& [offset, expected] : markers) {
    std::int32_t found = 0;
    std::memcpy(&found, bytes.data() + offset, sizeof found);
    EXPECT_EQ(found, expected) << "at byte " << offset;
    compared();
  }
  read_extent(file, extent, {6, 13}, back);
  testing::expect_close<double>(back, std::span<const double>(values).subspan(6, 7), 0);
  File(path, File::Mode::write).write(72, std::as_bytes(std::span("wrong", 4)));
  expect_error(Fault::bad_file, "wrong marker at byte 72", [&] { read_extent(file, extent, {6, 13}, back); });
}

TEST(WaveWriting, WavefunctionsSurviveSplitRecords) {
  const ScratchDirectory scratch;
  const ShortRecords limit(1000);
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small/hdf5"));
  convert(file, scratch.file("a.save"));
  const Comparison comparison = compare(file, WaveFile(MPI_COMM_WORLD, scratch.file("a.save")));
  EXPECT_TRUE(comparison.equal()) << comparison.difference;
  compared();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  MPI_Barrier(MPI_COMM_WORLD);  // the first rank tidies up when it leaves
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  MPI_Barrier(MPI_COMM_WORLD);
  return names;
}

TEST(WaveWriting, RequestsThatCannotBeMet) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  expect_error(Fault::bad_argument, "choose one of qe, qe-hdf5", [&] { convert(file, scratch.file("a.nothing")); });
  expect_error(Fault::bad_argument, "unknown format 'word'", [&] { convert(file, scratch.file("a.h5"), "word"); });
  expect_error(Fault::unwritable, "create the folder first", [&] { convert(file, scratch.file("none/a.h5")); });
  if (testing::rank() == 0) {
    fs::create_directory(scratch.file("mine.save"));
    std::ofstream(scratch.file("mine.save/thesis.tex")) << "years of work";
    std::ofstream(scratch.file("file.save")) << "text";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::unwritable, "a folder with other contents", [&] { convert(file, scratch.file("mine.save")); });
  expect_error(Fault::unwritable, "it is a file", [&] { convert(file, scratch.file("file.save")); });
  expect_error(Fault::unwritable, "it is a folder", [&] { convert(file, scratch.file("mine.save"), "wfn"); });
  MoveOptions nothing;
  nothing.policy.memory = 100;
  expect_error(Fault::bad_argument, "raise the limit", [&] { convert(file, scratch.file("a.h5"), "", nothing); });
  EXPECT_EQ(names_in(scratch.path()), (std::set<std::string>{"mine.save", "file.save"}));
  compared();
}

TEST(WaveWriting, RecordsThatNoMarkerHolds) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const std::string path = scratch.file("wfn");
  const ShortRecords limit(4096);
  expect_error(Fault::unsupported, "exceeds the limit of 4096 bytes", [&] { convert(file, path, "wfn-binary"); });
}

TEST(WaveWriting, ReplacesWhatWasThere) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  for (const char* name : {"a.save", "a.h5"}) {
    const std::string path = scratch.file(name);
    convert(file, path + (path.ends_with("save") ? "/" : ""));
    const auto first = everything(path);
    MPI_Barrier(MPI_COMM_WORLD);
    convert(file, path);
    expect_same_files(path, first);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_EQ(names_in(scratch.path()), (std::set<std::string>{"a.save", "a.h5"}));
}

TEST(WaveWriting, LittersOfKilledRunsAreSwept) {
  const ScratchDirectory scratch;
  if (testing::rank() == 0) {
    std::ofstream(scratch.file("a.h5.seiche-AbCdEf")) << "left behind";
    std::ofstream(scratch.file("a.h5.mine-AbCdEf")) << "not ours";
    fs::create_directories(scratch.file("a.save.seiche-AbCdEf/deep"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Communicator world = Communicator(MPI_COMM_WORLD);
  const OutputFile in_use(world, scratch.file("a.h5"));
  convert(file, scratch.file("a.h5"));
  convert(file, scratch.file("a.save"));
  const std::string used = fs::path(in_use.temporary()).filename().string();
  EXPECT_EQ(names_in(scratch.path()), (std::set<std::string>{"a.h5", "a.save", "a.h5.mine-AbCdEf", used}));
  compared();
}

TEST(WaveWriting, SaysWhatIsLost) {
  const WaveFile iron(MPI_COMM_WORLD, data_set("fe_so")), water(MPI_COMM_WORLD, data_set("gamma"));
  const auto lost = losses(iron.header(), "x.h5");
  EXPECT_EQ(lost.size(), 2U);
  EXPECT_NE(lost[0].find("8 of 16 symmetry operations"), std::string::npos) << lost[0];
  EXPECT_NE(lost[1].find("names of pseudopotentials"), std::string::npos) << lost[1];
  const auto of_water = losses(water.header(), "x.h5");
  ASSERT_EQ(of_water.size(), 3U);
  EXPECT_NE(of_water[0].find("reality of the wavefunctions"), std::string::npos) << of_water[0];
  EXPECT_NE(of_water[1].find("(kgrid, shift): unknown"), std::string::npos) << of_water[1];
  EXPECT_TRUE(losses(water.header(), "x.save", "", true).empty());
  const auto without = losses(water.header(), "x.save");
  ASSERT_EQ(without.size(), 1U);
  EXPECT_NE(without[0].find("the density, which pw.x needs for a restart"), std::string::npos) << without[0];
  compared(7);
}

/// A band turned by an angle within its degenerate group is the same physics, outside of it is not.
TEST(WaveWriting, LikenessSeesSubspaces) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const auto turned = [&](int a, int b, double angle) {
    Orbitals orbitals = read_orbitals(file, {{1, 1, testing::ranks()}});
    OrbitalPart& part = orbitals.parts[0];
    const std::size_t n = part.waves.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto& x = part.coefficients[static_cast<std::size_t>(a) * n + i];
      auto& y = part.coefficients[static_cast<std::size_t>(b) * n + i];
      const auto old = x;
      x = std::cos(angle) * old + std::sin(angle) * y;
      y = -std::sin(angle) * old + std::cos(angle) * y;
    }
    const std::string path = scratch.file("turned.h5");
    write_orbitals(orbitals, path);
    return compare(file, WaveFile(MPI_COMM_WORLD, path));
  };
  EXPECT_TRUE(turned(1, 3, 0.7).equal());  // bands 2 to 4 are degenerate at Gamma
  const Comparison mixed = turned(0, 2, 0.1);
  EXPECT_FALSE(mixed.equal());
  EXPECT_NEAR(mixed.worst().overlap, std::cos(0.1), 1e-12);
  EXPECT_EQ(mixed.worst().k, 0);
  EXPECT_FALSE(compare(file, WaveFile(MPI_COMM_WORLD, data_set("gamma"))).difference.empty());
  compared(4);
}

}  // namespace
}  // namespace seiche
