// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads Fortran WFK files of ABINIT with headers of version 80 (ABINIT 8 and later): hartree and bohr.
#include "files/abinit/abinit.hpp"

#include <cmath>
#include <filesystem>

#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int32_t wavefunctions = 2;  // fform

std::int64_t checked(const std::string& path, const char* name, std::int64_t n, std::int64_t most) {
  require(n >= 0 && n <= most, Fault::bad_file, "{}: invalid value of {} ({}): rerun the code that wrote the file",
          path, name, n);
  return n;
}

/// The first record: codvsn (6 or 8 letters), headform, fform.
struct Start {
  std::int32_t headform = 0, fform = 0;
};

bool read_start(const File& file, Start& start) {
  const FirstRecord first = first_record(file);
  if (first.big_endian || (first.bytes != 14 && first.bytes != 16)) return false;
  auto record = FortranRecords(file).next();
  const std::string version = record.take_text(first.bytes - 8);
  start.headform = record.take<std::int32_t>();
  start.fform = record.take<std::int32_t>();
  return !version.empty() && version[0] >= '0' && version[0] <= '9' && start.headform > 0 && start.headform < 1000;
}

/// The lengths of the lists in a header.
struct AbinitCounts {
  std::int64_t bantot = 0, natom = 0, nkpt = 0, nsym = 0, npsp = 0, ntypat = 0, nshiftk_orig = 0, nshiftk = 0;
};

AbinitCounts read_dimensions(FortranRecords::Record second, const std::string& path, AbinitFacts& f) {
  AbinitCounts counts;
  const auto limit = second.size() * 1000000;
  const auto count = [&](const char* name) { return checked(path, name, second.take<std::int32_t>(), limit); };
  counts.bantot = count("bantot");
  second.skip(2 * 4);  // date, intxc
  f.ixc = second.take<std::int32_t>();
  counts.natom = count("natom");
  f.ngfft = second.take<std::array<std::int32_t, 3>>();
  counts.nkpt = count("nkpt");
  f.nspden = second.take<std::int32_t>();
  f.nspinor = second.take<std::int32_t>();
  f.nsppol = second.take<std::int32_t>();
  counts.nsym = count("nsym");
  counts.npsp = count("npsp");
  counts.ntypat = count("ntypat");
  f.occopt = second.take<std::int32_t>();
  second.skip(4);  // pertcase
  f.usepaw = second.take<std::int32_t>();
  second.skip(3 * 8);  // ecut, ecutdg, ecutsm
  f.ecut_eff = second.take<double>();
  second.skip(3 * 8);  // qptn
  f.rprimd = second.take<std::array<Vector3, 3>>();
  second.skip(2 * 8);  // stmbias, tphysel
  f.tsmear = second.take<double>();
  second.skip(4);  // usewvl
  counts.nshiftk_orig = count("nshiftk_orig");
  counts.nshiftk = count("nshiftk");
  f.mband = second.take<std::int32_t>();
  checked(path, "mband", f.mband, limit);
  checked(path, "nsppol", f.nsppol, 2);
  return counts;
}

void read_lists(FortranRecords::Record third, const AbinitCounts& counts, AbinitFacts& f) {
  f.istwfk = third.take<std::int32_t>(counts.nkpt);
  f.nband = third.take<std::int32_t>(counts.nkpt * f.nsppol);
  f.npwarr = third.take<std::int32_t>(counts.nkpt);
  third.skip(4 * counts.npsp);  // so_psp
  f.symafm = third.take<std::int32_t>(counts.nsym);
  f.symrel = third.take<std::int32_t>(9 * counts.nsym);
  f.typat = third.take<std::int32_t>(counts.natom);
  f.kptns = third.take<double>(3 * counts.nkpt);
  f.occ = third.take<double>(counts.bantot);
  f.tnons = third.take<double>(3 * counts.nsym);
  f.znucltypat = third.take<double>(counts.ntypat);
  f.wtk = third.take<double>(counts.nkpt);
}

/// Reads the fourth and the fifth record.
void read_levels(FortranRecords& records, const AbinitCounts& counts, AbinitFacts& f) {
  auto fourth = records.next();
  fourth.skip(8);  // residm
  f.xred = fourth.take<double>(3 * counts.natom);
  f.etotal = fourth.take<double>();
  f.fermie = fourth.take<double>();
  f.amu = fourth.take<double>(counts.ntypat);
  auto fifth = records.next();
  f.kptopt = fifth.take<std::int32_t>();
  fifth.skip(4);  // pawcpxocc
  f.nelect = fifth.take<double>();
  fifth.skip(8 + 4);  // cellcharge, icoulomb
  f.kptrlatt = fifth.take<std::int32_t>(9);
  fifth.skip(9 * 4 + counts.nshiftk_orig * 3 * 8);  // kptrlatt_orig, shiftk_orig
  f.shiftk = fifth.take<double>(3 * counts.nshiftk);
}

}  // namespace

