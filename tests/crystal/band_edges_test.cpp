// SPDX-License-Identifier: BSD-3-Clause
/// \file  Edges of gaps, on bands whose edges are plain to see.
#include "seiche/band_edges.hpp"

#include "crystal/unweighted.hpp"
#include "seiche/table.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;

/// Energies and occupations [spin][k][band] of two bands more than `full` are not needed: three bands at two k-points.
OrbitalHeader bands(std::vector<double> energies, std::vector<double> occupations, int spins = 1) {
  OrbitalHeader h;
  h.path = "made up";
  h.crystal.lattice = {Vector3{2, 0, 0}, Vector3{0, 2, 0}, Vector3{0, 0, 2}};
  h.spins = spins;
  h.bands = 3;
  h.kpoints = {{{0, 0, 0}, 0.5, 1}, {{0.5, 0, 0}, 0.5, 1}};
  h.energies = std::move(energies);
  h.occupations = std::move(occupations);
  return h;
}

void expect_state(const std::optional<BandState>& state, int spin, int k, int band, double energy) {
  compared(1);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(std::tuple(state->spin, state->k, state->band), std::tuple(spin, k, band));
  EXPECT_EQ(state->energy, energy);
}

TEST(BandEdges, AnIndirectGap) {
  const auto h = bands({-2, 0, 3, -1, -0.5, 1}, {1, 1, 0, 1, 1, 0});
  const BandEdges edges = band_edges(h);
  expect_state(edges.highest_occupied, 0, 0, 1, 0);
  expect_state(edges.lowest_empty, 0, 1, 2, 1);
  expect_state(edges.direct_occupied, 0, 1, 1, -0.5);
  expect_state(edges.direct_empty, 0, 1, 2, 1);
  EXPECT_FALSE(edges.metallic);
  EXPECT_EQ(edges.gap(), 1);
  EXPECT_EQ(edges.direct_gap(), 1.5);
  EXPECT_EQ(energy_zero(h).name, "the highest occupied state");
}

TEST(BandEdges, OfDegenerateStatesTheInnerOnesAreNamed) {
  const BandEdges edges = band_edges(bands({0, 0, 1, 0, 0, 1}, {1, 1, 0, 1, 1, 0}));
  expect_state(edges.highest_occupied, 0, 0, 1, 0);
  expect_state(edges.lowest_empty, 0, 0, 2, 1);
  expect_state(band_edges(bands({0, 1, 1, 0, 1, 1}, {1, 0, 0, 1, 0, 0})).lowest_empty, 0, 0, 1, 1);
}

TEST(BandEdges, NoiseDoesNotChooseTheKPoint) {
  expect_state(band_edges(bands({-1, 0, 1, -1, 1e-8, 1}, {1, 1, 0, 1, 1, 0})).highest_occupied, 0, 0, 1, 0);
}

TEST(BandEdges, BandsThatCrossTheFermiLevel) {
  auto h = bands({-2, 0, 3, -1, 0.5, 1}, {1, 1, 0, 1, 0, 0});
  EXPECT_TRUE(band_edges(h).metallic);
  EXPECT_EQ(band_edges(h).gap(), 0);
  EXPECT_EQ(energy_zero(h).energy, 0);
  h.fermi_energy = 0.25;
  EXPECT_EQ(energy_zero(h).energy, 0.25);
  EXPECT_EQ(energy_zero(h).name, "the Fermi level");
  EXPECT_TRUE(band_edges(bands({-2, 2, 3, -1, 0.5, 1}, {1, 1, 0, 1, 1, 0})).metallic);  // overlapping edges
  compared(6);
}

TEST(BandEdges, SpinsHaveGapsOfTheirOwn) {
  const auto h = bands({-2, 0, 3, -1, -0.5, 4, -2, 1, 2, -2, 1, 3}, {1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0}, 2);
  EXPECT_EQ(band_edges(h, 0).gap(), 3);
  EXPECT_EQ(band_edges(h, 1).gap(), 3);
  EXPECT_EQ(band_edges(h).gap(), 1);  // up to down
  EXPECT_EQ(band_edges(h).direct_gap(), 3);
  compared(4);
  expect_error(Fault::bad_argument, "no spin 3 (spins in the file: 2)", [&] { band_edges(h, 2); });
}

/// The same bands, the second k-point of weight 0.
OrbitalHeader unweighted(std::vector<double> energies, std::vector<double> occupations, int spins = 1) {
  OrbitalHeader h = bands(std::move(energies), std::move(occupations), spins);
  h.kpoints[0].weight = 1;
  h.kpoints[1].weight = 0;
  return h;
}

