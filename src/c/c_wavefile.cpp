// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: wavefunction files and their headers.
#include "c/c_wavefile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace seiche::c {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

static_assert(static_cast<int>(Magnetism::vector) == 2 && static_cast<int>(NormConserving::unknown) == 2);

OrbitalHeader header_of(const seiche_header_info& info) {
  OrbitalHeader header;
  header.grid = grid_shape(info.grid, "header_info");
  for (std::size_t i = 0; i < 9; ++i) header.crystal.lattice[i / 3][i % 3] = info.lattice[i];
  header.cutoff = info.cutoff;
  header.density_cutoff = info.density_cutoff;
  header.electrons = info.electrons;
  if (!std::isnan(info.total_energy)) header.total_energy = info.total_energy;
  if (!std::isnan(info.fermi_energy)) header.fermi_energy = info.fermi_energy;
  const bool down = info.fermi_energy_down != 0 && !std::isnan(info.fermi_energy_down);
  if (down) header.fermi_energy_down = info.fermi_energy_down;
  header.spins = info.spins;
  header.spinor = info.spinor;
  header.half_sphere = info.half_sphere != 0;
  header.bands = info.bands;
  header.density_components = info.density_components;
  header.magnetism = enumerator<Magnetism>(info.magnetism, 2, "header_info: magnetism");
  header.norm_conserving = enumerator<NormConserving>(info.norm_conserving, 2, "header_info: norm_conserving");
  header.weighted = info.weighted != 0;
  header.format = info.format;
  return header;
}

/// \throws Error for invalid dimensions of a header
void require_sound(const seiche_header_info& info) {
  require((info.spins == 1 || info.spins == 2) && (info.spinor == 1 || info.spinor == 2) && info.bands >= 0,
          Fault::bad_argument,
          "header_info: spins and spinor components must be 1 or 2, and bands not negative (got {}, {} and {})",
          info.spins, info.spinor, info.bands);
  require(info.kpoint_count >= 0 && info.atom_count >= 0 && info.operation_count >= 0, Fault::bad_argument,
          "header_info: the numbers of k-points, atoms and operations must not be negative (got {}, {} and {})",
          info.kpoint_count, info.atom_count, info.operation_count);
  require(std::memchr(info.format, 0, sizeof info.format) != nullptr, Fault::bad_argument,
          "header_info: format is not terminated: it holds at most {} characters and a 0", sizeof info.format - 1);
}

/// Checks that all entries are given.
void require_count(std::size_t there_are, std::int64_t given, const char* what) {
  require(static_cast<std::int64_t>(there_are) == given, Fault::bad_argument, "header: there are {} {} (got {})",
          there_are, what, given);
}

template <class Entries>
auto& entry_of(Entries& entries, std::int64_t number, const char* what) {
  require(number >= 0 && number < static_cast<std::int64_t>(entries.size()), Fault::bad_argument,
          "header: no {} {} (numbered from 0, {} in total)", what, number, entries.size());
  return entries[static_cast<std::size_t>(number)];
}

}  // namespace

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
  info.fermi_energy_down = header.fermi_energy_down.value_or(unknown);
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

seiche_comparison comparison_for_c(const Comparison& found) {
  seiche_comparison same{};
  same.equal = found.equal();
  same.energy = found.energy;
  same.constant = found.constant;
  same.beyond_constant = found.beyond_constant;
  same.occupation = found.occupation;
  put_text(found.difference, same.difference);
  if (found.kpoints.empty()) return same;
  const Comparison::Group worst = found.worst();
  same.worst_spin = worst.spin;
  same.worst_k = worst.k;
  same.worst_low = static_cast<int>(worst.bands.low);
  same.worst_high = static_cast<int>(worst.bands.high);
  same.overlap = worst.overlap;
  same.norm = found.norm;
  return same;
}

seiche_band_edges edges_of(const OrbitalHeader& header, std::optional<int> spin) {
  const BandEdges found = band_edges(header, spin);
  seiche_band_edges edges{};
  const auto put = [](const std::optional<BandState>& state, int(&into)[3]) {
    const BandState at = state.value_or(BandState{-1, -1, -1, unknown});
    into[0] = at.spin;
    into[1] = at.k;
    into[2] = at.band;
    return at.energy;
  };
  edges.occupied_energy = put(found.highest_occupied, edges.highest_occupied);
  edges.empty_energy = put(found.lowest_empty, edges.lowest_empty);
  put(found.direct_occupied, edges.direct_occupied);
  put(found.direct_empty, edges.direct_empty);
  edges.gap = found.gap().value_or(unknown);
  edges.direct_gap = found.direct_gap().value_or(unknown);
  const EnergyZero zero = found.highest_occupied ? energy_zero(header, spin) : EnergyZero{unknown, ""};
  edges.zero = zero.energy;
  put_text(zero.name, edges.zero_name);
  edges.metallic = found.metallic;
  return edges;
}

std::function<void(double)> on_progress(seiche_progress_function function, void* user) {
  if (function == nullptr) return nullptr;
  return [function, user](double done) { function(done, user); };
}