AbinitHeader read_abinit_header(FortranRecords& records, const std::string& path) {
  AbinitHeader header;
  AbinitFacts& f = header.facts;
  auto first = records.next();
  first.skip(first.size() - 8);
  const auto headform = first.take<std::int32_t>();
  header.fform = first.take<std::int32_t>();
  require(headform >= 80, Fault::unsupported,
          "{}: headers of version {} are not supported (older than ABINIT 8): read the file with a newer ABINIT and "
          "write it again",
          path, headform);
  const AbinitCounts counts = read_dimensions(records.next(), path, f);
  read_lists(records.next(), counts, f);
  read_levels(records, counts, f);
  for (std::int64_t i = 0; i < counts.npsp; ++i) {
    auto record = records.next();
    const auto bytes = record.take<char>(record.size());
    header.potentials.emplace_back(bytes.begin(), bytes.end());
  }
  for (int i = 0; i < (f.usepaw != 0 ? 2 : 0); ++i) records.next();
  return header;
}

Crystal crystal_of(const AbinitFacts& f, const std::string& path) {
  Crystal crystal{f.rprimd, {}, {}};
  for (std::size_t i = 0; i < f.typat.size(); ++i) {
    const auto type = static_cast<std::size_t>(f.typat[i]) - 1;
    require(type < f.znucltypat.size(), Fault::bad_file,
            "{}: atom {} has type {}, which the file does not define: rerun the code that wrote the file", path, i + 1,
            f.typat[i]);
    const double z = f.znucltypat[type];
    crystal.atoms.push_back({symbol_of(z > 0 && z < 1000 ? static_cast<int>(std::lround(z)) : 0),
                             cartesian(crystal, {f.xred[3 * i], f.xred[3 * i + 1], f.xred[3 * i + 2]})});
  }
  for (std::size_t s = 0; s < f.symafm.size(); ++s) {
    SymmetryOperation& operation = crystal.operations.emplace_back();
    operation.time_reversal = f.symafm[s] < 0;  // inverts magnetisations
    for (std::size_t i = 0; i < 3; ++i) {
      operation.translation[i] = f.tnons[3 * s + i];
      for (std::size_t j = 0; j < 3; ++j) operation.rotation[i][j] = f.symrel[9 * s + 3 * j + i];
    }
  }
  if (crystal.operations.empty()) crystal.operations = {identity_operation()};
  return crystal;
}

/// Takes the mesh if it is along the axes with one shift. The header has no members for other meshes (ABINIT allows
/// four shifts) or for lists of k-points (kptopt 0).
static void take_mesh(const AbinitFacts& f, OrbitalHeader& h) {
  if (f.kptopt == 0 || f.kptrlatt.size() != 9 || f.shiftk.size() != 3) return;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::int32_t points = f.kptrlatt[3 * i + j];
      if (i == j ? points <= 0 : points != 0) return;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    h.mesh[i] = f.kptrlatt[4 * i];
    h.mesh_shift[i] = f.shiftk[i];
  }
}

/// Files contain 0 for unknown energies.
static void take_energies(const AbinitFacts& f, OrbitalHeader& h) {
  if (std::isfinite(f.etotal) && f.etotal != 0) h.total_energy = f.etotal;
  if (std::isfinite(f.fermie) && f.fermie != 0) h.fermi_energy = f.fermie;
}

/// \throws Error(unsupported), with the variable to change, if the bands of some spins are not in the file
static void require_known_spins(const AbinitFacts& f, const std::string& path) {
  const bool half_of_them = f.nsppol == 1 && f.nspinor == 1 && f.nspden == 2;
  require(!half_of_them, Fault::unsupported,
          "{}: nsppol 1 with nspden 2 omits the bands of spin down: set nsppol 2 and rerun ABINIT", path);
  const std::int32_t wanted = f.nsppol == 2 ? 2 : 1;
  const bool known =
      f.nspinor == 2 ? f.nsppol == 1 && (f.nspden == 1 || f.nspden == 4) : f.nspinor == 1 && f.nspden == wanted;
  require(known, Fault::unsupported,
          "{}: nsppol {} and nspinor {} with nspden {} are not supported: set nspden {} and rerun ABINIT", path,
          f.nsppol, f.nspinor, f.nspden, f.nspinor == 2 ? "1 or 4" : formatted("{}", wanted));
}

/// \throws Error(unsupported) if k-points have different numbers of bands
static void require_equal_bands(const AbinitFacts& f, const std::string& path) {
  for (std::size_t i = 0; i < f.nband.size(); ++i) {
    require(f.nband[i] == f.nband[0], Fault::unsupported,
            "{}: nband is {} at k-point 1 but {} at k-point {}; only equal numbers are supported: set one nband for "
            "all k-points (with occopt 2, one value each) and rerun ABINIT",
            path, f.nband[0], f.nband[i], i % f.npwarr.size() + 1);
  }
  const auto states = static_cast<std::int64_t>(f.nband.size()) * f.mband;
  require(!f.nband.empty() && f.nband[0] == f.mband && std::ssize(f.occ) == states, Fault::bad_file,
          "{}: nband, mband and bantot disagree: rerun the code that wrote the file", path);
}