TEST(UnweightedOccupations, AreThoseOfTheGap) {
  auto h = unweighted({-2, 0, 3, 1.5, -1, 2}, {1, 1, 0, 0, 0, 0});  // the highest occupied lies beyond the middle
  derive_unweighted_occupations(h);
  testing::expect_equal(h.occupations, {1, 1, 0, 1, 1, 0});
  EXPECT_EQ(band_edges(h).gap(), 0.5);
  h = unweighted({-2, 0, 3, -1, 0, 1, -2, 1, 2, -1, 0, 1}, {1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, 2);
  derive_unweighted_occupations(h);
  testing::expect_equal(h.occupations, {1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0});
}

TEST(UnweightedOccupations, OfMetalsEndAtTheFermiLevel) {
  auto h = bands({-2, 0, 3, -1, 0.5, 1, -3, 0.2, 0.4}, {1, 1, 0, 1, 0, 0, 0, 0, 0});
  h.kpoints.push_back({{0, 0.5, 0}, 0, 1});
  h.fermi_energy = 0.3;
  derive_unweighted_occupations(h);
  testing::expect_equal(h.occupations, {1, 1, 0, 1, 0, 0, 1, 1, 0});
  h.occupations = {1, 1, 0, 1, 0, 0, 0, 0, 0};
  h.fermi_energy.reset();  // between 0 and 0.5
  h.energies[8] = 0.24;
  derive_unweighted_occupations(h);
  testing::expect_equal(h.occupations, {1, 1, 0, 1, 0, 0, 1, 1, 1});
}

TEST(UnweightedOccupations, ThatAFileHasStay) {
  for (auto h :
       {unweighted({-2, 0, 3, -1, 0.5, 1}, {1, 1, 0, 1, 0, 0}), unweighted({1, 2, 3, 1, 2, 3}, {0, 0, 0, 0, 0, 0}),
        bands({-2, 0, 3, -1, 0.5, 1}, {1, 1, 0, 0, 0, 0})}) {
    const auto said = h.occupations;
    derive_unweighted_occupations(h);
    testing::expect_equal(h.occupations, said);
  }
}

TEST(UnweightedOccupations, ChosenStatesAloneWeighAlike) {
  auto h = unweighted({-2, 0, 3, -1, 0, 1}, {0, 0, 0, 1, 0, 0});
  weigh_occupied_kpoints(h);
  EXPECT_EQ(h.kpoints[1].weight, 1);
  h = unweighted({-2, 0, 3, -1, 0, 1}, {1, 0, 0, 1, 0, 0});
  weigh_occupied_kpoints(h);
  EXPECT_EQ(h.kpoints[1].weight, 0);
  compared(2);
}

TEST(BandEdges, TwoFermiLevels) {
  OrbitalHeader h = bands({-2, 0.1, 3, -1, 0.5, 4}, {1, 1, 0, 1, 0, 0});  // metallic
  h.fermi_energy = 0.2;
  EXPECT_EQ(energy_zero(h).energy, 0.2);
  h.fermi_energy_down = 0.7;
  EXPECT_EQ(energy_zero(h).name, "the highest occupied state");
  EXPECT_EQ(energy_zero(h, 0).energy, 0.2);
  EXPECT_EQ(energy_zero(h, 0).name, "the Fermi level of spin up");
  h.spins = 2;
  h.bands = 3;
  h.kpoints.resize(2);
  h.energies.insert(h.energies.end(), {-2, 0.1, 3, -1, 0.5, 4});
  h.occupations.insert(h.occupations.end(), {1, 1, 0, 1, 0, 0});
  EXPECT_EQ(energy_zero(h, 1).energy, 0.7);
  EXPECT_EQ(energy_zero(h, 1).name, "the Fermi level of spin down");
  compared(6);
}

TEST(BandEdges, StatesThatAreMissing) {
  const auto full = bands({-2, 0, 3, -1, -0.5, 4}, {1, 1, 1, 1, 1, 1});
  EXPECT_FALSE(band_edges(full).gap().has_value());
  expect_state(band_edges(full).highest_occupied, 0, 1, 2, 4);
  const auto empty = bands({-2, 0, 3, -1, -0.5, 4}, {0, 0, 0, 0, 0, 0});
  EXPECT_FALSE(band_edges(empty).highest_occupied.has_value());
  expect_error(Fault::bad_argument, "no occupied state", [&] { energy_zero(empty); });
}

TEST(Table, HasARowForEachState) {
  const auto h = bands({-2, 0, 3, -1, -0.5, 1}, {1, 1, 0, 1, 1, 0});
  const Table table = table_of_bands(h);
  EXPECT_EQ(table.rows(), 6U);
  const testing::ScratchDirectory scratch;
  write_table(MPI_COMM_WORLD, table, scratch.file("bands.csv"));
  const std::string text = testing::contents(scratch.file("bands.csv"));
  EXPECT_TRUE(
      text.starts_with("spin,kpoint,k1,k2,k3,weight,distance,band,energy_hartree,energy_eV,occupation\n"
                       "1,1,0,0,0,0.5,0,1,-2,-54.422772491976"));
  EXPECT_NE(text.find("\n1,2,0.5,0,0,0.5,1.5707963267948966,2,-0.5,-13.605693122994,1\n"), std::string::npos) << text;
  compared(1);
  expect_error(Fault::bad_argument, "do not fill rows of 2 columns", [&] {
    write_table(MPI_COMM_WORLD, {{"a", "b"}, {1}}, scratch.file("c.csv"));
  });
  EXPECT_FALSE(std::filesystem::exists(scratch.file("c.csv")));
}

}  // namespace
}  // namespace seiche
