// SPDX-License-Identifier: BSD-3-Clause
/// \file  Quantities on a grid, read from files that say themselves what their crystal and grid are.
#include <fmt/core.h>

#include <filesystem>
#include <functional>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

namespace seiche {
namespace {

using testing::data_file;
using testing::data_set;
using testing::expect_error;
using testing::put;
using testing::value_at;

constexpr double angstrom = 1 / 0.529177210903;

void expect_same_crystal(const Crystal& found, const Crystal& wanted, double tolerance) {
  for (std::size_t i = 0; i < 3; ++i) {
    testing::expect_close<double>(std::vector(found.lattice[i].begin(), found.lattice[i].end()),
                                  std::vector(wanted.lattice[i].begin(), wanted.lattice[i].end()), tolerance);
  }
  ASSERT_EQ(found.atoms.size(), wanted.atoms.size());
  for (std::size_t n = 0; n < wanted.atoms.size(); ++n) {
    EXPECT_EQ(found.atoms[n].symbol, wanted.atoms[n].symbol);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.atoms[n].position[i], wanted.atoms[n].position[i], tolerance);
    }
  }
}

void expect_known_values(const Density& density) { testing::expect_values(density, 0, 1, 0); }

const std::string cube_values = [] {
  std::string text;
  for (int x = 0; x < 2; ++x) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 4; ++z) text += fmt::format("{} ", value_at(x, y, z));
      text += '\n';
    }
  }
  return text;
}();

TEST(GridText, CubeOfAnotherProgram) {
  const testing::ScratchDirectory scratch;
  const std::string path = put(scratch, "potential.cube",
                               "made by hand\nfor this test\n"
                               "2 0 0 0\n2 1.0 0 0\n3 0 2.0 0\n4 0.25 0 +1.5\n"
                               "14 4.0 0 0 0\n8 6.0 1.0 1.0 2.0\n" +
                                   cube_values);
  const Density density = read_density(MPI_COMM_WORLD, path);
  expect_same_crystal(density.crystal, {{{{2, 0, 0}, {0, 6, 0}, {1, 0, 6}}}, {{"Si", {0, 0, 0}}, {"O", {1, 1, 2}}}, {}},
                      1e-14);
  EXPECT_EQ(density.units, "as in potential.cube");
  expect_known_values(density);

  const auto in_angstrom = put(scratch, "angstrom.cube",
                               "by hand\nin angstrom\n1 0 0 0\n-2 1 0 0\n-3 0 1 0\n-4 0 0 1\n"
                               "1 1.0 1 2 3\n" +
                                   cube_values);
  expect_same_crystal(read_density(MPI_COMM_WORLD, in_angstrom).crystal,
                      {{{{2 * angstrom, 0, 0}, {0, 3 * angstrom, 0}, {0, 0, 4 * angstrom}}},
                       {{"H", {angstrom, 2 * angstrom, 3 * angstrom}}},
                       {}},
                      1e-14);
}

std::string xsf(const std::string& cell = "2 0 0\n0 3 0\n0 0 4\n") {
  std::string text = "# by hand\nCRYSTAL\nPRIMVEC\n" + cell +
                     "PRIMCOORD\n2 1\nSi1 0 0 0 0.1 0.2 0.3\n8 1 1 2\n"
                     "BEGIN_BLOCK_DATAGRID_3D\npotential\nDATAGRID_3D_one\n3 4 5\n0 0 0\n2 0 0\n0 3 0\n0 0 4\n";
  for (int z = 0; z <= 4; ++z) {
    for (int y = 0; y <= 3; ++y) {
      for (int x = 0; x <= 2; ++x) text += fmt::format("{}\n", value_at(x % 2, y % 3, z % 4));
    }
  }
  return text + "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n";
}