OrbitalHeader header_of(const AbinitFacts& f, const std::string& path) {
  OrbitalHeader h;
  h.path = path;
  h.crystal.lattice = f.rprimd;
  h.cutoff = f.ecut_eff;
  require_sound_crystal(h);  // before any computation with the cell
  h.crystal = crystal_of(f, path);
  require_known_spins(f, path);
  h.spins = f.nsppol;
  h.spinor = f.nspinor;
  h.magnetism = f.nsppol == 2 ? Magnetism::collinear : f.nspden == 4 ? Magnetism::vector : Magnetism::none;
  if (f.usepaw != 0) h.norm_conserving = NormConserving::no;
  h.bands = f.mband;
  h.electrons = f.nelect;
  take_energies(f, h);
  take_mesh(f, h);
  h.grid = {f.ngfft[0], f.ngfft[1], f.ngfft[2]};
  require(h.grid.nx > 0 && h.grid.ny > 0 && h.grid.nz > 0 && h.bands > 0 && !f.npwarr.empty(), Fault::bad_file,
          "{}: no grid, bands or k-points: rerun the code that wrote the file", path);
  require_equal_bands(f, path);
  limit_density_cutoff(h);
  for (std::size_t k = 0; k < f.npwarr.size(); ++k) {
    require(f.npwarr[k] > 0, Fault::bad_file,
            "{}: invalid number of plane waves ({}) at k-point {}: rerun the code that wrote the file", path,
            f.npwarr[k], k + 1);
    h.kpoints.push_back({{f.kptns[3 * k], f.kptns[3 * k + 1], f.kptns[3 * k + 2]}, f.wtk[k], f.npwarr[k]});
  }
  require_sound_crystal(h);
  normalise_weights(h);
  h.occupations = f.occ;
  for (double& occupation : h.occupations) occupation /= h.degeneracy();
  h.half_sphere = h.kpoints.size() == 1 && f.istwfk[0] == 2;
  return h;
}

void leave_out_mirrored(const AbinitFacts& facts, WaveTable& table, std::size_t k, WaveBlock& block) {
  OrbitalHeader& header = table.header;
  const std::int32_t kind = facts.istwfk[k];
  if (kind == 1 || header.half_sphere) return;
  const auto doubled = [&](std::size_t i) { return std::lround(2 * header.kpoints[k].k[i]); };
  block.twice_k = {static_cast<std::int32_t>(doubled(0)), static_cast<std::int32_t>(doubled(1)),
                   static_cast<std::int32_t>(doubled(2))};
  for (std::size_t i = 0; i < 3; ++i) {
    require(std::abs(2 * header.kpoints[k].k[i] - static_cast<double>(doubled(i))) < 1e-9 && kind >= 2 && kind <= 9 &&
                header.spinor == 1,
            Fault::bad_file, "{}: invalid istwfk ({}) at k-point {}: rerun the code that wrote the file", header.path,
            kind, k + 1);
  }
  block.mirrored = facts.npwarr[k] - (kind == 2 ? 1 : 0);  // G = 0 is its own mirror image, and the first wave
  header.kpoints[k].plane_waves = facts.npwarr[k] + block.mirrored;
}

bool recognises_abinit(const std::string& path) {
  Start start;
  return std::filesystem::is_regular_file(path) && read_start(File(path), start) && start.fform == wavefunctions;
}

std::int32_t abinit_form(const std::string& path) {
  Start start;
  return std::filesystem::is_regular_file(path) && read_start(File(path), start) ? start.fform : 0;
}

WaveTable read_abinit(const std::string& path) {
  const File file(path);
  FortranRecords records(file);
  const AbinitHeader read = read_abinit_header(records, path);
  const AbinitFacts& facts = read.facts;
  WaveTable table;
  table.header = header_of(facts, path);
  OrbitalHeader& header = table.header;
  header.format = "ABINIT WFK";
  header.energies.resize(header.occupations.size());
  for (int spin = 0; spin < header.spins; ++spin) {
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      auto head = records.next(12);
      const auto found = head.take<std::array<std::int32_t, 3>>();
      require(found == std::array<std::int32_t, 3>{facts.npwarr[k], facts.nspinor, facts.mband}, Fault::bad_file,
              "{}: the record of spin {}, k-point {} contradicts the header: rerun the code that wrote the file", path,
              spin + 1, k + 1);
      WaveBlock& block = table.blocks.emplace_back();
      const std::int64_t waves = facts.npwarr[k];
      block.waves = {records.skip(3 * waves, Element::int32)};
      auto levels = records.next(16 * static_cast<std::int64_t>(header.bands));
      for (int band = 0; band < header.bands; ++band) {
        header.energies[header.state(spin, static_cast<int>(k), band)] = levels.take<double>();
      }
      block.first_band = records.skip(2 * waves * header.spinor, Element::float64);
      block.band_stride = block.first_band.record_stride();
      records.seek(block.first_band.offset - 4 + header.bands * block.band_stride);
      leave_out_mirrored(facts, table, k, block);
    }
  }
  require_complete(table);
  if (facts.usepaw == 0 && !norms_are_one(table)) header.norm_conserving = NormConserving::unknown;
  return table;
}

}  // namespace seiche
