// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that calls on orbitals, densities and files with another argument on one rank give an error on all
/// ranks.
#include "collective/one_rank_differs.hpp"
#include "interface/density_members.hpp"
#include "interface/fft_members.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/tuning_members.hpp"
#include "interface/wavefile_members.hpp"
#include "seiche/averages.hpp"
#include "seiche/basis.hpp"
#include "seiche/cut.hpp"
#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche::testing {
namespace {

OrbitalLayout by_waves() { return {.grid = {.waves = ranks()}, .owners = nullptr}; }

TEST(OneRankDiffers, InOrbitals) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, by_waves());
  change_each_option("read_orbitals", MoveOptions{},
                     [&](const MoveOptions& options) { read_orbitals(file, by_waves(), options); });
  change_each_option("redistribute", MoveOptions{}, [&](const MoveOptions& options) {
    redistribute(orbitals, {.grid = {.bands = ranks()}}, options);
  });
  const OrbitalLayout by_bands{.grid = {.bands = ranks()}, .owners = nullptr};
  expect_refused("redistribute: bands is", [&] { redistribute(orbitals, on_last(by_bands, by_waves())); });
  expect_refused("read_orbitals: bands is", [&] { read_orbitals(file, on_last(by_bands, by_waves())); });
  expect_refused("does not match", [&] {
    const OrbitalLayout too_many{.grid = {.kpoints = 3, .waves = ranks()}, .owners = nullptr};
    read_orbitals(file, on_last(too_many, by_waves()));
  });
  expect_refused("redistribute: bands is", [&] {
    Orbitals result = orbitals;
    start_redistribute(orbitals, on_last(by_bands, by_waves()), result).finish();
  });
  change_each_option("tune_move", TuneRequest{.budget = 0.001},
                     [&](const TuneRequest& request) { tune_move(orbitals, by_bands, request); });
  expect_refused("reassign: cutoff", [&] {
    BasisRequest request;
    request.cutoff = on_last(2.0, 3.0);
    reassign(orbitals, request);
  });
  expect_refused("orthonormalized: how is cholesky",
                 [&] { orthonormalized(orbitals, on_last(Orthonormal::cholesky, Orthonormal::loewdin)); });
  if (ranks() > 1) {
    Orbitals result = orbitals;
    leave("redistribution", [&] { return start_redistribute(orbitals, by_bands, result); });
  }
  const Orbitals again = redistribute(redistribute(orbitals, by_bands), by_waves());
  ASSERT_EQ(again.parts.size(), orbitals.parts.size());
  for (std::size_t i = 0; i < again.parts.size(); ++i) {
    expect_equal(again.parts[i].coefficients, orbitals.parts[i].coefficients);
  }
}

TEST(OneRankDiffers, InFilesAndDensities) {
  const ScratchDirectory scratch;
  const std::string here = data_set("si_small"), missing = scratch.file("missing.save");
  expect_refused("wavefile: path differs", [&] { WaveFile(MPI_COMM_WORLD, on_last(missing, here)); });
  const WaveFile file(MPI_COMM_WORLD, here);
  const auto other = [&](const char* mine, const char* usual) { return scratch.file(is_last() ? mine : usual); };
  expect_refused("write: path differs", [&] { convert(file, other("a.wavecar", "b.wavecar")); });
  expect_refused("write: format differs", [&] { convert(file, scratch.file("c"), is_last() ? "wavecar" : "qe"); });
  const Orbitals orbitals = read_orbitals(file, by_waves());
  expect_refused("write: path differs", [&] { write_orbitals(orbitals, other("a.save", "b.save")); });
  expect_refused("write: path differs", [&] { start_write_orbitals(orbitals, other("a.save", "b.save")).finish(); });
  change_each_option("start_write_orbitals", MoveOptions{}, [&](const MoveOptions& options) {
    start_write_orbitals(orbitals, scratch.file("f.h5"), "", options).finish();
  });
  Orbitals again = orbitals;
  change_each_option("start_read_into", MoveOptions{},
                     [&](const MoveOptions& options) { start_read_into(again, file, options).finish(); });
  leave("write", [&] { return start_write_orbitals(orbitals, scratch.file("g.h5")); });
  leave("read", [&] { return start_read_into(again, file); });
  EXPECT_FALSE(std::filesystem::exists(scratch.file("g.h5")));
  change_each_option("density_of", DensityOptions{}, [&](const DensityOptions& options) { density_of(file, options); });
  const Density density = density_of(file);
  expect_refused("write_density: path differs", [&] { write_density(density, other("d.cube", "e.cube")); });
  expect_refused("unknown format", [&] { write_density(density, other("d.xyz", "d.cube")); });
  write_density(density, scratch.file("d.cube"));
  expect_refused("read_density: path differs", [&] { read_density(MPI_COMM_WORLD, other("e.cube", "d.cube")); });
  expect_refused("planar_average: axis is 1", [&] { planar_average(density, on_last(1, 2)); });
  expect_refused("line_cut: points is 3", [&] { line_cut(density, {0, 0, 0}, {1, 1, 1}, on_last(3, 4)); });
  expect_refused("height_cut: height is", [&] { height_cut(density, 2, on_last(0.5, 1.0)); });
  change_each_option("compare", CompareOptions{}, [&](const CompareOptions& options) { compare(file, file, options); });
  EXPECT_TRUE(compare(density, read_density(MPI_COMM_WORLD, scratch.file("d.cube"))).density < 1e-6);
}

}  // namespace
}  // namespace seiche::testing
