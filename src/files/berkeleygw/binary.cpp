// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads BerkeleyGW's WFN of Fortran records, as pw2bgw writes it: units are those of WFN.h5, k-points slowest,
/// and both spins of a band in one record.
#include <filesystem>

#include "crystal/complete_header.hpp"
#include "crystal/crystal.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/containers/fortran.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The second record.
struct Counts {
  std::int32_t spins = 0, waves = 0, operations = 0, atoms = 0, kpoints = 0, bands = 0;
};

/// What is wrong with them; everything below trusts them.
void require_counts(const Counts& n, OrbitalHeader& h, std::int64_t file_size) {
  require(n.spins != 4, Fault::unsupported,
          "{}: binary WFN files of spinors are not read; make a WFN.h5 of it (wfn2hdf)", h.path);
  require(n.spins == 1 || n.spins == 2, Fault::bad_file, "{}: nspin is {}, not 1 or 2; copy it again", h.path, n.spins);
  require(n.operations >= 1 && n.operations <= 48, Fault::bad_file, "{}: ntran is {}, not 1 to 48; copy it again",
          h.path, n.operations);
  require(n.bands > 0 && n.kpoints > 0, Fault::bad_file, "{} has {} bands and {} k-points; rerun the code", h.path,
          n.bands, n.kpoints);
  for (const auto& [what, count] : {std::pair("atoms", n.atoms), std::pair("bands", n.bands),
                                    std::pair("k-points", n.kpoints), std::pair("waves", n.waves)}) {
    require_count(h.path, what, count, file_size);
  }
  require_count(h.path, "states", std::int64_t{n.bands} * n.kpoints * n.spins, file_size);
}

class BinaryFile {
 public:
  explicit BinaryFile(const std::string& path)
      : file_(path), big_endian_(first_record(file_).big_endian), records_(file_, big_endian_) {
    table_.header.path = path;
  }

  WaveTable read() {
    OrbitalHeader& h = table_.header;
    real_ = records_.next(96).take_text(8) == "WFN-Real";
    h.format = real_ ? "BerkeleyGW WFN (binary, real)" : "BerkeleyGW WFN (binary)";
    read_counts();
    auto grid = records_.next(48);
    const auto points = grid.take<std::array<std::int32_t, 3>>();
    h.grid = {points[0], points[1], points[2]};
    require(plausible(h.grid), Fault::bad_file, "{}: a grid cannot have {} x {} x {} points; copy it again", h.path,
            points[0], points[1], points[2]);
    h.mesh = grid.take<std::array<std::int32_t, 3>>();
    h.mesh_shift = grid.take<Vector3>();
    read_crystal();
    read_kpoints();
    require_sound(h);
    normalise_weights(h);
    h.electrons = electrons_of(h);
    read_gvectors(n_.waves);  // of the density
    locate();
    h.norm_conserving = norms_are_one(table_) ? NormConserving::yes : NormConserving::unknown;
    return std::move(table_);
  }

 private:
  void read_counts() {
    OrbitalHeader& h = table_.header;
    auto record = records_.next(48);
    n_.spins = record.take<std::int32_t>();
    n_.waves = record.take<std::int32_t>();
    n_.operations = record.take<std::int32_t>();
    record.skip(4);  // cubic or hexagonal
    n_.atoms = record.take<std::int32_t>();
    h.density_cutoff = record.take<double>() / 2;
    n_.kpoints = record.take<std::int32_t>();
    n_.bands = record.take<std::int32_t>();
    record.skip(4);  // most waves of a k-point
    h.cutoff = record.take<double>() / 2;
    require_counts(n_, h, file_.size());
    h.density_waves = n_.waves;
    h.spins = n_.spins;
    h.magnetism = h.spins == 2 ? Magnetism::collinear : Magnetism::none;
    h.bands = n_.bands;
  }

