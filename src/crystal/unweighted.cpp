// SPDX-License-Identifier: BSD-3-Clause
#include "crystal/unweighted.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/size_of.hpp"

namespace seiche {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool has_weight(const OrbitalHeader& h, int k) { return h.kpoints[size_of(k)].weight > 0; }

int kpoints_of(const OrbitalHeader& h) { return static_cast<int>(h.kpoints.size()); }

/// The number of occupied bands of one spin at the weighted k-points.
struct Filling {
  int bands = -1;       ///< at the first of them; -1: none yet
  bool uniform = true;  ///< whether the other k-points have the same number
  double highest_occupied = -infinity, lowest_empty = infinity;

  bool has_gap() const { return uniform && highest_occupied < lowest_empty; }
};

Filling filling_of(const OrbitalHeader& h, int spin) {
  Filling found;
  for (int k = 0; k < kpoints_of(h); ++k) {
    if (!has_weight(h, k)) continue;
    int bands = 0;
    for (int band = 0; band < h.bands; ++band) {
      const std::size_t state = h.state(spin, k, band);
      if (h.occupations[state] > 0.5) {
        ++bands;
        found.highest_occupied = std::max(found.highest_occupied, h.energies[state]);
      } else {
        found.lowest_empty = std::min(found.lowest_empty, h.energies[state]);
      }
    }
    if (found.bands < 0) found.bands = bands;
    found.uniform = found.uniform && bands == found.bands;
  }
  return found;
}

bool is_empty(const OrbitalHeader& h, int k) {
  for (int spin = 0; spin < h.spins; ++spin) {
    const auto first = h.occupations.begin() + static_cast<std::ptrdiff_t>(h.state(spin, k, 0));
    if (std::any_of(first, first + h.bands, [](double occupation) { return occupation != 0; })) return false;
  }
  return true;
}

void fill_lowest(OrbitalHeader& h, int spin, int k, int bands) {
  std::vector<int> order(size_of(h.bands));
  std::iota(order.begin(), order.end(), 0);
  const auto energy = [&](int band) { return h.energies[h.state(spin, k, band)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return energy(a) < energy(b); });
  for (int n = 0; n < bands; ++n) h.occupations[h.state(spin, k, order[size_of(n)])] = 1;
}

void fill_up_to(OrbitalHeader& h, int spin, int k, double level) {
  for (int band = 0; band < h.bands; ++band) {
    const std::size_t state = h.state(spin, k, band);
    h.occupations[state] = h.energies[state] <= level ? 1 : 0;
  }
}

}  // namespace

void derive_unweighted_occupations(OrbitalHeader& h) {
  std::vector<int> unknown;
  for (int k = 0; k < kpoints_of(h); ++k) {
    if (!has_weight(h, k) && is_empty(h, k)) unknown.push_back(k);
  }
  if (unknown.empty()) return;
  for (int spin = 0; spin < h.spins; ++spin) {
    const Filling filling = filling_of(h, spin);
    const auto fermi = spin == 1 && h.fermi_energy_down ? h.fermi_energy_down : h.fermi_energy;
    const double level = fermi.value_or((filling.highest_occupied + filling.lowest_empty) / 2);
    for (const int k : unknown) {
      if (filling.has_gap()) {
        fill_lowest(h, spin, k, filling.bands);
      } else {
        fill_up_to(h, spin, k, level);
      }
    }
  }
}

void weigh_occupied_kpoints(OrbitalHeader& h) {
  std::vector<int> occupied;
  for (int k = 0; k < kpoints_of(h); ++k) {
    if (is_empty(h, k)) continue;
    if (has_weight(h, k)) return;
    occupied.push_back(k);
  }
  for (const int k : occupied) h.kpoints[size_of(k)].weight = 1 / static_cast<double>(occupied.size());
}

}  // namespace seiche