TEST(GridText, XsfOfAnotherProgram) {
  const testing::ScratchDirectory scratch;
  const Density density = read_density(MPI_COMM_WORLD, put(scratch, "potential.xsf", xsf()));
  EXPECT_EQ(density.grid, (GridShape{2, 3, 4}));
  expect_same_crystal(density.crystal,
                      {{{{2 * angstrom, 0, 0}, {0, 3 * angstrom, 0}, {0, 0, 4 * angstrom}}},
                       {{"Si", {0, 0, 0}}, {"O", {angstrom, angstrom, 2 * angstrom}}},
                       {}},
                      1e-14);
  expect_known_values(density);
}

/// How a text has the known values.
struct Written {
  std::function<std::string(double)> number = [](double value) { return fmt::format(" {:.10E}", value); };
  std::vector<double> factors{1};  // of the components
  double scale = 1;
  std::array<std::int64_t, 3> first{};  // the point that comes first
  double beyond = 0;                    // so many steps further along each axis
  bool whole_orbitals = false;          // a .cube says orbitals, not values at each point
};

double known(const Written& w, std::size_t component, std::int64_t x, std::int64_t y, std::int64_t z) {
  return w.scale * w.factors[component] * value_at((x + w.first[0]) % 2, (y + w.first[1]) % 3, (z + w.first[2]) % 4);
}
/// In a cell of 2 x 3 x 4 points and lengths. What is not 0 lies in the cell before.
std::string origin_of(const Written& w) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t before = w.first[i] == 0 ? 0 : std::array{2, 3, 4}[i];
    text += fmt::format(" {}", static_cast<double>(w.first[i] - before) + w.beyond);
  }
  return text;
}

std::string cube_of(const Written& w) {
  const std::size_t components = w.factors.size();
  std::string text = "by hand\nvalues\n";
  text += (w.whole_orbitals ? "-1" : "1") + origin_of(w);
  if (components > 1 && !w.whole_orbitals) text += fmt::format(" {}", components);
  text += "\n2 1 0 0\n3 0 1 0\n4 0 0 1\n14 4.0 1 1 2\n";
  if (w.whole_orbitals) text += components == 1 ? "1 7\n" : "2 7 8\n";
  for (int x = 0; x < 2; ++x) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 4; ++z) {
        for (std::size_t c = 0; c < components; ++c) text += w.number(known(w, c, x, y, z));
      }
      text += '\n';
    }
  }
  return text;
}

std::string xsf_of(const Written& w, const std::string& kind = "CRYSTAL", bool repeats = true) {
  std::string text = kind + "\nPRIMVEC\n2 0 0\n0 3 0\n0 0 4\nPRIMCOORD\n1 1\nSi 1 1 2\nBEGIN_BLOCK_DATAGRID_3D\nmine\n";
  const int more = repeats ? 1 : 0;
  for (std::size_t c = 0; c < w.factors.size(); ++c) {
    text += fmt::format("BEGIN_DATAGRID_3D_{}\n{} {} {}\n{}\n", c, 2 + more, 3 + more, 4 + more, origin_of(w));
    text += repeats ? "2 0 0\n0 3 0\n0 0 4\n" : "1 0 0\n0 2 0\n0 0 3\n";
    for (int z = 0; z < 4 + more; ++z) {
      for (int y = 0; y < 3 + more; ++y) {
        for (int x = 0; x < 2 + more; ++x) text += w.number(known(w, c, x, y, z));
        text += '\n';
      }
    }
    text += "END_DATAGRID_3D\n";
  }
  return text + "END_BLOCK_DATAGRID_3D\n";
}

std::string locpot_of(const Written& w) {
  std::string text = "by hand\n1\n2 0 0\n0 3 0\n0 0 4\nSi\n1\nDirect\n0.5 0.3333333 0.5\n\n";
  for (std::size_t c = 0; c < w.factors.size(); ++c) {
    text += "2 3 4\n";
    Written spin = w;  // that of which the components are mean and half difference
    if (w.factors.size() == 2) spin.factors = {w.factors[0] + w.factors[1], w.factors[0] - w.factors[1]};
    for (int z = 0; z < 4; ++z) {
      for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 2; ++x) text += w.number(known(spin, c, x, y, z));
        text += '\n';
      }
    }
  }
  return text;
}