void also_read(const seiche_move_options& asked, MoveOptions& options, const char*) {
  options.on_progress = on_progress(asked.on_progress, asked.user);
}

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_header_create(seiche_header** header, const seiche_header_info* info) {
  return create(header, [&] {
    require_place(info, "header", "the numbers of the header");
    const seiche_header_info asked = read_options(info, seiche_header_info{}, "header_info");
    require_sound(asked);
    OrbitalHeader made = header_of(asked);
    made.kpoints.resize(static_cast<std::size_t>(asked.kpoint_count));
    made.crystal.atoms.resize(static_cast<std::size_t>(asked.atom_count));
    made.crystal.operations.resize(static_cast<std::size_t>(asked.operation_count));
    const auto states =
        made.kpoints.size() * static_cast<std::size_t>(made.spins) * static_cast<std::size_t>(made.bands);
    made.energies.resize(states);
    made.occupations.resize(states);
    return make<HeaderObject>(std::move(made));
  });
}

seiche_status seiche_header_set_kpoints(seiche_header* header, const double* k, const double* weights,
                                        const std::int64_t* plane_waves, std::int64_t count) {
  return call([&] {
    auto& kpoints = behind(header).header.kpoints;
    require_count(kpoints.size(), count, "k-points");
    require_array(k, count, "header", "k-points");
    require_array(weights, count, "header", "weights");
    require_array(plane_waves, count, "header", "numbers of plane waves");
    for (std::size_t i = 0; i < kpoints.size(); ++i) {
      kpoints[i] = {{k[3 * i], k[3 * i + 1], k[3 * i + 2]}, weights[i], plane_waves[i]};
    }
  });
}

seiche_status seiche_header_set_states(seiche_header* header, const double* energies, const double* occupations,
                                       std::int64_t count) {
  return call([&] {
    OrbitalHeader& of = behind(header).header;
    require_count(of.energies.size(), count, "states");
    require_array(energies, count, "header", "energies");
    require_array(occupations, count, "header", "occupations");
    std::copy_n(energies, count, of.energies.begin());
    std::copy_n(occupations, count, of.occupations.begin());
  });
}

seiche_status seiche_header_set_atom(seiche_header* header, std::int64_t atom, const double* position,
                                     const char* symbol) {
  return call([&] {
    Atom& changed = entry_of(behind(header).header.crystal.atoms, atom, "atom");
    require_place(position, "header", "the position");
    require_place(symbol, "header", "the symbol");
    changed = {symbol, {position[0], position[1], position[2]}};
  });
}

seiche_status seiche_header_set_operation(seiche_header* header, std::int64_t operation, const int* rotation,
                                          const double* translation, int time_reversal) {
  return call([&] {
    SymmetryOperation& changed = entry_of(behind(header).header.crystal.operations, operation, "operation");
    require_place(rotation, "header", "the rotation");
    require_place(translation, "header", "the translation");
    changed = operation_of(rotation, translation, time_reversal);
  });
}

seiche_status seiche_header_losses(seiche_header* header, const char* path, const char* format, int density,
                                   const char** sentences) {
  return call([&] {
    HeaderObject& of = behind(header);
    require_place(path, "header", "the path");
    require_place(sentences, "header", "the output argument for the sentences");
    of.losses.clear();
    for (const std::string& loss : losses(of.header, path, text_or_none(format), density != 0)) {
      of.losses += loss + '\n';
    }
    *sentences = of.losses.c_str();
  });
}

seiche_status seiche_header_get_kpoints(const seiche_header* header, double* k, double* weights,
                                        std::int64_t* plane_waves, std::int64_t count) {
  return call([&] {
    const auto& kpoints = behind(header).header.kpoints;
    require_room(kpoints.size(), static_cast<std::size_t>(count), "header", "k-points");
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
    const OrbitalHeader& of = behind(header).header;
    require_room(of.energies.size(), static_cast<std::size_t>(count), "header", "states");
    if (energies != nullptr) std::copy(of.energies.begin(), of.energies.end(), energies);
    if (occupations != nullptr) std::copy(of.occupations.begin(), of.occupations.end(), occupations);
  });
}

seiche_status seiche_header_get_atom(const seiche_header* header, std::int64_t atom, double* position,
                                     const char** symbol) {
  return call([&] {
    const Atom& found = entry_of(behind(header).header.crystal.atoms, atom, "atom");
    require_place(position, "header", "the output argument for the position");
    require_place(symbol, "header", "the output argument for the symbol");
    std::copy(found.position.begin(), found.position.end(), position);
    *symbol = found.symbol.c_str();
  });
}

seiche_status seiche_header_get_operation(const seiche_header* header, std::int64_t operation, int* rotation,
                                          double* translation, int* time_reversal) {
  return call([&] {
    const SymmetryOperation& found = entry_of(behind(header).header.crystal.operations, operation, "operation");
    require_place(rotation, "header", "the output argument for the rotation");
    require_place(translation, "header", "the output argument for the translation");
    require_place(time_reversal, "header", "the output argument for time reversal");
    for (std::size_t i = 0; i < 9; ++i) rotation[i] = found.rotation[i / 3][i % 3];
    std::copy(found.translation.begin(), found.translation.end(), translation);
    *time_reversal = found.time_reversal;
  });
}
