// SPDX-License-Identifier: BSD-3-Clause
/// \file  WAVECAR of VASP: records of equal length, all numbers except coefficients in double precision; eV and
/// angstrom.
#include "files/vasp/vasp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/bands/wave_order.hpp"
#include "files/vasp/units.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using vasp::bohr;
using vasp::hartree;

constexpr std::int64_t start_numbers = 3, crystal_numbers = 12;

/// The contents of the first record.
struct Start {
  std::int64_t record = 0;  ///< bytes of each
  int spins = 0;
  int tag = 0;
};

std::vector<double> doubles_at(const File& file, std::int64_t offset, std::int64_t count) {
  const Extent extent{file.path(), offset, count, Element::float64, false, false};
  require_complete(file, extent);
  std::vector<double> values(static_cast<std::size_t>(count));
  read_extent(file, extent, {0, count}, std::span(values));
  return values;
}

/// Converts a count that is stored as a real number; -1 for an invalid one.
std::int64_t count_of(double number) {
  return number >= 0 && number < 1e15 && number == std::floor(number) ? static_cast<std::int64_t>(number) : -1;
}

/// Reads the first record; `record` is 0 if it is not a WAVECAR.
Start read_start(const File& file) {
  if (file.size() < 8 * (start_numbers + crystal_numbers)) return {};
  const auto numbers = doubles_at(file, 0, start_numbers);
  const std::int64_t record = count_of(numbers[0]), spins = count_of(numbers[1]), tag = count_of(numbers[2]);
  const bool known = tag == 45200 || tag == 45210 || tag == 53300 || tag == 53310;
  if (!known || (spins != 1 && spins != 2) || record < 8 * crystal_numbers || record % 8 != 0) return {};
  return {record, static_cast<int>(spins), static_cast<int>(tag)};
}

/// |G + k|^2
double square_of(const Miller& g, const std::array<Vector3, 3>& b, const Vector3& k = {}) {
  Vector3 q{};
  for (std::size_t i = 0; i < 3; ++i) q[i] = (g.x + k[0]) * b[0][i] + (g.y + k[1]) * b[1][i] + (g.z + k[2]) * b[2][i];
  return dot(q, q);
}

/// Returns the `count` waves of lowest kinetic energy in the order of VASP, if the cutoff lies there within rounding;
/// otherwise none.
std::vector<Miller> lowest_waves(const OrbitalHeader& header, const Vector3& k, std::int64_t count, bool half) {
  constexpr double slack = 1e-5, rounding = 1e-12;  // relative
  const auto b = header.crystal.reciprocal();
  // Limits the sphere of a damaged header.
  double box = half ? 0.5 : 1, length = std::sqrt(2 * header.cutoff * (1 + slack));
  for (std::size_t i = 0; i < 3; ++i) length += std::abs(k[i]) * std::sqrt(dot(b[i], b[i]));
  for (const Vector3& a : header.crystal.lattice) box *= 1 + length * std::sqrt(dot(a, a)) / std::numbers::pi;
  if (!(box < 300.0 * static_cast<double>(count) + 1e3)) return {};

  auto waves = x_fastest(sphere_of_waves(b, k, header.cutoff * (1 + slack), half));
  const auto energy = [&](const Miller& g) { return square_of(g, b, k) / 2; };
  std::vector<double> energies;
  for (const Miller& g : waves) energies.push_back(energy(g));
  std::sort(energies.begin(), energies.end());
  const auto n = static_cast<std::size_t>(count);
  if (energies.size() < n || n == 0) return {};
  const bool all = energies.size() == n;
  if (!all && energies[n] - energies[n - 1] < rounding * header.cutoff) return {};
  if (!all && energies[n] < header.cutoff * (1 - slack)) return {};
  const double edge = all ? energies[n - 1] : (energies[n - 1] + energies[n]) / 2;
  waves.erase(std::remove_if(waves.begin(), waves.end(), [&](const Miller& g) { return energy(g) > edge; }),
              waves.end());
  return waves;
}