/// Names and texts of all formats that can say it.
std::vector<std::pair<std::string, std::string>> in_all_formats(const Written& w) {
  std::vector<std::pair<std::string, std::string>> all{
      {"a.cube", cube_of(w)}, {"a.cub", cube_of(w)}, {"a.xsf", xsf_of(w)}, {"a_slab.xsf", xsf_of(w, "SLAB", false)}};
  Written orbitals = w;
  orbitals.whole_orbitals = true;
  all.emplace_back("orbitals.cube", cube_of(orbitals));
  if (w.first == std::array<std::int64_t, 3>{} && w.beyond == 0) all.emplace_back("LOCPOT", locpot_of(w));
  return all;
}

void expect_everywhere(const Written& w) {
  const testing::ScratchDirectory scratch;
  for (const auto& [name, text] : in_all_formats(w)) {
    const Density found = read_density(MPI_COMM_WORLD, put(scratch, name, text));
    EXPECT_EQ(found.grid, (GridShape{2, 3, 4})) << name;
    ASSERT_EQ(found.components.size(), w.factors.size()) << name;
    for (std::size_t c = 0; c < w.factors.size(); ++c) {
      testing::expect_values(found, c, w.scale * w.factors[c], 1e-9);
    }
    EXPECT_EQ(found.crystal.atoms.size(), 1U) << name;
    const double unit = name.ends_with(".cube") || name.ends_with(".cub") ? 1 : angstrom;
    EXPECT_NEAR(found.crystal.atoms.at(0).position[0], unit, 1e-5) << name;
  }
}

TEST(GridText, NumbersAsProgramsWriteThem) {
  const auto scientific = [](double value) { return fmt::format("{:.10E}", value); };
  expect_everywhere({});
  expect_everywhere({[=](double value) {
    std::string text = scientific(value);
    text[text.find('E')] = 'D';
    return ' ' + text;
  }});
  expect_everywhere({[](double value) { return fmt::format("{:+.10E}", value); }});  // they touch
  expect_everywhere({[](double value) { return fmt::format("{:+12.5f}", value); }});
  for (const double scale : {1e-120, 1e+120}) {  // no letter before three digits
    for (const char* before : {" ", ""}) {
      const auto number = [=](double value) {
        std::string text = fmt::format("{:+.10E}", value);
        text.erase(text.find('E'), 1);
        return before + text;
      };
      expect_everywhere({.number = number, .scale = scale});
    }
  }
}

TEST(GridText, ComponentsAreAllRead) {
  expect_everywhere({.factors = {1, -0.5}});
  const testing::ScratchDirectory scratch;
  const Density one = read_density(MPI_COMM_WORLD, put(scratch, "one.cube", cube_of({})));
  for (const auto& [name, text] : in_all_formats({.factors = {1, -0.5}})) {
    const std::string path = put(scratch, name, text);
    if (name == "LOCPOT" || name.ends_with("xsf")) continue;  // of another cell
    expect_error(Fault::bad_argument, "holds 2 components", [&] { read_density(path, one); });
  }
}

TEST(GridText, FirstPointElsewhere) {
  const testing::ScratchDirectory scratch;
  for (const std::array<std::int64_t, 3>& first : {std::array<std::int64_t, 3>{1, 2, 3}, {0, 1, 0}, {1, 5, 10}}) {
    expect_everywhere({.factors = {1, 2}, .first = first});
    const Written moved{.first = first, .beyond = 0.4};
    for (const auto& [name, text] : in_all_formats(moved)) {
      const std::string path = put(scratch, name, text);
      expect_error(Fault::unsupported, "0 grid steps from the origin", [&] { read_density(MPI_COMM_WORLD, path); });
    }
  }
}

