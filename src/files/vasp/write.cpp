// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes WAVECAR files of VASP in double precision (tag 45210).
#include <algorithm>
#include <filesystem>

#include "files/bands/wave_order.hpp"
#include "files/vasp/units.hpp"
#include "files/vasp/vasp.hpp"

namespace seiche {

namespace {

/// VASP includes waves below the cutoff, other codes also waves at the cutoff: these must be included.
constexpr double edge = 1 + 1e-8;

bool named_vasp(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("wavecar") || path.ends_with(".wavecar");
}

std::vector<std::string> losses_in_vasp(const OrbitalHeader& h) {
  std::vector<std::string> losses{
      "atoms, symmetry, grid, functional and total energy, which a WAVECAR does not hold; keep the POSCAR with it"};
  if (!h.fermi_energy) losses.push_back("the Fermi energy: unknown, written as 0");
  if (h.kpoints.size() > 1)
    losses.push_back("weights of k-points, which a WAVECAR does not hold; keep the KPOINTS with it");
  if (h.spinor == 2 && h.magnetism == Magnetism::none) {
    losses.push_back("that the spinors have no magnetisation");
  }
  return losses;
}

std::vector<Miller> vasp_waves(const OrbitalHeader& h, int k, std::span<const Miller>) {
  return x_fastest(sphere_of_waves(h.crystal.reciprocal(), h.kpoints[static_cast<std::size_t>(k)].k, h.cutoff * edge,
                                   h.half_sphere));
}

std::int64_t record_length(const OrbitalHeader& h) {
  std::int64_t numbers = std::max<std::int64_t>(13, 4 + 3 * static_cast<std::int64_t>(h.bands));
  for (const KPoint& k : h.kpoints) numbers = std::max(numbers, 2 * h.spinor * k.plane_waves);
  return (numbers + 1) / 2 * 16;
}

/// Returns the numbers before the bands of one spin and k-point.
std::vector<double> head_of(const OrbitalHeader& h, int spin, std::size_t k) {
  const KPoint& point = h.kpoints[k];
  std::vector<double> numbers{static_cast<double>(point.plane_waves * h.spinor), point.k[0], point.k[1], point.k[2]};
  for (int band = 0; band < h.bands; ++band) {
    const std::size_t state = h.state(spin, static_cast<int>(k), band);
    numbers.insert(numbers.end(), {h.energies[state] * vasp::hartree, 0.0, h.occupations[state]});
  }
  return numbers;
}

WaveTable create_vasp(const std::string& path, const OrbitalHeader& header) {
  const std::int64_t record = record_length(header);
  const auto kpoints = static_cast<std::int64_t>(header.kpoints.size());
  const File file(path, File::Mode::write);
  const auto write = [&](std::int64_t offset, const std::vector<double>& numbers) {
    write_extent(file, {path, offset, static_cast<std::int64_t>(numbers.size()), Element::float64, false, false},
                 {0, static_cast<std::int64_t>(numbers.size())}, std::span<const double>(numbers));
  };
  std::vector<double> crystal{static_cast<double>(kpoints), static_cast<double>(header.bands),
                              header.cutoff * edge * vasp::hartree};
  for (const Vector3& row : header.crystal.lattice) {
    for (const double x : row) crystal.push_back(x * vasp::bohr);
  }
  crystal.push_back(header.fermi_energy.value_or(0) * vasp::hartree);
  write(0, {static_cast<double>(record), static_cast<double>(header.spins), 45210});
  write(record, crystal);
  WaveTable table;
  table.header = header;
  std::int64_t offset = 2 * record;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (std::size_t k = 0; k < header.kpoints.size(); ++k, offset += (1 + header.bands) * record) {
      write(offset, head_of(header, spin, k));
      WaveBlock& block = table.blocks.emplace_back();
      const std::int64_t numbers = 2 * header.spinor * header.kpoints[k].plane_waves;
      block.first_band = {path, offset + record, numbers, Element::float64, false, false};
      block.band_stride = record;
      block.root_two = header.half_sphere;
    }
  }
  file.resize(offset);
  return table;
}

}  // namespace

WaveWriting writing_vasp() {
  return {.word = "vasp", .named = named_vasp, .losses = losses_in_vasp, .waves = vasp_waves, .create = create_vasp};
}

}  // namespace seiche
