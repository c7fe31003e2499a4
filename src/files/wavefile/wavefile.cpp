// SPDX-License-Identifier: BSD-3-Clause
/// \file  Opens a file of any known format on one process, sends its description to all, and lets each rank read its
/// own part.
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "comm/equal_arguments.hpp"
#include "containers/archive.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "crystal/unweighted.hpp"
#include "files/abinit/abinit.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/castep/castep.hpp"
#include "files/density_file/grid_density.hpp"
#include "files/density_file/text_grid.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/vasp/beside.hpp"
#include "files/vasp/vasp.hpp"
#include "files/wavefile/format.hpp"
#include "files/wavefile/other_kinds.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "seiche/communicator.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"

namespace seiche {

// Not in the unnamed namespace: Archive finds them by argument-dependent lookup.
static void describe(Archive& archive, WaveBlock& b) {
  archive(b.waves, b.first_band, b.band_stride, b.component_stride, b.mirrored, b.twice_k, b.real, b.root_two);
}
static void describe(Archive& archive, Atom& atom) { archive(atom.symbol, atom.position); }
void describe(Archive& archive, Crystal& crystal) { archive(crystal.lattice, crystal.atoms, crystal.operations); }
static void describe(Archive& archive, OrbitalHeader& h) {
  archive(h.format, h.path, h.crystal, h.grid, h.cutoff, h.density_cutoff, h.density_waves, h.spins, h.spinor,
          h.half_sphere, h.norm_conserving, h.averaged, h.magnetism, h.density_components, h.bands, h.electrons,
          h.weighted, h.mesh, h.mesh_shift, h.total_energy, h.fermi_energy, h.fermi_energy_down, h.on_path, h.kpoints,
          h.occupations, h.energies);
}
void describe(Archive& archive, WaveTable& table) {
  archive(table.header, table.blocks, table.format, table.checksums, table.half);
}

namespace {

namespace fs = std::filesystem;

bool of_known_format(const std::string& path) {
  const auto formats = wave_formats();
  return std::any_of(formats.begin(), formats.end(), [&](const Format& format) { return format.recognises(path); });
}

/// Returns the remedy for a path that is not a wavefunction file, if known, else "".
std::string hint_for(const std::string& path) {
  std::error_code unreadable;
  if (!fs::is_directory(path, unreadable)) {
    bool density = false;
    const auto damaged = fault_of([&] {
      density = TextGridReader::recognises(path) || find_grid_density(path) || recognises_berkeleygw_density(path) ||
                !find_charge_density(path).empty();
    });
    if (damaged || !density) return said_of_unknown(path);
    return recognises_castep_binary(path) ? " (a .castep_bin, which has no wavefunctions: give the .check of the run)"
                                          : " (it holds a density or potential: read it as a density)";
  }
  for (const auto& entry : fs::directory_iterator(path, unreadable)) {
    if (of_known_format(entry.path().string())) return " (the folder contains one: give " + entry.path().string() + ")";
  }
  return "";
}

WaveTable read_table(const std::string& path) {
  require(!path.empty(), Fault::bad_file, "the name of an input is empty: give the name of a wavefunction file");
  std::error_code fault;
  const bool there = fs::exists(path, fault);
  require(!fault, Fault::bad_file, "cannot open {} ({}): check its name and permissions", path, fault.message());
  require(there, Fault::bad_file, "cannot find {}: check the name", path);
  refuse_other_kinds(path);
  std::string known;
  int index = 0;
  for (const Format& format : wave_formats()) {
    if (format.recognises(path)) {
      WaveTable table = format.read(path);
      table.format = index;
      require_sound(table.header, Fault::bad_file);
      derive_unweighted_occupations(table.header);
      return table;
    }
    known += (known.empty() ? "" : ", ") + std::string(format.name);
    ++index;
  }
  fail(Fault::bad_file, "{} is not a wavefunction file of a known format{}: give one of {}", path, hint_for(path),
       known);
}

}  // namespace

std::span<const Format> wave_formats() {
  static const std::array<Format, 7> formats{{
      {"Quantum ESPRESSO .save (the directory, or its data-file-schema.xml)",
       recognises_quantum_espresso,
       read_quantum_espresso,
       nullptr,
       {writing_quantum_espresso_dat(), writing_quantum_espresso_hdf5()}},
      {"VASP WAVECAR", recognises_vasp, read_vasp, generate_vasp, {writing_vasp()}},
      {"CASTEP .check", recognises_castep, read_castep, nullptr, {writing_castep()}},
      {"ABINIT WFK", recognises_abinit, read_abinit, nullptr, {writing_abinit()}},
      {"ABINIT WFK.nc", recognises_abinit_netcdf, read_abinit_netcdf, nullptr, {}},
      {"BerkeleyGW WFN.h5", recognises_berkeleygw, read_berkeleygw, nullptr, {writing_berkeleygw()}},
      {"BerkeleyGW WFN (binary)",
       recognises_berkeleygw_binary,
       read_berkeleygw_binary,
       nullptr,
       {writing_berkeleygw_binary()}},
  }};
  return formats;
}

namespace {

void take_atoms(OrbitalHeader& h, const std::string& path) {
  require(h.crystal.atoms.empty(), Fault::bad_argument, "{} contains the atoms: leave out {}", h.path, path);
  const Crystal given = read_poscar(path);
  require(nearly_same(given.lattice, h.crystal.lattice, 1e-5), Fault::bad_argument,
          "{} has another cell than {}: give the POSCAR of the same run", path, h.path);
  for (const Atom& atom : given.atoms) {
    h.crystal.atoms.push_back({atom.symbol, cartesian(h.crystal, fractional(given, atom.position))});
  }
  if (h.magnetism == Magnetism::none) h.crystal.operations = find_operations(h.crystal);
}

void take_weights(OrbitalHeader& h, const std::string& path) {
  require(!h.weighted, Fault::bad_argument, "{} contains the weights of its k-points: leave out {}", h.path, path);
  const auto given = read_vasp_kpoints(path);
  bool same = given.size() == h.kpoints.size();
  for (std::size_t k = 0; same && k < given.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) same = same && std::abs(given[k].k[i] - h.kpoints[k].k[i]) < 1e-6;
  }
  require(same, Fault::bad_argument, "{} has other k-points than {}: give the IBZKPT or vasprun.xml of the same run",
          path, h.path);
  for (std::size_t k = 0; k < given.size(); ++k) h.kpoints[k].weight = given[k].weight;
  h.weighted = true;
  derive_unweighted_occupations(h);
  h.electrons = electrons_of(h);
}

}  // namespace

