// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads and writes binary WFN files of BerkeleyGW in Fortran records, as in pw2bgw: units as in WFN.h5,
/// k-points slowest, and both spins of a band in one record.
#include <algorithm>
#include <filesystem>

#include "crystal/complete_header.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/berkeleygw/berkeleygw_crystal.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// The second record.
struct Counts {
  std::int32_t spins = 0, waves = 0, operations = 0, atoms = 0, kpoints = 0, bands = 0;
};

/// Validates the counts; later code relies on it.
void require_counts(const Counts& n, OrbitalHeader& h, std::int64_t file_size) {
  require(n.spins != 4, Fault::unsupported,
          "{}: binary WFN files of spinors are not supported: convert it to WFN.h5 (wfn2hdf)", h.path);
  require(n.spins == 1 || n.spins == 2, Fault::bad_file,
          "{}: nspin must be 1 or 2 (got {}): rerun the code that wrote the file", h.path, n.spins);
  require(n.operations >= 1 && n.operations <= 48, Fault::bad_file,
          "{}: ntran must be 1 to 48 (got {}): rerun the code that wrote the file", h.path, n.operations);
  require(n.bands > 0 && n.kpoints > 0, Fault::bad_file, "{} has {} bands and {} k-points: rerun the code", h.path,
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
    require(plausible(h.grid), Fault::bad_file,
            "{}: invalid grid ({} x {} x {} points): rerun the code that wrote the file", h.path, points[0], points[1],
            points[2]);
    h.mesh = grid.take<std::array<std::int32_t, 3>>();
    h.mesh_shift = grid.take<Vector3>();
    h.crystal = read_crystal(records_, n_.operations, n_.atoms);
    read_kpoints();
    require_sound_crystal(h);
    normalise_weights(h);
    h.electrons = electrons_of(h);
    read_gvectors(records_, file_.path(), n_.waves);  // of the density
    locate();
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
    record.skip(4);  // largest number of waves of a k-point
    h.cutoff = record.take<double>() / 2;
    require_counts(n_, h, file_.size());
    h.density_waves = n_.waves;
    h.spins = n_.spins;
    h.magnetism = h.spins == 2 ? Magnetism::collinear : Magnetism::none;
    h.bands = n_.bands;
  }

  void read_kpoints() {
    OrbitalHeader& h = table_.header;
    const std::int64_t kpoints = n_.kpoints, states = kpoints * n_.bands * n_.spins;
    const auto waves = records_.next(4 * kpoints).take<std::int32_t>(kpoints);
    const auto weights = records_.next(8 * kpoints).take<double>(kpoints);
    const auto points = records_.next(24 * kpoints).take<double>(3 * kpoints);
    for (std::size_t k = 0; k < waves.size(); ++k) {
      require(waves[k] > 0, Fault::bad_file,
              "{}: k-point {} has an invalid number of plane waves ({}): rerun the code that wrote the file", h.path,
              k + 1, waves[k]);
      h.kpoints.push_back({{points[3 * k], points[3 * k + 1], points[3 * k + 2]}, weights[k], waves[k]});
    }
    for (int skipped = 0; skipped < 2; ++skipped)
      records_.next(4 * kpoints * n_.spins);  // the lowest and the highest occupied band
    h.energies = records_.next(8 * states).take<double>(states);
    for (double& energy : h.energies) energy /= 2;
    h.occupations = records_.next(8 * states).take<double>(states);
  }

  void locate() {
    OrbitalHeader& h = table_.header;
    table_.blocks.resize(size_of(std::int64_t{n_.kpoints} * n_.spins));
    const std::int64_t numbers = real_ ? 1 : 2;
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const std::int64_t n = h.kpoints[k].plane_waves;
      const Extent waves = read_gvectors(records_, file_.path(), n);
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

bool named_binary_wfn(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("wfn") && !path.ends_with(".h5") &&
         !path.ends_with(".wfn");
}

void write_kpoints(FortranWriter& file, const OrbitalHeader& h) {
  std::vector<std::int32_t> waves;
  std::vector<double> weights, energies;
  std::vector<Vector3> points;
  for (const KPoint& k : h.kpoints) {
    waves.push_back(static_cast<std::int32_t>(k.plane_waves));
    weights.push_back(k.weight);
    points.push_back(k.k);
  }
  for (const double energy : h.energies) energies.push_back(2 * energy);
  const OccupiedBands occupied = occupied_bands(h);
  file.write(waves);
  file.write(weights);
  file.write(points);
  file.write(occupied.lowest);
  file.write(occupied.highest);
  file.write(energies);
  file.write(h.occupations);
}

void write_head(FortranWriter& file, const OrbitalHeader& h, std::size_t density_waves) {
  const auto number = [](auto n) { return static_cast<std::int32_t>(n); };
  const BerkeleyGwCrystal crystal = berkeleygw_crystal(h.crystal);
  std::int64_t most = 0;
  for (const KPoint& k : h.kpoints) most = std::max(most, k.plane_waves);
  file.write(file.record().add_text("WFN-Complex", 32).add_text("written by Seiche", 64));
  file.write(number(h.spins), number(density_waves), crystal.operations(), std::int32_t{crystal.hexagonal},
             crystal.atoms(), 2 * h.density_cutoff, number(h.kpoints.size()), number(h.bands), number(most),
             2 * h.cutoff);
  file.write(number(h.grid.nx), number(h.grid.ny), number(h.grid.nz), h.mesh, h.mesh_shift);
  write_crystal(file, crystal);
  write_kpoints(file, h);
}

WaveTable create_binary_wfn(const std::string& path, const OrbitalHeader& h) {
  const auto sphere = berkeleygw_sphere(h.crystal, h.density_cutoff);
  FortranWriter file(path);
  write_head(file, h, sphere.size() / 3);
  write_pieces(file, std::ssize(sphere) / 3);
  file.write(sphere);
  for (const KPoint& k : h.kpoints) {
    write_pieces(file, k.plane_waves);
    file.leave_room(3 * k.plane_waves, Element::int32);
    for (int band = 0; band < h.bands; ++band) {
      write_pieces(file, k.plane_waves);
      file.leave_marked_room(2 * k.plane_waves * h.spins, Element::float64);
    }
  }
  file.close();
  return locate_berkeleygw_binary(path);
}

}  // namespace

bool recognises_berkeleygw_binary(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const File file(path);
  const FirstRecord first = first_record(file);
  if (first.bytes != 96) return false;
  const std::string title = FortranRecords(file, first.big_endian).next().take_text(4);
  return title == "WFN-";
}

WaveTable locate_berkeleygw_binary(const std::string& path) { return BinaryFile(path).read(); }

WaveTable read_berkeleygw_binary(const std::string& path) {
  WaveTable table = locate_berkeleygw_binary(path);
  table.header.norm_conserving = norms_are_one(table) ? NormConserving::yes : NormConserving::unknown;
  return table;
}

WaveWriting writing_berkeleygw_binary() {
  return {"wfn-binary", named_binary_wfn, false, false, losses_in_binary_wfn, nullptr, create_binary_wfn};
}

}  // namespace seiche
