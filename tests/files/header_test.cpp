// SPDX-License-Identifier: BSD-3-Clause
/// \file  Headers that the caller changed: their values are written, and headers that do not fit are refused.
#include <cmath>
#include <functional>

#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;
using testing::ScratchDirectory;

/// Values that the caller changed, of which the source has others.
TEST(Header, CallersValuesReplaceTheSources) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("fe_so"));
  const OrbitalLayout layout{{1, 1, testing::ranks()}};
  Orbitals orbitals = read_orbitals(file, layout);
  const std::string same = scratch.file("same.save"), other = scratch.file("other.save");
  write_orbitals(orbitals, same);
  OrbitalHeader& h = orbitals.header;
  h.total_energy = -1.5;
  h.fermi_energy = 0.123;
  h.electrons = 7;
  h.occupations[1] = 0.5;
  write_orbitals(orbitals, other);
  const OrbitalHeader found = WaveFile(MPI_COMM_WORLD, other).header(), kept = WaveFile(MPI_COMM_WORLD, same).header();
  EXPECT_EQ(found.total_energy, -1.5);
  EXPECT_EQ(found.fermi_energy, 0.123);
  EXPECT_EQ(found.electrons, 7);
  EXPECT_EQ(found.occupations[1], 0.5);
  EXPECT_EQ(kept.total_energy, file.header().total_energy);
  EXPECT_EQ(kept.fermi_energy, file.header().fermi_energy);
  const std::string before = testing::contents(same + "/data-file-schema.xml"),
                    after = testing::contents(other + "/data-file-schema.xml");
  for (const char* name : {"<ewald>", "<occupations_kind>smearing", "<forces "}) {
    EXPECT_NE(before.find(name), std::string::npos) << name;
    EXPECT_EQ(after.find(name), std::string::npos) << name;
  }
  compared(12);
  // forces belong to the atoms
  h = file.header();
  h.crystal.atoms[0].position[0] += 0.3;
  write_orbitals(orbitals, other);
  EXPECT_EQ(testing::contents(other + "/data-file-schema.xml").find("<forces "), std::string::npos);
}

TEST(Header, HeadersWithoutTheRightNumberOfStatesAreRefused) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const OrbitalLayout layout{{1, 1, testing::ranks()}};
  const Orbitals good = read_orbitals(file, layout);
  struct Change {
    const char* said;
    std::function<void(OrbitalHeader&)> make;
  };
  const double nan = std::nan("");
  for (const Change& change : {Change{"has 3 energies, but", [](OrbitalHeader& h) { h.energies.resize(3); }},
                               Change{"occupations, but", [](OrbitalHeader& h) { h.occupations.push_back(0); }},
                               Change{"energies, but", [](OrbitalHeader& h) { h.bands = 12; }},
                               Change{"energies that are not finite", [&](OrbitalHeader& h) { h.energies[5] = nan; }},
                               Change{"weights of k-points that", [&](OrbitalHeader& h) { h.kpoints[1].weight = nan; }},
                               Change{"invalid numbers of spins (3)", [](OrbitalHeader& h) { h.spins = 3; }}}) {
    Orbitals orbitals = good;
    change.make(orbitals.header);
    for (const char* name : {"a.save", "a.h5", "a.wavecar", "a.check", "a_WFK"}) {
      expect_error(Fault::bad_argument, change.said, [&] { write_orbitals(orbitals, scratch.file(name)); });
    }
    expect_error(Fault::bad_argument, change.said, [&] { losses(orbitals.header, "a.h5"); });
    expect_error(Fault::bad_argument, change.said, [&] { redistribute(orbitals, layout); });
    expect_error(Fault::bad_argument, change.said, [&] { density_of(orbitals); });
    expect_error(Fault::bad_argument, change.said, [&] { filled(orbitals.header, {}); });
    const std::vector<std::vector<Miller>> waves(orbitals.header.kpoints.size());
    expect_error(Fault::bad_argument, change.said, [&] { make_orbitals(good.comm, orbitals.header, waves, layout); });
  }
}

/// Orbitals without energies are moved, but not written.
TEST(Header, OrbitalsWithoutEnergies) {
  const ScratchDirectory scratch;
  const OrbitalLayout layout{{1, 1, testing::ranks()}};
  Orbitals orbitals = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), layout);
  orbitals.header.energies.clear();
  orbitals.header.occupations.clear();
  EXPECT_EQ(redistribute(orbitals, layout).parts.size(), orbitals.parts.size());
  expect_error(Fault::bad_argument, "has 0 energies, but", [&] { write_orbitals(orbitals, scratch.file("a.h5")); });
  expect_error(Fault::bad_argument, "has 0 energies, but", [&] { density_of(orbitals); });
}

}  // namespace
}  // namespace seiche
