// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small cases of collective calls on files, orbitals and densities, for tests of errors that one rank has.
#pragma once

#include <memory>
#include <numeric>

#include "collective/collective_call.hpp"
#include "comm/agree.hpp"
#include "seiche/averages.hpp"
#include "seiche/basis.hpp"
#include "seiche/cut.hpp"
#include "seiche/density_file.hpp"
#include "seiche/orbital_grid.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/unfold.hpp"
#include "seiche/wavefile.hpp"
#include "seiche/wfc_file.hpp"
#include "support/data.hpp"

namespace seiche::testing {

/// Files, orbitals and densities of the calls.
struct FileData {
  Communicator world{MPI_COMM_WORLD};
  std::string path = data_file("abinit/time_reversal/WFK"), density_path = data_file("abinit/time_reversal/DEN");
  WaveFile file{world, path};
  OrbitalLayout by_bands{.grid = {1, ranks(), 1}}, by_waves{.grid = {1, 1, ranks()}};
  Orbitals orbitals = read_orbitals(file, by_bands);
  Density density = read_density(world, density_path);
  ScratchDirectory scratch;
  std::string written = scratch.file("written.h5"), cube = scratch.file("written.cube"), save = scratch.file("o.save"),
              wfn = scratch.file("WFN");
  DensityOptions as_they_are{.fft = {.reproducible = true}, .as_they_are = true};
  Plane plane = plane_of_bonds(density.crystal);
  KStarMap zone = full_zone(file.header(), file.header().crystal.operations);
  Selection first_band{.bands = {0}, .kpoints = {0}, .spins = {}};
  BasisRequest smaller;
  Complex number = 0;

  Orbitals one_kpoint = read_orbitals(one_of(file), by_waves);
  std::string wfc = scratch.file("wfc1.dat");
  WfcLabel label;

