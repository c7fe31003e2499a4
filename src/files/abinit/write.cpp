// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes Fortran WFK files of ABINIT with a header of version 80, as ABINIT 9 reads it.
#include <algorithm>
#include <cmath>
#include <map>

#include "containers/fortran_writer.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/abinit/abinit.hpp"
#include "files/bands/wave_order.hpp"

namespace seiche {

namespace {

/// The species in order of appearance, and the species of each atom.
struct Species {
  std::vector<std::string> symbols;
  std::vector<std::int32_t> of_atom;  ///< from 1
};

Species species_of(const Crystal& crystal) {
  Species species;
  for (const Atom& atom : crystal.atoms) {
    auto& symbols = species.symbols;
    const auto found = std::find(symbols.begin(), symbols.end(), atom.symbol);
    species.of_atom.push_back(static_cast<std::int32_t>(found - symbols.begin()) + 1);
    if (found == symbols.end()) symbols.push_back(atom.symbol);
  }
  return species;
}

/// Data that the header does not contain, from the source WFK or as placeholders.
struct Source {
  explicit Source(const OrbitalHeader& h) {
    if (!recognises_abinit(h.path)) return;
    const File file(h.path);
    FortranRecords records(file);
    const AbinitHeader given = read_abinit_header(records, h.path);
    facts = given.facts;
    known = true;
    if (facts.kptns.size() != 3 * h.kpoints.size()) facts.kptopt = 0;
    for (std::size_t type = 0; type < facts.znucltypat.size(); ++type) {
      const std::string symbol = symbol_of(static_cast<int>(std::lround(facts.znucltypat[type])));
      mass.emplace(symbol, facts.amu[type]);
      if (given.potentials.size() == facts.znucltypat.size()) potential.emplace(symbol, given.potentials[type]);
    }
  }
  AbinitFacts facts;
  bool known = false;
  std::map<std::string, double> mass;            // by element
  std::map<std::string, std::string> potential;  // records
};

std::int32_t as_int(std::size_t n) { return static_cast<std::int32_t>(n); }

void write_dimensions(FortranWriter& out, const OrbitalHeader& h, const Species& species, const Source& source) {
  const auto kpoints = as_int(h.kpoints.size()), types = as_int(species.symbols.size());
  const std::int32_t components = h.magnetism == Magnetism::vector ? 4 : h.spins;
  auto content = out.record();
  const AbinitFacts& f = source.facts;
  content.add(kpoints * h.spins * h.bands, 0, 0, f.ixc, as_int(h.crystal.atoms.size()));  // bantot, .., ixc, natom
  content.add(static_cast<std::int32_t>(h.grid.nx), static_cast<std::int32_t>(h.grid.ny),
              static_cast<std::int32_t>(h.grid.nz));
  content.add(kpoints, components, h.spinor, h.spins, as_int(written_operations(h).size()), types, types);
  content.add(f.occopt, 0, 0);                                // occopt, pertcase, usepaw
  content.add(h.cutoff, h.cutoff, 0.0, h.cutoff, Vector3{});  // ecut, ecutdg, ecutsm, ecut_eff, qptn
  content.add(h.crystal.lattice, 0.0, 0.0, f.tsmear);         // rprimd, stmbias, tphysel, tsmear
  content.add(0, 1, 1, h.bands);                              // usewvl, nshiftk_orig, nshiftk, mband
  out.write(content);
}

void write_arrays(FortranWriter& out, const OrbitalHeader& h, const Species& species) {
  auto content = out.record();
  const std::size_t kpoints = h.kpoints.size();
  content.add(std::vector<std::int32_t>(kpoints, h.half_sphere ? 2 : 1));  // istwfk
  content.add(std::vector<std::int32_t>(kpoints * static_cast<std::size_t>(h.spins), h.bands));
  for (const KPoint& k : h.kpoints) content.add(static_cast<std::int32_t>(k.plane_waves));
  content.add(std::vector<std::int32_t>(species.symbols.size(), 1));  // so_psp
  const auto operations = written_operations(h);
  for (const auto& s : operations) content.add(s.time_reversal ? -1 : 1);
  for (const auto& s : operations) {
    for (std::size_t j = 0; j < 3; ++j) content.add(s.rotation[0][j], s.rotation[1][j], s.rotation[2][j]);
  }
  content.add(species.of_atom);
  for (const KPoint& k : h.kpoints) content.add(k.k);
  for (const double occupation : h.occupations) content.add(occupation * h.degeneracy());
  for (const auto& s : operations) content.add(s.translation);
  for (const std::string& symbol : species.symbols) content.add(static_cast<double>(atomic_number(symbol)));
  for (const KPoint& k : h.kpoints) content.add(k.weight);
  out.write(content);
}

/// Returns how ABINIT would reduce the mesh to these k-points: by all symmetries (1), without time reversal (4), by
/// time reversal only (2), or not at all (3); 0 for an unknown mesh.
std::int32_t kptopt_of(const OrbitalHeader& h, const Source& source) {
  if (h.mesh[0] == 0) return 0;
  if (source.facts.kptopt != 0) return source.facts.kptopt;
  if (h.crystal.operations.size() > 1) return h.magnetism == Magnetism::vector ? 4 : 1;
  return std::ssize(h.kpoints) < std::int64_t{h.mesh[0]} * h.mesh[1] * h.mesh[2] ? 2 : 3;
}

void write_rest(FortranWriter& out, const OrbitalHeader& h, const Species& species, const Source& source) {
  auto fourth = out.record().add(0.0);  // residm
  for (const Atom& atom : h.crystal.atoms) fourth.add(fractional(h.crystal, atom.position));
  fourth.add(h.total_energy.value_or(0), h.fermi_energy.value_or(0));
  for (const std::string& symbol : species.symbols) {
    const auto mass = source.mass.find(symbol);
    fourth.add(mass == source.mass.end() ? 1.0 : mass->second);
  }
  out.write(fourth);
  const auto along = [&](std::size_t axis) { return h.mesh[0] > 0 ? h.mesh[axis] : 1; };
  const std::array<std::int32_t, 9> lattice{along(0), 0, 0, 0, along(1), 0, 0, 0, along(2)};
  out.write(kptopt_of(h, source), 1, h.electrons, 0.0, 0, lattice, lattice, h.mesh_shift, h.mesh_shift);
  const bool elemental = species.symbols.size() == 1;
  for (const std::string& symbol : species.symbols) {
    if (const auto found = source.potential.find(symbol); found != source.potential.end()) {
      out.write(out.record().add(found->second));
      continue;
    }
    auto content = out.record().add_text(symbol, 132);
    const double valence = elemental ? h.electrons / static_cast<double>(h.crystal.atoms.size()) : 0;
    content.add(static_cast<double>(atomic_number(symbol)), valence).add(1, 0, 8, 0, 0).add_text("", 32);
    out.write(content);
  }
}

bool named_abinit(const std::string& path) { return path.ends_with("wfk"); }

std::vector<std::string> losses_in_abinit(const OrbitalHeader& h) {
  std::vector<std::string> losses;
  const Source source(h);
  if (!h.total_energy) losses.push_back("the total energy: unknown, written as 0");
  if (!h.fermi_energy) losses.push_back("the Fermi energy: unknown, written as 0");
  if (!source.known) {
    losses.push_back(
        "the functional (ixc), masses, valence charges and names of pseudopotentials: unknown, placeholders are "
        "written");
  }
  if (h.norm_conserving != NormConserving::yes) {
    losses.push_back("the bands are not orthonormal, but the file declares norm-conserving pseudopotentials");
  }
  if (std::any_of(source.facts.istwfk.begin(), source.facts.istwfk.end(), [](int kind) { return kind > 1; }) &&
      !h.half_sphere) {
    losses.push_back("time reversal of half spheres: all waves are written (istwfk 1)");
  }
  if (!is_completed_by(h, limit_density_cutoff)) {
    losses.push_back(
        "the cutoff of the density: assumed to be four times the cutoff of the waves, or the limit of the grid");
  }
  if (h.mesh[0] == 0) losses.push_back("the mesh of the k-points (kptrlatt, shiftk): unknown");
  if (written_operations(h).size() < h.crystal.operations.size()) losses.push_back(not_averaged);
  if (!h.weighted) losses.push_back(unknown_weights);
  if (h.crystal.operations.empty()) losses.push_back(unknown_operations);
  return losses;
}

/// ABINIT keeps another one of G and -G than the library.
std::vector<Miller> abinit_waves(const OrbitalHeader& h, int, std::span<const Miller> given) {
  std::vector<Miller> waves(given.begin(), given.end());
  for (Miller& g : waves) {
    const bool kept = g.y > 0 || (g.y == 0 && (g.z > 0 || (g.z == 0 && g.x >= 0)));
    if (h.half_sphere && !kept) g = {-g.x, -g.y, -g.z};
  }
  return x_fastest(waves);
}

WaveTable create_abinit(const std::string& path, const OrbitalHeader& header) {
  FortranWriter out(path, false);
  const Species species = species_of(header.crystal);
  const Source source(header);
  out.write(out.record().add_text("9.6.2", 8).add(80, 2));  // codvsn, headform, fform
  write_dimensions(out, header, species, source);
  write_arrays(out, header, species);
  write_rest(out, header, species, source);
  WaveTable table;
  table.header = header;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      const std::int64_t waves = header.kpoints[k].plane_waves;
      out.write(static_cast<std::int32_t>(waves), header.spinor, header.bands);
      WaveBlock& block = table.blocks.emplace_back();
      block.waves = {out.leave_room(3 * waves, Element::int32)};
      auto levels = out.record();
      for (const auto* values : {&header.energies, &header.occupations}) {
        for (int band = 0; band < header.bands; ++band) {
          const double value = (*values)[header.state(spin, static_cast<int>(k), band)];
          levels.add(values == &header.occupations ? value * header.degeneracy() : value);
        }
      }
      out.write(levels);
      block.first_band = out.leave_room(2 * waves * header.spinor, Element::float64, header.bands, block.band_stride);
    }
  }
  out.close();
  return table;
}

}  // namespace

WaveWriting writing_abinit() {
  return {.word = "abinit",
          .named = named_abinit,
          .losses = losses_in_abinit,
          .waves = abinit_waves,
          .create = create_abinit};
}

}  // namespace seiche