const WaveBlock& WaveFile::Body::block(int spin, int k) const {
  const OrbitalHeader& h = table.header;
  require(spin >= 0 && spin < h.spins && k >= 0 && k < static_cast<int>(h.kpoints.size()), Fault::bad_argument,
          "{} has no spin {}, k-point {} (spins: {}, k-points: {})", h.path, spin, k, h.spins, h.kpoints.size());
  return table.block(spin, k);
}

WaveFile::WaveFile(const Communicator& comm, const std::string& path) {
  together(comm, "wavefile", [&](EqualArguments& same) {
    same.add("path", path);
    body_ = std::make_unique<Body>(Body{comm, {}});
  });
  found_by_root(body_->comm, body_->table, [&] { body_->table = read_table(path); });
}

WaveFile::~WaveFile() = default;
WaveFile::WaveFile(WaveFile&&) noexcept = default;
WaveFile& WaveFile::operator=(WaveFile&&) noexcept = default;

const OrbitalHeader& WaveFile::header() const noexcept { return body_->table.header; }
const Communicator& WaveFile::communicator() const noexcept { return body_->comm; }

void WaveFile::complete(const std::string& atoms, const std::string& kpoints) {
  together(body_->comm, "complete", [&](EqualArguments& same) { same.add("atoms", atoms).add("kpoints", kpoints); });
  if (atoms.empty() && kpoints.empty()) return;
  OrbitalHeader& header = body_->table.header;
  found_by_root(body_->comm, header, [&] {
    OrbitalHeader whole = header;
    if (!atoms.empty()) take_atoms(whole, atoms);
    if (!kpoints.empty()) take_weights(whole, kpoints);
    header = std::move(whole);
  });
}

HalfAxis WaveFile::half_axis() const noexcept { return body_->table.half; }

void WaveFile::halve_along(HalfAxis axis) {
  WaveTable& table = body_->table;
  together(body_->comm, "halve_along", [&](EqualArguments& same) {
    same.add("axis", static_cast<int>(axis));
    require(table.header.half_sphere && table.blocks[0].waves.empty(), Fault::bad_argument,
            "{} lists its plane waves, so that it is not a gamma-only WAVECAR: leave out the axis", table.header.path);
  });
  table.half = axis;
}

void WaveFile::select(const Selection& selection) {
  together(body_->comm, "select", [&](EqualArguments& same) {
    same.add("spins", selection.spins).add("kpoints", selection.kpoints).add("bands", selection.bands);
    body_->table = selected(body_->table, selection);
  });
}

namespace {

/// Checks a range of bands or of positions of plane waves, for all formats.
void require_range(const OrbitalHeader& h, const char* what, const Range& range, std::int64_t all) {
  require(0 <= range.low && range.low <= range.high && range.high <= all, Fault::bad_argument,
          "{} has {} {}, but the range from {} to {} is requested: give a range within 0 to {}", h.path, all, what,
          range.low, range.high, all);
}

}  // namespace

std::vector<Miller> WaveFile::waves(int spin, int k, Range mine) const {
  std::vector<Miller> waves;
  together(body_->comm, [&] {
    body_->block(spin, k);
    require_range(header(), "plane waves at this k-point", mine,
                  header().kpoints[static_cast<std::size_t>(k)].plane_waves);
    waves = read_plane_waves(body_->table, spin, k, mine);
  });
  return waves;
}

std::vector<std::complex<double>> WaveFile::coefficients(int spin, int k, Range bands, Range mine) const {
  const OrbitalHeader& h = header();
  std::vector<std::complex<double>> all;
  together(body_->comm, [&] {
    const WaveBlock& block = body_->block(spin, k);
    const std::int64_t waves = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
    require_range(h, "bands", bands, h.bands);
    require_range(h, "plane waves at this k-point", mine, waves);
    const auto count = static_cast<std::size_t>(mine.size());
    all.resize(static_cast<std::size_t>(bands.size() * h.spinor) * count);
    const File file(block.first_band.path);
    auto next = std::span(all);
    for (std::int64_t b = bands.low; b < bands.high; ++b) {
      for (std::int64_t component = 0; component < h.spinor; ++component, next = next.subspan(count)) {
        read_coefficients(file, block, {b, component, waves, mine}, next.first(count));
      }
    }
  });
  return all;
}

}  // namespace seiche