  FileData() {
    smaller.cutoff = 0.8 * file.header().cutoff;
    const auto& header = one_kpoint.header;
    for (std::size_t i = 0; i < 9; ++i) {
      label.position[i % 3] += header.kpoints[0].k[i / 3] * header.crystal.reciprocal()[i / 3][i % 3];
    }
    start_write_wfc(one_kpoint, wfc, label).finish();
  }
  /// Collective.
  WaveFile one_of(const WaveFile& all) {
    WaveFile one(all.communicator(), path);
    one.select({{}, {0}, {}});
    return one;
  }
  std::span<const Complex> keep(Complex value) {
    number = value;
    return {&number, 1};
  }
  std::span<const Complex> squares(const Orbitals& of) {
    number = 0;
    for (const OrbitalPart& part : of.parts) {
      for (const Complex& c : part.coefficients) number += std::norm(c);
    }
    return {&number, 1};
  }
  std::span<const Complex> sum(const Density& of) {
    const auto& total = of.components.front();
    return keep(std::accumulate(total.begin(), total.end(), 0.0));
  }
};

inline std::vector<CollectiveCall> file_calls(const std::shared_ptr<FileData>& d) {
  const auto exists = [d](const std::string& path) {
    return d->keep(static_cast<double>(std::filesystem::exists(path)));
  };
  return {
      {"wave_file",
       [d] {
         const WaveFile file(d->world, d->path);
         return d->keep(file.header().bands);
       }},
      {"coefficients",
       [d] {
         const Range mine = block(d->file.header().kpoints[0].plane_waves, ranks(), rank());
         const auto waves = d->file.waves(0, 0, mine);
         const auto values = d->file.coefficients(0, 0, {0, 2}, mine);
         return d->keep(std::accumulate(values.begin(), values.end(), Complex(waves.empty() ? 0 : waves[0].x)));
       }},
      {"read_orbitals", [d] { return d->squares(read_orbitals(d->file, d->by_waves)); }},
      {"redistribute", [d] { return d->squares(redistribute(d->orbitals, d->by_waves)); }},
      {"start_redistribute",
       [d] {
         Orbitals result{d->world, {}, {}};
         Pending call = start_redistribute(d->orbitals, d->by_waves, result);
         call.progress();
         call.finish();
         return d->squares(result);
       }},
      {"start_write_orbitals",
       [d, exists] {
         Pending call = start_write_orbitals(d->orbitals, d->scratch.file("started.h5"));
         call.progress();
         call.finish();
         return exists(d->scratch.file("started.h5"));
       }},
      {"start_write_wfc",
       [d, exists] {
         Pending call = start_write_wfc(d->one_kpoint, d->scratch.file("wfc2.dat"), d->label);
         call.progress();
         call.finish();
         return exists(d->scratch.file("wfc2.dat"));
       }},
      {"read_wfc",
       [d] {
         Orbitals again = made_together(d->world, [&] { return d->one_kpoint; });
         std::vector<std::int32_t> positions;
         together(d->world, [&] {
           for (const Range& run : again.parts.at(0).positions) {
             for (auto i = run.low; i < run.high; ++i) positions.push_back(static_cast<std::int32_t>(i));
           }
         });
         OrbitalPart& part = again.parts[0];
         read_wfc(d->world, d->wfc, again.header, positions, part.waves, part.coefficients);
         return d->squares(again);
       }},
      {"start_read_into",
       [d] {
         Orbitals again = made_together(d->world, [&] { return d->orbitals; });
         Pending call = start_read_into(again, d->file);
         call.progress();
         call.finish();
         return d->squares(again);
       }},
      {"density of orbitals", [d] { return d->sum(density_of(d->orbitals, d->as_they_are)); }},
      {"density of a file", [d] { return d->sum(density_of(d->file, d->as_they_are)); }},
      {"read_density", [d] { return d->sum(read_density(d->world, d->density_path)); }},
      {"compare",
       [d] {
         const Comparison comparison = compare(d->file, d->file);
         return d->keep(comparison.equal());
       }},
      {"soundness", [d] { return d->keep(soundness(d->file).norm); }},
      {"write_orbitals",
       [d, exists] {
         write_orbitals(d->orbitals, d->written);
         return exists(d->written);
       }},
      {"write to a folder",
       [d, exists] {
         convert(d->file, d->save);
         return exists(d->save);
       }},
      {"convert",
       [d, exists] {
         convert(d->file, d->wfn, "wfn");
         return exists(d->wfn);
       }},
      {"write_density",
       [d, exists] {
         write_density(d->density, d->cube);
         return exists(d->cube);
       }},
  };
}

inline std::vector<CollectiveCall> analysis_calls(const std::shared_ptr<FileData>& d) {
  const auto norm = [d](const Table& table) {
    double sum = 0;
    for (const double value : table.values) sum += value * value;
    return d->keep(sum);
  };
  return {
      {"planar_average", [d, norm] { return norm(planar_average(d->density, 2)); }},
      {"difference", [d] { return d->sum(difference(d->density, d->density)); }},
      {"line_cut",
       [d, norm] {
         return norm(line_cut(d->density, {0, 0, 0}, {1, 0.5, 0}, 5));
       }},
      {"height_cut", [d, norm] { return norm(height_cut(d->density, 1, 0.3)); }},
      {"plane_values", [d] { return d->keep(plane_values(d->density, d->plane, 8).largest_anywhere); }},
      {"integrals", [d] { return d->keep(integrals(d->density)[0]); }},
      {"symmetrize",
       [d] {
         Density copy = made_together(d->world, [&] { return d->density; });
         symmetrize(copy, d->file.header());
         return d->sum(copy);
       }},
      {"unfold",
       [d, norm] {
         return norm(unfold(d->file, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}}));
       }},
      {"each_orbital",
       [d] {
         Complex sum = 0;
         each_orbital(d->file, d->first_band, {}, [&](const BandState&, const Density& values) {
           for (const double value : values.components[0]) sum += value;
         });
         return d->keep(sum);
       }},
      {"mapped", [d] { return d->squares(mapped(d->orbitals, d->zone)); }},
      {"symmetric_bands",
       [d] { return d->squares(symmetric_bands(d->orbitals, d->file.header().crystal.operations)); }},
      {"reassign", [d] { return d->squares(reassign(d->orbitals, d->smaller).orbitals); }},
      {"orthonormalized", [d] { return d->squares(orthonormalized(d->orbitals, Orthonormal::loewdin)); }},
      {"overlaps", [d] { return d->keep(overlaps(d->orbitals, d->orbitals)[0][0]); }},
      {"expand",
       [d] {
         expand(d->file, d->zone, d->wfn, "wfn");
         return d->keep(static_cast<double>(std::filesystem::exists(d->wfn)));
       }},
      {"read_into",
       [d] {
         read_into(d->orbitals, d->file);
         return d->squares(d->orbitals);
       }},
  };
}

}  // namespace seiche::testing
