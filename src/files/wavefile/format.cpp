// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads waves and coefficients from extents, with the conventions of each format.
#include "files/wavefile/format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "crystal/lattice.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Returns the part of `range` below `limit`, and the part above.
Range below(const Range& range, std::int64_t limit) {
  return {std::min(range.low, limit), std::min(range.high, limit)};
}
Range from(const Range& range, std::int64_t limit) { return {std::max(range.low, limit), std::max(range.high, limit)}; }
Range shifted(const Range& range, std::int64_t by) { return {range.low + by, range.high + by}; }

/// Returns waves stored in the file, at the positions `part`.
std::vector<Miller> stored_waves(const std::vector<Extent>& extents, Range part) {
  const auto sound = [&](std::vector<Miller> waves) {
    constexpr std::int32_t most = 1 << 28;  // leaves room for sums and differences; no grid is so fine
    const auto fits = [](std::int32_t i) { return i > -most && i < most; };
    for (const Miller& g : waves) {
      require(fits(g.x) && fits(g.y) && fits(g.z), Fault::bad_file,
              "{}: invalid plane wave ({}, {}, {}): rerun the code that wrote the file", extents[0].path, g.x, g.y,
              g.z);
    }
    return waves;
  };
  if (extents.size() == 1) return sound(read_plane_waves(extents[0], part));
  require(extents.size() == 3, Fault::internal, "waves are in {} extents", extents.size());
  std::vector<Miller> waves(static_cast<std::size_t>(part.size()));
  std::vector<std::int32_t> indices(waves.size());
  const File file(extents[0].path);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    read_extent(file, extents[axis], part, indices);
    for (std::size_t i = 0; i < waves.size(); ++i) {
      (axis == 0 ? waves[i].x : axis == 1 ? waves[i].y : waves[i].z) = indices[i];
    }
  }
  return sound(std::move(waves));
}

void read_stored(const File& file, const WaveBlock& block, const BandPart& part, std::span<Complex> values) {
  const std::int64_t n = block.numbers(), stored = part.plane_waves - block.mirrored;
  const std::int64_t first = block.component_stride > 0 ? 0 : part.component * stored;
  const Extent extent = block.run(part.band, part.component);
  const Range run{n * (first + part.mine.low), n * (first + part.mine.high)};
  if (!block.real) {
    read_extent(file, extent, run, std::span(reinterpret_cast<double*>(values.data()), 2 * values.size()));
    return;
  }
  std::vector<double> numbers(values.size());
  read_extent(file, extent, run, std::span(numbers));
  std::copy(numbers.begin(), numbers.end(), values.begin());
}

}  // namespace

std::vector<Miller> read_plane_waves(const WaveTable& table, int spin, int k, Range mine) {
  const WaveBlock& block = table.block(spin, k);
  if (block.waves.empty()) {
    const auto all = wave_formats()[static_cast<std::size_t>(table.format)].generate(table, k);
    const std::int64_t wanted = table.header.kpoints[static_cast<std::size_t>(k)].plane_waves;
    require(static_cast<std::int64_t>(all.size()) == wanted, Fault::bad_file,
            "{}: cutoff and cell give {} plane waves at k-point {} instead of {}: rerun the code that wrote the file",
            table.header.path, all.size(), k + 1, wanted);
    return {all.begin() + mine.low, all.begin() + mine.high};
  }
  const std::int64_t stored = table.header.kpoints[static_cast<std::size_t>(k)].plane_waves - block.mirrored;
  auto waves = stored_waves(block.waves, below(mine, stored));
  const Miller& k2 = block.twice_k;
  const Range mirrored = shifted(from(mine, stored), -block.mirrored);
  if (mirrored.empty()) return waves;
  for (const Miller& g : stored_waves(block.waves, mirrored)) {
    waves.push_back({-g.x - k2.x, -g.y - k2.y, -g.z - k2.z});
  }
  return waves;
}

void read_coefficients(const File& file, const WaveBlock& block, const BandPart& part, std::span<Complex> values) {
  const std::int64_t stored = part.plane_waves - block.mirrored;
  BandPart piece = part;
  piece.mine = below(part.mine, stored);
  const auto here = static_cast<std::size_t>(piece.mine.size());
  read_stored(file, block, piece, values.first(here));
  piece.mine = shifted(from(part.mine, stored), -block.mirrored);
  if (!piece.mine.empty()) {
    read_stored(file, block, piece, values.subspan(here));
    for (Complex& c : values.subspan(here)) c = std::conj(c);
  }
  if (block.root_two) {
    const std::size_t first = part.mine.low == 0 ? 1 : 0;  // G = 0 is the first wave, and its own opposite
    for (std::size_t i = first; i < values.size(); ++i) values[i] /= std::numbers::sqrt2;
  }
  require_finite(file, block.place_of(part.band), values);
}

void require_finite(const File& file, std::int64_t band, std::span<const Complex> values) {
  constexpr double largest = std::numeric_limits<double>::max();
  unsigned bad = 0;  // without an early exit, so that the loop is vectorized
  for (const double x : std::span(reinterpret_cast<const double*>(values.data()), 2 * values.size())) {
    bad |= static_cast<unsigned>(!(std::abs(x) <= largest));
  }
  require(bad == 0, Fault::bad_file, "{}: band {} has a coefficient that is not finite: rerun the code that wrote it",
          file.path(), band + 1);
}

