// SPDX-License-Identifier: BSD-3-Clause
#include "info_energies.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "seiche/band_edges.hpp"

namespace seiche::command {

namespace {

double in_ev(double energy) { return energy * hartree_in_electronvolt; }

nlohmann::ordered_json known(const std::optional<double>& energy) {
  return energy ? nlohmann::ordered_json(*energy) : nlohmann::ordered_json(nullptr);
}

/// Counted from 1.
nlohmann::ordered_json json_of(const std::optional<BandState>& state) {
  if (!state) return nullptr;
  return {{"spin", state->spin + 1}, {"kpoint", state->k + 1}, {"band", state->band + 1}, {"energy", state->energy}};
}
nlohmann::ordered_json json_of(const BandEdges& edges) {
  return {{"metallic", edges.metallic},
          {"gap", known(edges.gap())},
          {"direct_gap", known(edges.direct_gap())},
          {"highest_occupied", json_of(edges.highest_occupied)},
          {"lowest_empty", json_of(edges.lowest_empty)},
          {"direct_occupied", json_of(edges.direct_occupied)},
          {"direct_empty", json_of(edges.direct_empty)}};
}

std::string coordinates(const Vector3& k) { return fmt::format("({:.4f} {:.4f} {:.4f})", k[0], k[1], k[2]); }

std::string place_of(const OrbitalHeader& h, const BandState& state) {
  const std::string spin = h.spins == 1 ? "" : state.spin == 0 ? " of spin up" : " of spin down";
  return fmt::format("band {}{} at k-point {} {}", state.band + 1, spin, state.k + 1,
                     coordinates(h.kpoints[static_cast<std::size_t>(state.k)].k));
}

std::string gap_in_words(const OrbitalHeader& h, const BandEdges& edges) {
  if (edges.metallic) return "none: bands cross the Fermi level";
  if (!edges.gap()) return edges.highest_occupied ? "unknown: the file has no empty bands" : "unknown: no occupations";
  const BandState &from = *edges.highest_occupied, &to = *edges.lowest_empty;
  const bool direct = from.k == to.k && from.spin == to.spin;
  return fmt::format("{:.4f} eV, {}, from {} to {}", in_ev(*edges.gap()), direct ? "direct" : "indirect",
                     place_of(h, from), place_of(h, to));
}

/// `name`: the spin of the band edges, or "".
void add_gap(Report& report, const OrbitalHeader& h, const BandEdges& edges, const std::string& name) {
  const nlohmann::ordered_json none;
  report.add("gap", none, "gap" + name, gap_in_words(h, edges));
  if (edges.metallic || !edges.gap()) return;
  report.add("gap", none, "direct gap" + name,
             fmt::format("{:.4f} eV, from {}", in_ev(*edges.direct_gap()), place_of(h, *edges.direct_occupied)));
}

/// [spin][k][band]
nlohmann::ordered_json nested(const OrbitalHeader& h, const std::vector<double>& values) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (int spin = 0; spin < h.spins; ++spin) {
    nlohmann::ordered_json& points = all.emplace_back(nlohmann::ordered_json::array());
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(h.state(spin, static_cast<int>(k), 0));
      points.push_back(std::vector<double>(first, first + h.bands));
    }
  }
  return all;
}

}  // namespace

void add_energies(Report& report, const OrbitalHeader& h) {
  report.add("total_energy", known(h.total_energy));
  report.add("fermi_energy", known(h.fermi_energy));
  report.add("fermi_energy_down", known(h.fermi_energy_down));
  if (h.fermi_energy && h.fermi_energy_down) {
    report.add(
        "fermi_energy", *h.fermi_energy, "Fermi levels",
        fmt::format("{:.4f} eV (spin up), {:.4f} eV (spin down)", in_ev(*h.fermi_energy), in_ev(*h.fermi_energy_down)));
  } else if (h.fermi_energy) {
    report.add("fermi_energy", *h.fermi_energy, "Fermi level",
               fmt::format("{:.4f} eV, {:.6f} hartree", in_ev(*h.fermi_energy), *h.fermi_energy));
  }
  const BandEdges edges = band_edges(h);
  if (edges.highest_occupied) {
    report.add("gap", nullptr, "highest occupied", fmt::format("{:.4f} eV", in_ev(edges.highest_occupied->energy)));
  }
  add_gap(report, h, edges, "");
  nlohmann::ordered_json of_spins = nlohmann::ordered_json::array();
  for (int spin = 0; spin < h.spins; ++spin) {
    const BandEdges one = band_edges(h, spin);
    of_spins.push_back(json_of(one));
    if (h.spins == 2) add_gap(report, h, one, spin == 0 ? ", spin up" : ", spin down");
  }
  report.add("gap", json_of(edges));
  report.add("gaps_of_spins", of_spins);
  report.add("energies", nested(h, h.energies));
  report.add("occupations", nested(h, h.occupations));
}

void add_table_of_kpoints(Report& report, const OrbitalHeader& h, const nlohmann::ordered_json& points) {
  constexpr std::size_t most = 40;
  for (std::size_t k = 0; k < std::min(most, h.kpoints.size()); ++k) {
    const KPoint& point = h.kpoints[k];
    std::string text = coordinates(point.k);
    if (h.weighted) text += fmt::format("  weight {:.6f}", point.weight);
    text += fmt::format("  {} waves", point.plane_waves);
    for (int spin = 0; spin < h.spins; ++spin) {
      double electrons = 0;
      for (int band = 0; band < h.bands; ++band) {
        electrons += h.degeneracy() * h.occupations[h.state(spin, static_cast<int>(k), band)];
      }
      const auto first = h.energies.begin() + static_cast<std::ptrdiff_t>(h.state(spin, static_cast<int>(k), 0));
      const auto [low, high] = std::minmax_element(first, first + h.bands);
      text += fmt::format("  {}{:.4f} electrons, {:.4f} to {:.4f} eV",
                          h.spins == 1 ? ""
                          : spin == 0  ? "up "
                                       : "down ",
                          electrons, in_ev(*low), in_ev(*high));
    }
    report.add("kpoint_list", points, fmt::format("  k-point {}", k + 1), text);
  }
  if (h.kpoints.size() <= most) return;
  report.add("kpoint_list", points, "  ...",
             fmt::format("and {} more (all of them with --json)", h.kpoints.size() - most));
}

}  // namespace seiche::command
