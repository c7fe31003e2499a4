// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs along y of a sphere in one plane of constant z, between sticks of the exchange and a plane with all
/// columns x that have sticks.
#pragma once

#include <complex>
#include <vector>

#include "exchange/exchange_interface.hpp"
#include "fft/lines/tiles.hpp"
#include "fft/sphere/sticks.hpp"

namespace seiche {

/// Memory layout of the columns of a plane: [y][position], with `pitch` elements between neighbouring y.
struct PlaneLayout {
  std::vector<std::int32_t> position;  ///< position of each column of the group
  std::int64_t pitch = 0;

  /// Returns a layout with contiguous columns.
  template <class Complex>
  static PlaneLayout compact(const Range& group) {
    PlaneLayout layout{{}, padded_row<Complex>(group.size())};
    for (std::int64_t c = 0; c < group.size(); ++c) layout.position.push_back(static_cast<std::int32_t>(c));
    return layout;
  }
  /// Returns a layout with each column at its x, so that the rows of the plane can be transformed in place.
  template <class Complex>
  static PlaneLayout full(const std::vector<std::int32_t>& columns, std::int64_t nx) {
    return {columns, padded_row<Complex>(nx)};
  }
};

template <class Real>
class ColumnLines {
 public:
  using Complex = std::complex<Real>;

  /// Creates the transforms of the columns of a group. Their sticks are on all ranks.
  ColumnLines(const StickMap& map, std::size_t group, std::int64_t ny, const PlaneLayout& layout,
              const FftOptions& options, LineLibrary library)
      : ny_(ny), pitch_(layout.pitch) {
    for (std::size_t q = 0; q < map.sticks.size(); ++q) {
      auto& places = places_.emplace_back();
      const Range& sticks = map.group_sticks[q][group];
      for (std::int64_t s = sticks.low; s < sticks.high; ++s) {
        const Stick& stick = map.sticks[q][static_cast<std::size_t>(s)];
        const auto column = static_cast<std::size_t>(stick.column - map.groups[group].low);
        places.push_back(static_cast<std::int32_t>(stick.y * pitch_ + layout.position[column]));
      }
    }
    Lines lines = lines_with<Real>(options);
    lines.n = ny;
    lines.in = lines.out = {pitch_, 1};
    lines.in_place = true;
    for (const Range& run : runs_of(layout.position)) {
      lines.count = run.size();
      lines.kind = LineKind::backward;
      const auto backward = line_fft(library, lines);
      lines.kind = LineKind::forward;
      runs_.push_back({run.low, backward, line_fft(library, lines)});
    }
  }

  std::int64_t pitch() const { return pitch_; }
  std::int64_t memory() const { return ny_ * pitch_; }
  std::size_t bytes() const {  ///< memory of lists
    std::size_t entries = 0;
    for (const auto& places : places_) entries += places.capacity();
    return entries * sizeof(std::int32_t);
  }

  /// Fills plane z (relative to this rank's first) from the target of `exchange`, and transforms its columns.
  void to_plane(Exchange& exchange, std::int64_t z, Complex* plane) const {
    std::fill_n(plane, memory(), Complex{});
    for (std::size_t q = 0; q < places_.size(); ++q) {
      const Complex* row = row_of(exchange, q, z);
      const auto& places = places_[q];
      for (std::size_t s = 0; s < places.size(); ++s) plane[places[s]] = row[s];
    }
    for (const Run& run : runs_) run.backward->run(plane + run.first, plane + run.first);
  }

  /// Transforms the columns of a plane, and copies them to the target of `exchange`.
  void from_plane(Complex* plane, Exchange& exchange, std::int64_t z) const {
    for (const Run& run : runs_) run.forward->run(plane + run.first, plane + run.first);
    for (std::size_t q = 0; q < places_.size(); ++q) {
      Complex* row = row_of(exchange, q, z);
      const auto& places = places_[q];
      for (std::size_t s = 0; s < places.size(); ++s) row[s] = plane[places[s]];
    }
  }

 private:
  static Complex* row_of(Exchange& exchange, std::size_t rank, std::int64_t z) {
    const TargetPatch target = exchange.target(static_cast<int>(rank));
    return reinterpret_cast<Complex*>(target.data) + z * target.patch.stride[1];
  }

  /// Contiguous columns, which are transformed together.
  struct Run {
    std::int64_t first;
    std::shared_ptr<const LineFft> backward, forward;
  };
  static std::vector<Range> runs_of(const std::vector<std::int32_t>& positions) {
    std::vector<Range> runs;
    for (const std::int64_t x : positions) {
      if (runs.empty() || runs.back().high != x) runs.push_back({x, x});
      ++runs.back().high;
    }
    return runs;
  }

  std::int64_t ny_, pitch_;
  std::vector<std::vector<std::int32_t>> places_;  // by rank: position of each of its sticks in the plane
  std::vector<Run> runs_;
};

}  // namespace seiche
