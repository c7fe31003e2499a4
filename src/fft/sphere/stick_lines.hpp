// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs along z of a sphere, between coefficients of this rank's sticks and the source of the exchange to
/// planes.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "fft/sphere/sticks.hpp"

namespace seiche {

/// Stores a value, or adds it to the stored one.
template <class Complex>
void put(const Complex& value, Complex& place, bool adds) {
  place = adds ? place + value : value;
}

/// The source memory has all z of this rank's sticks, for each group of columns: [group][z][stick]. So the data for
/// another rank, a range of z of one group, are contiguous.
template <class Real>
class StickLines {
 public:
  using Complex = std::complex<Real>;

  StickLines(const StickMap& map, int rank, std::int64_t nz, double scale_forward, const FftOptions& options,
             LineLibrary library)
      : scale_(static_cast<Real>(scale_forward)), threads_(options.threads), tile_pitch_(padded_row<Complex>(nz)) {
    const std::int64_t tile = tile_of_lines(nz, sizeof(Complex));
    scratch_ = Scratch<Complex>(threads_, tile * tile_pitch_);
    std::int64_t offset = 0;
    entries_.reserve(map.arrivals.size());
    for (const Range& sticks : map.group_sticks[static_cast<std::size_t>(rank)]) {
      const Group group{sticks, offset, pitch_of(sticks)};
      Lines lines = lines_with<Real>(options);
      lines.n = nz;
      lines.count = sticks.size();
      lines.in = {1, tile_pitch_};
      lines.out = {group.pitch, 1};
      const LineTiles backward(library, lines, tile);
      std::swap(lines.in, lines.out);
      lines.kind = LineKind::forward;
      const LineTiles forward(library, lines, tile);
      for (std::int64_t t = 0; t < backward.tiles(); ++t) add_tile(map, group, backward.lines(t), t);
      groups_.push_back(group);
      backward_.push_back(backward);
      forward_.push_back(forward);
      offset += nz * group.pitch;
    }
  }

  /// Returns the stride between neighbouring z, in elements, for a group with these sticks.
  static std::int64_t pitch_of(const Range& sticks) { return sticks.empty() ? 0 : padded_row<Complex>(sticks.size()); }

  std::size_t bytes() const { return scratch_.bytes() + entries_.size() * sizeof(Entry); }
  /// Returns the number of factors for multiply(). Tiles of sticks have one per point, padding included.
  std::int64_t factors() const { return factors_; }

  /// Transforms the values of the sticks (see Arrival::source) to the source memory.
  template <class Between>
  void to_source(const Complex* values, Complex* source, const Between& between) {
    for_tiles(
        static_cast<std::int64_t>(tiles_.size()), threads_,
        [&](std::int64_t t, int thread) {
          const Tile& tile = tiles_[static_cast<std::size_t>(t)];
          Complex* lines = scratch_.of(thread);
          std::fill_n(lines, tile.sticks * tile_pitch_, Complex{});
          for (const Entry& entry : entries_of(tile)) {
            const Complex& value = values[entry.source];
            lines[entry.place] = entry.conjugate ? std::conj(value) : value;
          }
          backward_[tile.group].run(tile.number, lines, source + tile.offset);
        },
        between);
  }

  /// Transforms the source memory to the values of the sticks. `adds`: adds them to the existing values.
  template <class Between>
  void from_source(const Complex* source, Complex* values, bool adds, const Between& between) {
    for_tiles(
        static_cast<std::int64_t>(tiles_.size()), threads_,
        [&](std::int64_t t, int thread) {
          const Tile& tile = tiles_[static_cast<std::size_t>(t)];
          Complex* lines = scratch_.of(thread);
          forward_[tile.group].run(tile.number, source + tile.offset, lines);
          for (const Entry& entry : entries_of(tile)) {
            if (entry.mirror) continue;
            const Complex& value = lines[entry.place];
            put(scale_ * (entry.conjugate ? std::conj(value) : value), values[entry.source], adds);
          }
        },
        between);
  }

  /// Sets the factors for multiply() from the real parts of the values of the sticks. They contain the scale of a
  /// forward transform. Points of the sticks without a value get the factor 0.
  void place_factors(const Complex* values, Real* factors) const {
    std::fill_n(factors, factors_, Real{});
    for (const Tile& tile : tiles_) {
      for (const Entry& entry : entries_of(tile)) {
        factors[tile.factors + entry.place] = scale_ * values[entry.source].real();
      }
    }
  }
  /// Transforms the source memory to coefficients, multiplies them by factors, and transforms them back.
  template <class Between>
  void multiply(Complex* source, const Real* factors, const Between& between) {
    for_tiles(
        static_cast<std::int64_t>(tiles_.size()), threads_,
        [&](std::int64_t t, int thread) {
          const Tile& tile = tiles_[static_cast<std::size_t>(t)];
          Complex* lines = scratch_.of(thread);
          const Real* of_tile = factors + tile.factors;
          forward_[tile.group].run(tile.number, source + tile.offset, lines);
          for (std::int64_t i = 0; i < tile.sticks * tile_pitch_; ++i) lines[i] *= of_tile[i];
          backward_[tile.group].run(tile.number, lines, source + tile.offset);
        },
        between);
  }

 private:
  struct Group {
    Range sticks;
    std::int64_t offset, pitch;
  };
  /// Some sticks of one group, and the list of their values.
  struct Tile {
    std::size_t group;
    std::int64_t number, sticks, offset, factors;  // factors: position of the first one
    Range entries;
  };
  struct Entry {
    std::int64_t source;
    std::int32_t place;  // index in the scratch memory of the tile
    bool conjugate, mirror;
  };

  void add_tile(const StickMap& map, const Group& group, const Range& lines, std::int64_t number) {
    const Range sticks{group.sticks.low + lines.low, group.sticks.low + lines.high};
    const auto first_of = [&](std::int64_t stick) {
      return std::lower_bound(map.arrivals.begin(), map.arrivals.end(), stick,
                              [](const Arrival& a, std::int64_t s) { return a.stick < s; });
    };
    const auto before = static_cast<std::int64_t>(entries_.size());
    const auto end = first_of(sticks.high);
    for (auto a = first_of(sticks.low); a != end; ++a) {
      entries_.push_back({a->source, static_cast<std::int32_t>((a->stick - sticks.low) * tile_pitch_ + a->z),
                          a->conjugate, a->mirror});
    }
    tiles_.push_back({groups_.size(),
                      number,
                      sticks.size(),
                      group.offset + lines.low,
                      factors_,
                      {before, static_cast<std::int64_t>(entries_.size())}});
    factors_ += sticks.size() * tile_pitch_;
  }
  std::span<const Entry> entries_of(const Tile& tile) const {
    return {entries_.data() + tile.entries.low, static_cast<std::size_t>(tile.entries.size())};
  }

  Real scale_;  // applied to coefficients only, which are fewer than the points of the sticks
  int threads_;
  std::int64_t tile_pitch_, factors_ = 0;
  std::vector<Entry> entries_;
  std::vector<Group> groups_;
  std::vector<LineTiles> backward_, forward_;
  std::vector<Tile> tiles_;
  Scratch<Complex> scratch_;
};

}  // namespace seiche
