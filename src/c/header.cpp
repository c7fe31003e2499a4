// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is known of orbitals besides their coefficients, for C.
#include <algorithm>
#include <limits>

#include "c/orbitals.hpp"
#include "support/require.hpp"

namespace seiche::c {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

static_assert(static_cast<int>(Magnetism::vector) == 2 && static_cast<int>(NormConserving::unknown) == 2);

seiche_header_info info_of(const OrbitalHeader& header) {
  seiche_header_info info{};
  const std::array grid{header.grid.nx, header.grid.ny, header.grid.nz};
  std::copy(grid.begin(), grid.end(), info.grid);
  for (std::size_t i = 0; i < 9; ++i) info.lattice[i] = header.crystal.lattice[i / 3][i % 3];
  info.cutoff = header.cutoff;
  info.density_cutoff = header.density_cutoff;
  info.electrons = header.electrons;
  info.total_energy = header.total_energy.value_or(unknown);
  info.fermi_energy = header.fermi_energy.value_or(unknown);
  info.spins = header.spins;
  info.spinor = header.spinor;
  info.half_sphere = header.half_sphere;
  info.bands = header.bands;
  info.density_components = header.density_components;
  info.magnetism = static_cast<int>(header.magnetism);
  info.norm_conserving = static_cast<int>(header.norm_conserving);
  info.weighted = header.weighted;
  info.kpoint_count = static_cast<std::int64_t>(header.kpoints.size());
  info.atom_count = static_cast<std::int64_t>(header.crystal.atoms.size());
  info.operation_count = static_cast<std::int64_t>(header.crystal.operations.size());
  put_text(header.format, info.format);
  return info;
}

/// There has to be room for all, exactly.
void require_room(std::size_t there_are, std::int64_t room, const char* what) {
  require(static_cast<std::int64_t>(there_are) == room, Fault::bad_argument, "header: there are {} {}, and room for {}",
          there_are, what, room);
}

template <class Entry>
const Entry& entry_of(const std::vector<Entry>& entries, std::int64_t number, const char* what) {
  require(number >= 0 && number < static_cast<std::int64_t>(entries.size()), Fault::bad_argument,
          "header: there is no {} {}; they are numbered from 0, and there are {}", what, number, entries.size());
  return entries[static_cast<std::size_t>(number)];
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_header_create_of_file(seiche_header** header, const seiche_wavefile* file) {
  return create(header, [&] { return std::make_shared<HeaderObject>(behind(file).file.header()); });
}

seiche_status seiche_header_create_of_orbitals(seiche_header** header, const seiche_orbitals* orbitals) {
  return create(header, [&] { return std::make_shared<HeaderObject>(behind(orbitals).orbitals.header); });
}

seiche_status seiche_header_destroy(seiche_header** header) { return destroy(header); }

seiche_status seiche_header_get_info(const seiche_header* header, seiche_header_info* info) {
  return call([&] { write_report(info, info_of(behind(header).header), "header_info"); });
}

seiche_status seiche_header_get_kpoints(const seiche_header* header, double* k, double* weights,
                                        std::int64_t* plane_waves, std::int64_t count) {
  return call([&] {
    const auto& kpoints = behind(header).header.kpoints;
    require_room(kpoints.size(), count, "k-points");
    for (std::size_t i = 0; i < kpoints.size(); ++i) {
      if (k != nullptr) std::copy(kpoints[i].k.begin(), kpoints[i].k.end(), k + 3 * i);
      if (weights != nullptr) weights[i] = kpoints[i].weight;
      if (plane_waves != nullptr) plane_waves[i] = kpoints[i].plane_waves;
    }
  });
}

seiche_status seiche_header_get_states(const seiche_header* header, double* energies, double* occupations,
                                       std::int64_t count) {
  return call([&] {
    const seiche::OrbitalHeader& of = behind(header).header;
    require_room(of.energies.size(), count, "states");
    if (energies != nullptr) std::copy(of.energies.begin(), of.energies.end(), energies);
    if (occupations != nullptr) std::copy(of.occupations.begin(), of.occupations.end(), occupations);
  });
}

seiche_status seiche_header_get_atom(const seiche_header* header, std::int64_t atom, double* position,
                                     const char** symbol) {
  return call([&] {
    const seiche::Atom& found = entry_of(behind(header).header.crystal.atoms, atom, "atom");
    require_place(position, "header", "the place for the position");
    require_place(symbol, "header", "the place for the symbol");
    std::copy(found.position.begin(), found.position.end(), position);
    *symbol = found.symbol.c_str();
  });
}

seiche_status seiche_header_get_operation(const seiche_header* header, std::int64_t operation, int* rotation,
                                          double* translation, int* time_reversal) {
  return call([&] {
    const seiche::SymmetryOperation& found = entry_of(behind(header).header.crystal.operations, operation, "operation");
    require_place(rotation, "header", "the place for the rotation");
    require_place(translation, "header", "the place for the translation");
    require_place(time_reversal, "header", "the place for time reversal");
    for (std::size_t i = 0; i < 9; ++i) rotation[i] = found.rotation[i / 3][i % 3];
    std::copy(found.translation.begin(), found.translation.end(), translation);
    *time_reversal = found.time_reversal;
  });
}
