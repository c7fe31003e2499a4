// SPDX-License-Identifier: BSD-3-Clause
/// \file  Opens a file of any known format on one process, tells all, and lets each read its own part.
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "comm/agree.hpp"
#include "seiche/communicator.hpp"
#include "support/require.hpp"
#include "wavefile/archive.hpp"
#include "wavefile/format.hpp"
#include "wavefile/quantum_espresso.hpp"

namespace seiche {

// Not in the unnamed namespace: Archive finds them by their arguments.
static void describe(Archive& archive, WaveBlock& block) { archive(block.waves, block.first_band, block.band_stride); }
static void describe(Archive& archive, Atom& atom) { archive(atom.symbol, atom.position); }
static void describe(Archive& archive, Crystal& crystal) {
  archive(crystal.lattice, crystal.atoms, crystal.operations);
}
static void describe(Archive& archive, WaveHeader& h) {
  archive(h.format, h.path, h.crystal, h.grid, h.cutoff, h.density_cutoff, h.density_waves, h.spins, h.spinor,
          h.half_sphere, h.norm_conserving, h.magnetism, h.bands, h.electrons, h.kpoints, h.occupations, h.energies);
}
static void describe(Archive& archive, WaveTable& table) { archive(table.header, table.blocks); }

namespace {

WaveTable read_table(const std::string& path) {
  require(std::filesystem::exists(path), Fault::bad_file, "cannot find {}; check the name", path);
  std::string known;
  for (const Format& format : wave_formats()) {
    if (format.recognises(path)) return format.read(path);
    known += (known.empty() ? "" : ", ") + std::string(format.name);
  }
  fail(Fault::bad_file, "{} is no wavefunction file of a known format; known are: {}", path, known);
}

}  // namespace

std::span<const Format> wave_formats() {
  static const std::array<Format, 1> formats{{
      {"Quantum ESPRESSO .save (the directory, or its data-file-schema.xml)", recognises_quantum_espresso,
       read_quantum_espresso},
  }};
  return formats;
}

struct WaveFile::Body {
  Communicator comm;
  WaveTable table;

  const WaveBlock& block(int spin, int k) const {
    const WaveHeader& h = table.header;
    require(spin >= 0 && spin < h.spins && k >= 0 && k < static_cast<int>(h.kpoints.size()), Fault::bad_argument,
            "{} has no spin {} at k-point {}; it has {} and {} of them", h.path, spin, k, h.spins, h.kpoints.size());
    return table.blocks[static_cast<std::size_t>(spin) * h.kpoints.size() + static_cast<std::size_t>(k)];
  }
};

WaveFile::WaveFile(MPI_Comm comm, const std::string& path)
    : body_(std::make_unique<Body>(Body{Communicator::duplicate(comm), {}})) {
  found_by_root(body_->comm, body_->table, [&] { body_->table = read_table(path); });
}

WaveFile::~WaveFile() = default;
WaveFile::WaveFile(WaveFile&&) noexcept = default;
WaveFile& WaveFile::operator=(WaveFile&&) noexcept = default;

const WaveHeader& WaveFile::header() const noexcept { return body_->table.header; }

std::vector<Miller> WaveFile::waves(int spin, int k, Range mine) const {
  std::vector<Miller> waves;
  together(body_->comm, [&] { waves = read_waves(body_->block(spin, k).waves, mine); });
  return waves;
}

std::vector<std::complex<double>> WaveFile::coefficients(int spin, int k, Range bands, Range mine) const {
  const WaveHeader& h = header();
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, mine.size()));
  std::vector<std::complex<double>> all(static_cast<std::size_t>(bands.size() * h.spinor) * count);
  together(body_->comm, [&] {
    const WaveBlock& block = body_->block(spin, k);
    require(bands.low >= 0 && bands.high <= h.bands, Fault::bad_argument, "{} has {} bands, not {}", h.path, h.bands,
            bands.high);
    const std::int64_t waves = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
    const File file(block.first_band.path);
    auto* next = reinterpret_cast<double*>(all.data());
    for (std::int64_t b = bands.low; b < bands.high; ++b) {
      const Extent extent = block.band(static_cast<int>(b));
      for (std::int64_t component = 0; component < h.spinor; ++component, next += 2 * count) {
        const std::int64_t begin = component * waves;
        const std::span values(next, 2 * count);
        read_extent(file, extent, {2 * (begin + mine.low), 2 * (begin + mine.high)}, values);
        require(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }), Fault::bad_file,
                "{}: band {} has a coefficient that is not a number; rerun the code that wrote it", file.path(), b + 1);
      }
    }
  });
  return all;
}

}  // namespace seiche
