// SPDX-License-Identifier: BSD-3-Clause
/// \file  The z lines of a sphere: between coefficients on this rank's sticks and the near end of the exchange to
/// planes.
#pragma once

#include <complex>
#include <vector>

#include "fft/sticks.hpp"
#include "fft/tiles.hpp"

namespace seiche {

/// The near memory has, for each group of columns, all z of this rank's sticks of that group: [group][z][stick], so
/// that what another rank needs, a range of z of one group, lies in a row.
template <class Real>
class StickLines {
 public:
  using Complex = std::complex<Real>;

  /// Reads or writes the values that arrive at sticks; `take(source)` and `give(source, value)` do it.
  StickLines(const StickMap& map, int rank, std::int64_t nz, double scale_to_waves, const FftOptions& options,
             LineLibrary library)
      : nz_(nz), threads_(options.threads), tile_pitch_(padded_row<Complex>(nz)), arrivals_(map.arrivals) {
    const std::int64_t tile = tile_of_lines(nz, sizeof(Complex));
    scratch_ = Scratch<Complex>(threads_, tile * tile_pitch_);
    std::int64_t offset = 0;
    for (const Range& sticks : map.group_sticks[static_cast<std::size_t>(rank)]) {
      const Group group{sticks, offset, pitch_of(sticks)};
      Lines lines{.kind = LineKind::to_grid,
                  .n = nz,
                  .count = sticks.size(),
                  .in = {1, tile_pitch_},
                  .out = {group.pitch, 1},
                  .single = sizeof(Real) == sizeof(float),
                  .reproducible = options.reproducible};
      const LineTiles to_grid(library, lines, tile);
      std::swap(lines.in, lines.out);
      lines.kind = LineKind::to_waves;
      lines.scale = scale_to_waves;
      const LineTiles to_waves(library, lines, tile);
      for (std::int64_t t = 0; t < to_grid.tiles(); ++t) add_tile(group, to_grid.lines(t), t);
      groups_.push_back(group);
      to_grid_.push_back(to_grid);
      to_waves_.push_back(to_waves);
      offset += nz * group.pitch;
    }
    memory_ = offset;
  }

  /// Elements from one z to the next of a group with these sticks.
  static std::int64_t pitch_of(const Range& sticks) { return sticks.empty() ? 0 : padded_row<Complex>(sticks.size()); }
  std::int64_t memory() const { return memory_; }

  template <class Take, class Between>
  void to_near(const Take& take, Complex* near, const Between& between) {
    for_tiles(
        static_cast<std::int64_t>(tiles_.size()), threads_,
        [&](std::int64_t t, int thread) {
          const Tile& tile = tiles_[static_cast<std::size_t>(t)];
          Complex* lines = scratch_.of(thread);
          std::fill_n(lines, tile.sticks.size() * tile_pitch_, Complex{});
          for (std::int64_t a = tile.arrivals.low; a < tile.arrivals.high; ++a) {
            const Arrival& arrival = arrivals_[static_cast<std::size_t>(a)];
            lines[(arrival.stick - tile.sticks.low) * tile_pitch_ + arrival.z] = take(arrival.source);
          }
          to_grid_[tile.group].run(tile.number, lines, near + tile.offset);
        },
        between);
  }

  template <class Give, class Between>
  void from_near(const Complex* near, const Give& give, const Between& between) {
    for_tiles(
        static_cast<std::int64_t>(tiles_.size()), threads_,
        [&](std::int64_t t, int thread) {
          const Tile& tile = tiles_[static_cast<std::size_t>(t)];
          Complex* lines = scratch_.of(thread);
          to_waves_[tile.group].run(tile.number, near + tile.offset, lines);
          for (std::int64_t a = tile.arrivals.low; a < tile.arrivals.high; ++a) {
            const Arrival& arrival = arrivals_[static_cast<std::size_t>(a)];
            give(arrival.source, lines[(arrival.stick - tile.sticks.low) * tile_pitch_ + arrival.z]);
          }
        },
        between);
  }

 private:
  struct Group {
    Range sticks;
    std::int64_t offset, pitch;
  };
  struct Tile {
    std::size_t group;
    std::int64_t number;
    Range sticks, arrivals;
    std::int64_t offset;
  };

  void add_tile(const Group& group, const Range& lines, std::int64_t number) {
    const Range sticks{group.sticks.low + lines.low, group.sticks.low + lines.high};
    const auto first_of = [&](std::int64_t stick) {
      return std::lower_bound(arrivals_.begin(), arrivals_.end(), stick,
                              [](const Arrival& a, std::int64_t s) { return a.stick < s; }) -
             arrivals_.begin();
    };
    tiles_.push_back(
        {groups_.size(), number, sticks, {first_of(sticks.low), first_of(sticks.high)}, group.offset + lines.low});
  }

  std::int64_t nz_;
  int threads_;
  std::int64_t tile_pitch_, memory_ = 0;
  std::vector<Arrival> arrivals_;
  std::vector<Group> groups_;
  std::vector<LineTiles> to_grid_, to_waves_;
  std::vector<Tile> tiles_;
  Scratch<Complex> scratch_;
};

}  // namespace seiche
