// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/band_edges.hpp"

#include <algorithm>

#include "crystal/complete_header.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double same_energy = 1e-6;  // hartree: largest difference that codes leave between degenerate states

/// The band edges of one spin and k-point.
struct Edges {
  std::optional<BandState> occupied, empty;
  int count = 0;  // number of occupied states
};

Edges edges_at(const OrbitalHeader& h, int spin, int k) {
  Edges found;
  for (int band = 0; band < h.bands; ++band) {
    const std::size_t n = h.state(spin, k, band);
    const BandState state{spin, k, band, h.energies[n]};
    if (h.occupations[n] > 0.5) {
      ++found.count;
      if (!found.occupied || state.energy >= found.occupied->energy) found.occupied = state;
    } else if (!found.empty || state.energy < found.empty->energy) {
      found.empty = state;
    }
  }
  return found;
}

/// Collects the edges of all k-points.
class Gap {
 public:
  void add(const Edges& at) {
    const auto higher = [](const auto& a, const auto& b) { return a.energy > b.energy + same_energy; };
    BandEdges& all = edges;
    if (at.occupied && (!all.highest_occupied || higher(*at.occupied, *all.highest_occupied))) {
      all.highest_occupied = at.occupied;
    }
    if (at.empty && (!all.lowest_empty || higher(*all.lowest_empty, *at.empty))) all.lowest_empty = at.empty;
    if (!at.occupied || !at.empty) return;
    const double distance = at.empty->energy - at.occupied->energy;
    if (all.direct_empty && distance > all.direct_empty->energy - all.direct_occupied->energy - same_energy) return;
    all.direct_occupied = at.occupied;
    all.direct_empty = at.empty;
  }

  BandEdges edges;
};

std::optional<double> distance(const BandEdges& edges, const std::optional<BandState>& from,
                               const std::optional<BandState>& to) {
  if (edges.metallic) return 0;
  if (!from || !to) return std::nullopt;
  return to->energy - from->energy;
}

}  // namespace

std::optional<double> BandEdges::gap() const { return distance(*this, highest_occupied, lowest_empty); }
std::optional<double> BandEdges::direct_gap() const { return distance(*this, direct_occupied, direct_empty); }

BandEdges band_edges(const OrbitalHeader& h, std::optional<int> spin) {
  require_sound(h);
  require(!spin || (*spin >= 0 && *spin < h.spins), Fault::bad_argument, "{}: no spin {} (spins in the file: {})",
          h.path, spin.value_or(0) + 1, h.spins);
  Gap gap;
  bool crossing = false;
  for (int s = spin.value_or(0); s < (spin ? *spin + 1 : h.spins); ++s) {
    int first = 0;
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const Edges at = edges_at(h, s, k);
      if (k == 0) first = at.count;
      crossing = crossing || at.count != first;
      gap.add(at);
    }
  }
  BandEdges& all = gap.edges;
  all.metallic = crossing ||
                 (all.highest_occupied && all.lowest_empty && all.lowest_empty->energy <= all.highest_occupied->energy);
  return all;
}

EnergyZero energy_zero(const OrbitalHeader& h, std::optional<int> spin) {
  const BandEdges edges = band_edges(h, spin);
  if (edges.metallic && h.fermi_energy && !h.fermi_energy_down) return {*h.fermi_energy, "the Fermi level"};
  if (edges.metallic && spin && h.fermi_energy_down) {
    const bool down = *spin == 1;
    return {down ? *h.fermi_energy_down : h.fermi_energy.value_or(*h.fermi_energy_down),
            down ? "the Fermi level of spin down" : "the Fermi level of spin up"};
  }
  require(edges.highest_occupied.has_value(), Fault::bad_argument,
          "{}: no occupied state, so that energies have no reference: rerun the code with occupations", h.path);
  return {edges.highest_occupied->energy, "the highest occupied state"};
}

}  // namespace seiche