void read_crystal(const File& file, std::int64_t offset, OrbitalHeader& header) {
  const auto numbers = doubles_at(file, offset, crystal_numbers);
  const std::int64_t kpoints = count_of(numbers[0]), bands = count_of(numbers[1]);
  require_count(header.path, "k-points", kpoints, file.size());
  require_count(header.path, "bands", bands, file.size());
  require(kpoints > 0 && bands > 0, Fault::bad_file, "{} has {} k-points and {} bands: rerun VASP", header.path,
          kpoints, bands);
  header.kpoints.resize(static_cast<std::size_t>(kpoints));
  header.bands = static_cast<int>(bands);
  header.cutoff = numbers[2] / hartree;
  for (std::size_t i = 0; i < 9; ++i) header.crystal.lattice[i / 3][i % 3] = numbers[3 + i] / bohr;
  require_sound_crystal(header);
}

/// Reads the number after the crystal, which older files do not have.
void read_fermi_energy(const File& file, const Start& start, OrbitalHeader& header) {
  if (start.record < 8 * (crystal_numbers + 1)) return;
  const double energy = doubles_at(file, start.record + 8 * crystal_numbers, 1)[0];
  if (energy != 0 && std::isfinite(energy)) header.fermi_energy = energy / hartree;
}

/// Detects half spheres and spinors from the number of waves; the file has no other information.
void find_kind(OrbitalHeader& header, std::int64_t coefficients) {
  const Vector3& k = header.kpoints[0].k;
  const bool gamma = header.kpoints.size() == 1 && k == Vector3{};
  if (!lowest_waves(header, k, coefficients, false).empty()) return;
  if (coefficients % 2 == 0 && !lowest_waves(header, k, coefficients / 2, false).empty()) {
    header.spinor = 2;
    header.magnetism = Magnetism::vector;
    return;
  }
  header.half_sphere = gamma && !lowest_waves(header, k, coefficients, true).empty();
  require(header.half_sphere, Fault::bad_file,
          "{}: {} plane waves at the first k-point do not match its cutoff of {} eV and its cell: rerun the code that "
          "wrote the file",
          header.path, coefficients, header.cutoff * hartree);
}

/// Reads the header of one spin and k-point. \return the number of coefficients of a band
std::int64_t read_kpoint(const File& file, std::int64_t offset, OrbitalHeader& header, int spin, std::size_t k) {
  const auto numbers = doubles_at(file, offset, 4 + 3 * header.bands);
  const std::int64_t coefficients = count_of(numbers[0]);
  require_count(header.path, "plane waves", coefficients, file.size());
  const Vector3 point{numbers[1], numbers[2], numbers[3]};
  require(spin == 0 || point == header.kpoints[k].k, Fault::bad_file,
          "{}: the two spins have different k-points {}: rerun the code that wrote the file", header.path, k + 1);
  header.kpoints[k].k = point;
  for (int band = 0; band < header.bands; ++band) {
    const std::size_t state = header.state(spin, static_cast<int>(k), band),
                      at = 4 + 3 * static_cast<std::size_t>(band);
    header.energies[state] = numbers[at] / hartree;
    header.occupations[state] = numbers[at + 2];
  }
  return coefficients;
}

/// Reads record by record; the file may be longer.
void read_kpoints(const File& file, const Start& start, WaveTable& table) {
  OrbitalHeader& h = table.header;
  const bool may_span = start.tag / 100 == 533, single = start.tag % 100 == 0;
  const std::int64_t head = 8 * (4 + 3 * static_cast<std::int64_t>(h.bands));
  const std::int64_t heads = may_span ? (head + start.record - 1) / start.record : 1;
  const auto kpoints = static_cast<std::int64_t>(h.kpoints.size());
  require(heads * start.record >= head && h.spins * kpoints <= file.size() / start.record / h.bands, Fault::bad_file,
          "{}: truncated record: {} k-points with {} bands do not fit: copy it again", h.path, kpoints, h.bands);
  h.energies.resize(static_cast<std::size_t>(h.spins * kpoints * h.bands));
  h.occupations.resize(h.energies.size());
  std::int64_t offset = 2 * start.record;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t k = 0; k < h.kpoints.size(); ++k, offset += (heads + h.bands) * start.record) {
      const std::int64_t coefficients = read_kpoint(file, offset, h, spin, k);
      if (table.blocks.empty()) find_kind(h, coefficients);
      KPoint& point = h.kpoints[k];
      require(spin == 0 || point.plane_waves == coefficients / h.spinor, Fault::bad_file,
              "{}: the two spins have different plane waves at k-point {}: rerun the code that wrote the file", h.path,
              k + 1);
      point.plane_waves = coefficients / h.spinor;
      point.weight = 1.0 / static_cast<double>(kpoints);
      const Element element = single ? Element::float32 : Element::float64;
      require(2 * coefficients * bytes_of(element) <= start.record, Fault::bad_file,
              "{}: {} coefficients exceed records of {} bytes: rerun the code that wrote the file", h.path,
              coefficients, start.record);
      WaveBlock& block = table.blocks.emplace_back();
      block.first_band = {h.path, offset + heads * start.record, 2 * coefficients, element, false, false};
      block.band_stride = start.record;
      block.root_two = h.half_sphere;
      require(spin > 0 || !lowest_waves(h, point.k, point.plane_waves, h.half_sphere).empty(), Fault::bad_file,
              "{}: {} plane waves at k-point {} do not match its cutoff of {} eV and its cell: rerun the code that "
              "wrote the file",
              h.path, point.plane_waves, k + 1, h.cutoff * hartree);
    }
  }
}

