// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums of pair densities with coefficients of the caller, computed on the grid. Each sum needs one transform.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "pair_densities/densities_body.hpp"
#include "pair_densities/density_rows.hpp"

namespace seiche {

/// Adds factor * psi to sum.
template <class Value>
void add_multiple(const Value& factor, const Value* psi, Value* sum, std::int64_t n) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::int64_t x = 0; x < n; ++x) sum[x] += product(factor, psi[x]);
  });
}

/// Some sums of all pairs of this rank's group, on the grid. \pre the plan is on the host
template <class Value>
class DensitySums {
 public:
  using Body = typename PairDensities<Value>::Body;
  using Orbitals = typename Body::Orbitals;

  /// `coefficients`: [sum][i][j]. `tag`: a fresh tag of body.across.
  DensitySums(Body& body, const Orbitals& left, const Orbitals& right, const Value* coefficients, std::int64_t sums,
              int tag)
      : body_(body),
        left_(left),
        right_(right),
        coefficients_(coefficients),
        sums_(sums),
        values_(static_cast<std::size_t>(sums * left.points())),
        rows_(static_cast<std::size_t>(body.plan().options.threads * row())),
        stream_(body.across, left, body.window(), body.plan().queue, tag) {}

  /// Collective. Adds all pairs.
  void compute() {
    stream_.start(0);
    for (std::int64_t i = 0; i < left_.count; ++i) {
      if (i % stream_.groups() == 0) {
        stream_.wait([] {});
        stream_.start(i / stream_.groups() + 1);
      }
      for_tiles(
          left_.points() / std::max<std::int64_t>(row(), 1), body_.plan().options.threads,
          [&](std::int64_t line, int thread) { add_line(i, line, thread); }, [&] { stream_.poll(); });
    }
    if (stream_.fault()) throw Error(*stream_.fault());
  }
  Value* values() { return values_.data(); }  ///< [sum][z][y][x]

 private:
  std::int64_t row() const { return left_.box.size(0); }
  /// Adds the pairs of orbital i on one row along x.
  void add_line(std::int64_t i, std::int64_t line, int thread) {
    Value* const partner = rows_.data() + thread * row();
    for (std::int64_t s = 0; s < sums_; ++s) {
      for (int c = 0; c < left_.components; ++c) {
        const std::int64_t at = c * left_.points() + line * row();
        std::fill_n(partner, row(), Value{});
        const Value* factor = coefficients_ + (s * left_.count + i) * right_.count + body_.my_group();
        for (std::int64_t j = 0; j < body_.count_here(right_); ++j, factor += body_.report.band_groups) {
          add_multiple(*factor, right_.orbital(j) + at, partner, row());
        }
        add_pair(stream_.orbital(i) + at, partner, values_.data() + s * left_.points() + line * row(), row());
      }
    }
  }

  Body& body_;
  const Orbitals &left_, &right_;
  const Value* coefficients_;
  std::int64_t sums_;
  std::vector<Value> values_, rows_;  // rows_: sums over j, of each thread
  OrbitalStream<Value> stream_;
};

/// Collective. Sets `found` [sum][wave] to the sums of the pairs of this rank's group. \pre the plan is on the host
template <class Value>
void sum_on_grid(typename PairDensities<Value>::Body& body, const typename DensitySums<Value>::Orbitals& left,
                 const typename DensitySums<Value>::Orbitals& right, std::span<const Value> coefficients,
                 std::span<std::complex<double>> found) {
  using Complex = typename ComplexOf<Value>::type;
  constexpr std::int64_t most = 8;  // sums on the grid at once
  const std::int64_t waves = body.plan().waves, pairs = left.count * right.count;
  const std::int64_t sums = pairs == 0 ? 0 : std::ssize(coefficients) / pairs;
  for (std::int64_t first = 0; first < sums; first += most) {
    const std::int64_t some = std::min(most, sums - first);
    const int tag = body_of(body.across).fresh_tags();  // on all ranks, also if one has no memory
    std::optional<DensitySums<Value>> on_grid;
    std::vector<Complex> densities;
    together(body.comm, [&] {
      on_grid.emplace(body, left, right, coefficients.data() + first * pairs, some, tag);
      densities.resize(static_cast<std::size_t>(some * waves));
    });
    together(body.comm, [&] { on_grid->compute(); });
    together(body.comm, [&] {  // collective in each band group
      SphereRun<Value> run(*body.pairs, Flow::forward, {}, body.spent);
      run.feed({.bands = some, .out = densities.data(), .grid = on_grid->values(), .out_row = waves});
      run.finish();
    });
    std::copy(densities.begin(), densities.end(), found.begin() + first * waves);
  }
}

/// Collective. Same from the density of each pair, on any device.
template <class Value>
void sum_of_densities(PairDensities<Value>& densities, const GridOrbitals<Value>& left,
                      const GridOrbitals<Value>& right, std::span<const Value> coefficients,
                      std::span<std::complex<double>> found) {
  using Block = PairBlock<typename PairDensities<Value>::Complex>;
  densities.compute(left, right, [&](const Block& block) {
    const std::size_t count = block.pairs.size(), waves = block.densities.size() / count;
    const auto pairs = static_cast<std::size_t>(left.count() * right.count());
    for (std::size_t s = 0; s < coefficients.size() / pairs; ++s) {
      for (std::size_t p = 0; p < count; ++p) {
        const auto place = static_cast<std::size_t>(block.pairs[p].i * right.count() + block.pairs[p].j);
        const std::complex<double> factor(coefficients[s * pairs + place]);
        for (std::size_t g = 0; g < waves; ++g) {
          found[s * waves + g] += factor * std::complex<double>(block.densities[p * waves + g]);
        }
      }
    }
  });
}

}  // namespace seiche