  void read_crystal() {
    Crystal& crystal = table_.header.crystal;
    auto cell = records_.next(160);
    cell.skip(8);
    const double alat = cell.take<double>();
    crystal.lattice = cell.take<std::array<Vector3, 3>>();
    for (Vector3& row : crystal.lattice) {
      for (double& x : row) x *= alat;
    }
    records_.next(160);  // of the reciprocal cell
    const auto rotations = records_.next(36 * n_.operations).take<std::int32_t>(9 * n_.operations);
    const auto translations = records_.next(24 * n_.operations).take<double>(3 * n_.operations);
    crystal.operations = operations_of_berkeleygw(rotations, translations);
    auto atoms = records_.next(28 * std::int64_t{n_.atoms});
    for (std::int32_t i = 0; i < n_.atoms; ++i) {
      const auto p = atoms.take<Vector3>();
      crystal.atoms.push_back({symbol_of(atoms.take<std::int32_t>()), {alat * p[0], alat * p[1], alat * p[2]}});
    }
  }

  void read_kpoints() {
    OrbitalHeader& h = table_.header;
    const std::int64_t kpoints = n_.kpoints, states = kpoints * n_.bands * n_.spins;
    const auto waves = records_.next(4 * kpoints).take<std::int32_t>(kpoints);
    const auto weights = records_.next(8 * kpoints).take<double>(kpoints);
    const auto points = records_.next(24 * kpoints).take<double>(3 * kpoints);
    for (std::size_t k = 0; k < waves.size(); ++k) {
      require(waves[k] > 0, Fault::bad_file, "{}: k-point {} has {} plane waves; copy it again", h.path, k + 1,
              waves[k]);
      h.kpoints.push_back({{points[3 * k], points[3 * k + 1], points[3 * k + 2]}, weights[k], waves[k]});
    }
    for (int skipped = 0; skipped < 2; ++skipped)
      records_.next(4 * kpoints * n_.spins);  // the lowest and highest occupied
    h.energies = records_.next(8 * states).take<double>(states);
    for (double& energy : h.energies) energy /= 2;
    h.occupations = records_.next(8 * states).take<double>(states);
  }

  /// How many pieces follow (always one), how many waves it has, and these.
  Extent read_gvectors(std::int64_t count) {
    const auto pieces = records_.next(4).take<std::int32_t>(), waves = records_.next(4).take<std::int32_t>();
    require(pieces == 1 && waves == count, Fault::bad_file,
            "{}: {} pieces of {} waves at byte {}, where one of {} should be; copy the file again", file_.path(),
            pieces, waves, records_.position(), count);
    return records_.skip(3 * count, Element::int32);
  }

  void locate() {
    OrbitalHeader& h = table_.header;
    table_.blocks.resize(size_of(std::int64_t{n_.kpoints} * n_.spins));
    const std::int64_t numbers = real_ ? 1 : 2;
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const std::int64_t n = h.kpoints[k].plane_waves;
      const Extent waves = read_gvectors(n);
      Extent band{file_.path(), records_.position() + 28, numbers * n * n_.spins, Element::float64, big_endian_, true};
      const std::int64_t stride = 24 + band.record_stride();
      if (n_.spins == 2) {  // half a record each
        band.record = false;
        band.count /= 2;
      }
      for (int spin = 0; spin < n_.spins; ++spin) {
        WaveBlock& block = table_.blocks[size_of(spin) * h.kpoints.size() + k];
        block.waves = {waves};
        block.first_band = band;
        block.band_stride = stride;
        block.real = real_;
        band.offset += band.bytes();
      }
      require_complete(file_, table_.blocks[size_of(n_.spins - 1) * h.kpoints.size() + k].run(h.bands - 1, 0));
      records_.seek(records_.position() + h.bands * stride);
    }
  }

  File file_;
  bool big_endian_, real_ = false;
  FortranRecords records_;
  Counts n_;
  WaveTable table_;
};

}  // namespace

bool recognises_berkeleygw_binary(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const File file(path);
  const FirstRecord first = first_record(file);
  if (first.bytes != 96) return false;
  const std::string title = FortranRecords(file, first.big_endian).next().take_text(4);
  return title == "WFN-";
}

WaveTable read_berkeleygw_binary(const std::string& path) { return BinaryFile(path).read(); }

}  // namespace seiche