/// Returns the half sphere of builds of VASP that halve along z.
std::vector<Miller> halved_along_z(std::vector<Miller> waves) {
  for (Miller& g : waves) {
    const bool in_z_half = g.z > 0 || (g.z == 0 && (g.y > 0 || (g.y == 0 && g.x >= 0)));
    if (!in_z_half) g = {-g.x, -g.y, -g.z};
  }
  return x_fastest(waves);
}

/// Returns the kinetic energy of the first bands on `waves`, without a factor.
double kinetic_energy(const WaveTable& table, std::span<const Miller> waves) {
  constexpr int enough = 8;  // bands
  const auto b = table.header.crystal.reciprocal();
  const File file(table.header.path);
  std::vector<std::complex<double>> c(waves.size());
  double energy = 0;
  for (std::int64_t band = 0; band < std::min(enough, table.header.bands); ++band) {
    const std::int64_t count = std::ssize(waves);
    read_coefficients(file, table.block(0, 0), {band, 0, count, {0, count}}, c);
    for (std::size_t i = 0; i < c.size(); ++i) energy += std::norm(c[i]) * square_of(waves[i], b);
  }
  return energy;
}

/// Both halves have the same number of waves in different orders. With the wrong one, large coefficients belong to
/// arbitrary waves, which increases the kinetic energy. The default of VASP is x.
HalfAxis axis_by_kinetic_energy(WaveTable& table) {
  constexpr double clearly = 0.9;
  std::array<double, 2> energy{};
  for (const HalfAxis axis : {HalfAxis::x, HalfAxis::z}) {
    table.half = axis;
    energy[static_cast<std::size_t>(axis)] = kinetic_energy(table, generate_vasp(table, 0));
  }
  return energy[1] < clearly * energy[0] ? HalfAxis::z : HalfAxis::x;
}

}  // namespace

bool recognises_vasp(const std::string& path) {
  return std::filesystem::is_regular_file(path) && read_start(File(path)).record > 0;
}

WaveTable read_vasp(const std::string& path) {
  const File file(path);
  const Start start = read_start(file);
  WaveTable table;
  OrbitalHeader& header = table.header;
  header.path = path;
  header.spins = start.spins;
  if (start.spins == 2) header.magnetism = Magnetism::collinear;
  read_crystal(file, start.record, header);
  read_fermi_energy(file, start, header);
  read_kpoints(file, start, table);
  header.format = start.tag % 100 == 0 ? "VASP WAVECAR (single precision)" : "VASP WAVECAR (double precision)";
  header.weighted = header.kpoints.size() == 1;
  header.electrons = electrons_of(header);
  complete_grid(header);
  require_complete(table);
  if (header.half_sphere) table.half = axis_by_kinetic_energy(table);
  header.norm_conserving = norms_are_one(table) ? NormConserving::yes : NormConserving::no;
  return table;
}

std::vector<Miller> generate_vasp(const WaveTable& table, int k) {
  const OrbitalHeader& header = table.header;
  const KPoint& point = header.kpoints[static_cast<std::size_t>(k)];
  const auto waves = lowest_waves(header, point.k, point.plane_waves, header.half_sphere);
  return header.half_sphere && table.half == HalfAxis::z ? halved_along_z(waves) : waves;
}

}  // namespace seiche