void write_coefficients(const File& file, const WaveBlock& block, const BandPart& part,
                        std::span<const Complex> values) {
  const std::int64_t n = block.numbers(), stored = part.plane_waves - block.mirrored;
  const std::int64_t first = block.component_stride > 0 ? 0 : part.component * stored;
  const Extent extent = block.run(part.band, part.component);
  const Range run{n * first, n * (first + stored)};
  std::vector<double> numbers;
  if (block.real) {
    for (const Complex& c : values.first(static_cast<std::size_t>(stored))) numbers.push_back(c.real());
  } else {
    const auto* begin = reinterpret_cast<const double*>(values.data());
    if (!block.root_two) return write_extent(file, extent, run, std::span(begin, static_cast<std::size_t>(2 * stored)));
    numbers.assign(begin, begin + 2 * stored);
  }
  if (block.root_two) {
    for (auto i = static_cast<std::size_t>(n); i < numbers.size(); ++i) numbers[i] *= std::numbers::sqrt2;
  }
  write_extent(file, extent, run, std::span(std::as_const(numbers)));
}

void write_plane_waves(const WaveBlock& block, std::span<const Miller> waves) {
  if (block.waves.empty()) return;
  const File file(block.waves[0].path, File::Mode::write);
  const auto stored = static_cast<std::int64_t>(waves.size()) - block.mirrored;
  std::vector<std::int32_t> numbers;
  const auto write = [&](const Extent& extent) {
    write_extent(file, extent, {0, extent.count}, std::span(std::as_const(numbers)));
  };
  if (block.waves.size() == 1) {
    for (const Miller& g : waves.first(static_cast<std::size_t>(stored)))
      numbers.insert(numbers.end(), {g.x, g.y, g.z});
    return write(block.waves[0]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    numbers.clear();
    for (const Miller& g : waves.first(static_cast<std::size_t>(stored))) {
      numbers.push_back(axis == 0 ? g.x : axis == 1 ? g.y : g.z);
    }
    write(block.waves[axis]);
  }
}

WaveTable selected(const WaveTable& table, const Selection& selection) {
  const OrbitalHeader& h = table.header;
  WaveTable made{selected(h, selection), {}, table.format, table.checksums, {}, table.half};
  const auto every = [](const std::vector<int>& some, int all, const auto& use) {
    for (int i = 0; i < all; ++i) {
      if (some.empty() || std::binary_search(some.begin(), some.end(), i)) use(i);
    }
  };
  every(selection.spins, h.spins, [&](int spin) {
    every(selection.kpoints, static_cast<int>(h.kpoints.size()), [&](int k) {
      WaveBlock& block = made.blocks.emplace_back(table.block(spin, k));
      block.bands.clear();
      every(selection.bands, h.bands, [&](int band) {
        const std::size_t state = h.state(spin, k, band);
        block.bands.push_back(static_cast<int>(table.block(spin, k).place_of(band)));
        made.checksum_of.push_back(table.checksum_of.empty() ? static_cast<std::int64_t>(state)
                                                             : table.checksum_of[state]);
      });
    });
  });
  return made;
}

std::vector<SymmetryOperation> written_operations(const OrbitalHeader& header) {
  return header.averaged ? operations_or_identity(header.crystal) : std::vector{identity_operation()};
}

bool norms_are_one(const WaveTable& table) {
  constexpr int enough = 8;        // bands
  constexpr double single = 1e-5;  // error of a norm in single precision
  const OrbitalHeader& header = table.header;
  const WaveBlock& block = table.blocks[0];
  const File file(block.first_band.path);
  const std::int64_t waves = header.kpoints[0].plane_waves;
  std::vector<Complex> c(static_cast<std::size_t>(waves));
  std::size_t zero = 0;  // position of G = 0, which is the first of the omitted waves
  if (header.half_sphere && !block.waves.empty()) {
    const auto all = read_plane_waves(table, 0, 0, {0, waves});
    zero = static_cast<std::size_t>(std::find(all.begin(), all.end(), Miller{}) - all.begin());
    require(zero < all.size(), Fault::bad_file, "{}: a half sphere without G = 0: rerun the code that wrote the file",
            header.path);
  }
  for (std::int64_t band = 0; band < std::min(enough, header.bands); ++band) {
    double norm = 0;
    for (std::int64_t component = 0; component < header.spinor; ++component) {
      read_coefficients(file, block, {band, component, waves, {0, waves}}, c);
      for (const Complex& x : c) norm += (header.half_sphere ? 2 : 1) * std::norm(x);
    }
    if (header.half_sphere) norm -= std::norm(c[zero]);
    if (std::abs(norm - 1) > single) return false;
  }
  return true;
}

void require_complete(const WaveTable& table) {
  const OrbitalHeader& h = table.header;
  for (const WaveBlock& block : table.blocks) {
    const File file(block.first_band.path);
    for (const Extent& waves : block.waves) require_complete(file, waves);
    require_complete(file, block.run(h.bands - 1, block.component_stride > 0 ? h.spinor - 1 : 0));
  }
}

}  // namespace seiche
