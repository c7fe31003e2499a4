// SPDX-License-Identifier: BSD-3-Clause
/// \file  The y lines of a sphere in one plane of constant z: between sticks, as the exchange brings them, and a
/// compact plane that has only those columns x that any stick has.
#pragma once

#include <complex>
#include <vector>

#include "exchange/exchange.hpp"
#include "fft/sticks.hpp"
#include "fft/tiles.hpp"

namespace seiche {

/// A compact plane is stored [y][column], columns fastest, with pitch() elements from y to y.
template <class Real>
class ColumnLines {
 public:
  using Complex = std::complex<Real>;

  /// For the columns of group `group`, whose sticks come from all ranks.
  ColumnLines(const StickMap& map, std::size_t group, std::int64_t ny, const FftOptions& options, LineLibrary library)
      : ny_(ny), columns_(map.groups[group].size()), pitch_(padded_row<Complex>(columns_)) {
    for (std::size_t q = 0; q < map.sticks.size(); ++q) {
      auto& places = places_.emplace_back();
      const Range& sticks = map.group_sticks[q][group];
      for (std::int64_t s = sticks.low; s < sticks.high; ++s) {
        const Stick& stick = map.sticks[q][static_cast<std::size_t>(s)];
        places.push_back(static_cast<std::int32_t>(stick.y * pitch_ + stick.column - map.groups[group].low));
      }
    }
    Lines lines{.kind = LineKind::to_grid,
                .n = ny,
                .count = columns_,
                .in = {pitch_, 1},
                .out = {pitch_, 1},
                .in_place = true,
                .single = sizeof(Real) == sizeof(float),
                .reproducible = options.reproducible};
    if (columns_ == 0) return;
    to_grid_ = line_fft(library, lines);
    lines.kind = LineKind::to_waves;
    to_waves_ = line_fft(library, lines);
  }

  std::int64_t pitch() const { return pitch_; }
  std::int64_t memory() const { return ny_ * pitch_; }

  /// Fills the plane at z (counted from this rank's first) from the far end of `exchange` and transforms its columns.
  void to_plane(Exchange& exchange, std::int64_t z, Complex* plane) const {
    std::fill_n(plane, memory(), Complex{});
    for (std::size_t q = 0; q < places_.size(); ++q) {
      const Complex* row = row_of(exchange, q, z);
      const auto& places = places_[q];
      for (std::size_t s = 0; s < places.size(); ++s) plane[places[s]] = row[s];
    }
    if (to_grid_) to_grid_->run(plane, plane);
  }

  /// The way back.
  void from_plane(Complex* plane, Exchange& exchange, std::int64_t z) const {
    if (to_waves_) to_waves_->run(plane, plane);
    for (std::size_t q = 0; q < places_.size(); ++q) {
      Complex* row = row_of(exchange, q, z);
      const auto& places = places_[q];
      for (std::size_t s = 0; s < places.size(); ++s) row[s] = plane[places[s]];
    }
  }

 private:
  static Complex* row_of(Exchange& exchange, std::size_t rank, std::int64_t z) {
    const FarPatch far = exchange.far(static_cast<int>(rank));
    return reinterpret_cast<Complex*>(far.data) + z * far.patch.stride[1];
  }

  std::int64_t ny_, columns_, pitch_;
  std::vector<std::vector<std::int32_t>> places_;  // by rank: where in the plane each of its sticks goes
  std::shared_ptr<const LineFft> to_grid_, to_waves_;
};

}  // namespace seiche