TEST(GridText, MoreValuesThanTheHeadSays) {
  const testing::ScratchDirectory scratch;
  for (const auto& [name, text] : in_all_formats({})) {
    if (name == "LOCPOT") continue;  // moments of atoms may follow
    std::string longer = text;
    const auto end = longer.find("END_DATAGRID");
    longer.insert(end == std::string::npos ? longer.size() : end, "1.5\n");
    const std::string path = put(scratch, name, longer);
    expect_error(Fault::bad_file, "more values follow", [&] { read_density(MPI_COMM_WORLD, path); });
  }
}

TEST(GridText, NumbersThatAreNone) {
  const testing::ScratchDirectory scratch;
  for (const char* bad :
       {"1.5E", "1.5E+", "1.2.3", "1.5E+002.5E+00", "-", ".", "nan", "inf", "1,5", "0x10", "1e999", "\x01\x02\xff"}) {
    for (const auto& [name, text] : in_all_formats({[bad](double) { return std::string(" ") + bad; }})) {
      const std::string path = put(scratch, name, text);
      expect_error(Fault::bad_file, "is not a number", [&] { read_density(MPI_COMM_WORLD, path); });
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST(GridText, GoesFromFormatToFormat) {
  const testing::ScratchDirectory scratch;
  std::string path = put(scratch, "0.xsf", xsf());
  const Density original = read_density(MPI_COMM_WORLD, path);
  for (const char* name : {"1.cube", "2.h5", "3.xsf"}) {
    write_density(read_density(MPI_COMM_WORLD, path), scratch.file(name));
    path = scratch.file(name);
    const Density again = read_density(MPI_COMM_WORLD, path);
    expect_same_crystal(again.crystal, original.crystal, 1e-13);
    expect_known_values(again);
    EXPECT_TRUE(holds_density_only(MPI_COMM_WORLD, path)) << name;
  }
}

/// A density of a code, and the wavefunctions that it is of: a .save, or files.
struct OfCode {
  const char *density, *waves;
};
std::string found(const char* name) { return data_set(name).empty() ? data_file(name) : data_set(name); }

class DensitiesOfCodes : public ::testing::TestWithParam<OfCode> {};
TEST_P(DensitiesOfCodes, SayWhatTheyAre) {
  const std::string density = found(GetParam().density), waves = found(GetParam().waves);
  if (density.empty() || waves.empty()) GTEST_SKIP() << GetParam().density << " is not here; set SEICHE_SHARED";
  const WaveFile file(MPI_COMM_WORLD, waves);
  const Density computed = density_of(file);
  const Density read = read_density(MPI_COMM_WORLD, density);
  EXPECT_LE(compare(computed, read).largest(), 1e-11);
  EXPECT_EQ(read.components.size(), computed.components.size());
  EXPECT_EQ(read.units, electrons_per_volume);
  Crystal wanted = file.header().crystal;
  if (density.ends_with(".nc")) wanted.atoms.clear();  // this file has none
  expect_same_crystal(read.crystal, wanted, 1e-12);
  const bool alone = std::filesystem::path(density).filename().string().starts_with("DEN");
  EXPECT_EQ(holds_density_only(MPI_COMM_WORLD, density), alone);
}
INSTANTIATE_TEST_SUITE_P(GridText, DensitiesOfCodes,
                         ::testing::Values(OfCode{"si_small", "si_small"}, OfCode{"gamma/hdf5", "gamma"},
                                           OfCode{"fe", "fe"}, OfCode{"fe_so", "fe_so"},
                                           OfCode{"abinit/spin/DEN", "abinit/spin/WFK"},
                                           OfCode{"abinit/spin/DEN.nc", "abinit/spin/WFK"},
                                           OfCode{"abinit/time_reversal/DEN", "abinit/time_reversal/WFK"}));

TEST(GridText, MagnetisationBesideIsReadToo) {
  const testing::ScratchDirectory scratch;
  const Density iron = density_of(WaveFile(MPI_COMM_WORLD, data_set("fe_so")));
  for (const char* name : {"iron.cube", "iron.xsf", "iron.h5"}) {
    write_density(iron, scratch.file(name));
    const Density back = read_density(MPI_COMM_WORLD, scratch.file(name));
    EXPECT_EQ(back.units, electrons_per_volume);
    for (std::size_t c = 0; c < 4; ++c) testing::expect_equal(back.components.at(c), iron.components[c]);
  }
}

TEST(GridText, DamagedFilesAreRefused) {
  const testing::ScratchDirectory scratch;
  const auto refused = [&](Fault fault, const char* part, const std::string& name, const std::string& text) {
    const std::string path = put(scratch, name, text);
    expect_error(fault, part, [&] { read_density(MPI_COMM_WORLD, path); });
    MPI_Barrier(MPI_COMM_WORLD);
  };
  const std::string steps = "2 1 0 0\n3 0 1 0\n4 0 0 1\n", head = "a\nb\n0 0 0 0\n" + steps;
  refused(Fault::unsupported, "2 values per point and 3 orbitals", "a.cube",
          "a\nb\n-1 0 0 0 2\n" + steps + "1 1 0 0 0\n3 1 2 3\n");
  refused(Fault::bad_file, "truncated: 900 values at each of", "a.cube", "a\nb\n0 0 0 0 900\n" + steps);
  refused(Fault::unsupported, "(2, -3 and 4) have different signs", "a.cube",
          "a\nb\n0 0 0 0\n2 1 0 0\n-3 0 1 0\n4 0 0 1\n");
  refused(Fault::bad_file, "'x' near byte", "a.cube", head + "1 2 x");
  refused(Fault::bad_file, "truncated", "a.cube", head + "1 2 3\n");
  refused(Fault::bad_file, "invalid count", "a.cube", "a\nb\n1e9 0 0 0\n");
  refused(Fault::bad_file, "invalid grid (0 x 3 x 4 points)", "a.cube",
          "a\nb\n0 0 0 0\n0 1 0 0\n3 0 1 0\n4 0 0 1\n1\n");
  refused(Fault::bad_file, "the cell has no volume", "a.cube", "a\nb\n0 0 0 0\n2 1 0 0\n3 1 0 0\n4 0 0 1\n1\n");
  refused(Fault::unsupported, "is not periodic", "a.xsf", "MOLECULE\n");
  refused(Fault::unsupported, "no values on a grid", "a.xsf", "CRYSTAL\nPRIMVEC\n1 0 0\n0 1 0\n0 0 1\n");
  refused(Fault::unsupported, "differ from PRIMVEC", "a.xsf", xsf("1 0 0\n0 3 0\n0 0 4\n"));
}

TEST(GridText, MoreAtomsThanThereCanBeAreRefused) {
  const testing::ScratchDirectory scratch;
  Density density{.comm = MPI_COMM_WORLD};
  density.crystal = {{{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}}}, std::vector<Atom>(100001, {"H", {}}), {}};
  density.grid = {2, 2, 2};
  if (testing::rank() == 0) density.box = {{{{0, 2}, {0, 2}, {0, 2}}}};
  density.components.assign(1, std::vector<double>(static_cast<std::size_t>(density.box.volume())));
  write_density(density, scratch.file("many.h5"));
  expect_error(Fault::bad_file, "invalid number of atoms (100001)",
               [&] { read_density(MPI_COMM_WORLD, scratch.file("many.h5")); });
}

TEST(GridText, ADensityAloneInPlaneWavesIsRefused) {
  const testing::ScratchDirectory scratch;
  if (testing::rank() == 0) {
    std::filesystem::copy_file(data_set("si_small") + "/charge-density.dat", scratch.file("charge-density.dat"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_argument, "does not hold its cell and grid",
               [&] { read_density(MPI_COMM_WORLD, scratch.file("charge-density.dat")); });
}

}  // namespace
}  // namespace seiche
