// SPDX-License-Identifier: BSD-3-Clause
#include "crystal/spin_symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crystal/complete_header.hpp"
#include "crystal/operations.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

/// \throws Error unless they ascend and are below `all`
std::vector<int> checked(const OrbitalHeader& h, const char* what, const std::vector<int>& wanted, int all) {
  if (wanted.empty()) {
    std::vector<int> every(size_of(all));
    std::iota(every.begin(), every.end(), 0);
    return every;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    require(wanted[i] >= 0 && wanted[i] < all, Fault::bad_argument, "{} has {} {}s, but no {} {}", h.path, all, what,
            what, wanted[i] + 1);
    const int before = i == 0 ? -1 : wanted[i - 1];
    require(wanted[i] > before, Fault::bad_argument, "{}s of a selection must ascend ({} follows {})", what,
            wanted[i] + 1, before + 1);
  }
  return wanted;
}

Selection whole(const OrbitalHeader& h, const Selection& selection) {
  require_sound(h);
  return {checked(h, "band", selection.bands, h.bands),
          checked(h, "k-point", selection.kpoints, static_cast<int>(h.kpoints.size())),
          checked(h, "spin", selection.spins, h.spins)};
}

std::string plural(std::size_t count, const char* one) {
  return formatted("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Returns a message on occupied bands outside of the selection.
std::vector<std::string> bands_left_out(const OrbitalHeader& h, const std::vector<int>& kept) {
  int occupied = 0, gone = 0;
  double all = 0, left = 0;
  for (int band = 0; band < h.bands; ++band) {
    double electrons = 0, size = 0;
    for (int spin = 0; spin < h.spins; ++spin) {
      for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
        const double here = h.degeneracy() * h.kpoints[size_of(k)].weight * h.occupations[h.state(spin, k, band)];
        electrons += here;
        size += std::abs(here);
      }
    }
    all += electrons;
    if (size > 0) ++occupied;
    if (std::binary_search(kept.begin(), kept.end(), band)) continue;
    left += electrons;
    if (size > 0) ++gone;
  }
  if (gone == 0) return {};
  return {formatted("{} occupied band{} of {}, with {:.6g} of {:.6g} electrons", gone, gone == 1 ? "" : "s", occupied,
                    left, all)};
}

bool exchanges_spins(const SymmetryOperation& operation) { return operation.time_reversal; }

/// Returns whether `k` or -k, whose bands are complex conjugates, is one of the k-points, up to a reciprocal vector.
bool has_point(const OrbitalHeader& h, const Vector3& k) {
  const Vector3 opposite{-k[0], -k[1], -k[2]};
  return std::any_of(h.kpoints.begin(), h.kpoints.end(), [&](const KPoint& point) {
    return std::min(apart_in_lattice(point.k, k), apart_in_lattice(point.k, opposite)) < 1e-6;
  });
}

}  // namespace

void leave_out_exchange_of_spins(OrbitalHeader& header) {
  for (const SymmetryOperation& operation : header.crystal.operations) {
    if (!exchanges_spins(operation)) continue;
    const Rotation turn = reciprocal_rotation(operation);
    for (const KPoint& point : header.kpoints) {
      require(has_point(header, times(turn, point.k)), Fault::unsupported,
              "{}: its symmetry maps spin up to spin down and omits k-points, so that one spin alone is incomplete: "
              "create all k-points first",
              header.path);
    }
  }
  std::erase_if(header.crystal.operations, exchanges_spins);
}

OrbitalHeader selected(const OrbitalHeader& h, const Selection& selection) {
  const Selection of = whole(h, selection);
  OrbitalHeader made = h;
  made.spins = static_cast<int>(of.spins.size());
  made.bands = static_cast<int>(of.bands.size());
  if (made.spins < h.spins) {
    leave_out_exchange_of_spins(made);
    made.magnetism = Magnetism::none;
    made.density_components = 0;
  }
  if (of.kpoints.size() < h.kpoints.size()) {
    made.mesh = {};
    made.mesh_shift = {};
  }
  made.kpoints.clear();
  made.energies.clear();
  made.occupations.clear();
  double weight = 0;
  for (const int k : of.kpoints) weight += h.kpoints[size_of(k)].weight;
  for (const int k : of.kpoints) {
    made.kpoints.push_back(h.kpoints[size_of(k)]);
    made.kpoints.back().weight =
        weight > 0 ? made.kpoints.back().weight / weight : 1 / static_cast<double>(of.kpoints.size());
  }
  for (const int spin : of.spins) {
    for (const int k : of.kpoints) {
      for (const int band : of.bands) {
        made.energies.push_back(h.energies[h.state(spin, k, band)]);
        made.occupations.push_back(h.occupations[h.state(spin, k, band)]);
      }
    }
  }
  return made;
}

std::vector<std::string> left_out(const OrbitalHeader& h, const Selection& selection) {
  const Selection of = whole(h, selection);
  std::vector<std::string> sentences = bands_left_out(h, of.bands);
  const std::size_t gone = h.kpoints.size() - of.kpoints.size();
  if (gone > 0) {
    sentences.push_back(
        formatted("{} of {}; the remaining weights are scaled to sum to 1", plural(gone, "k-point"), h.kpoints.size()));
  }
  if (static_cast<int>(of.spins.size()) < h.spins) {
    sentences.push_back(
        formatted("the bands of spin {}; the other bands are written without spin", of.spins[0] == 0 ? "down" : "up"));
  }
  return sentences;
}

std::vector<double> filled(const OrbitalHeader& h, const StateChoice& choice) {
  const Selection of = whole(h, choice.of);
  require(!std::isnan(choice.lowest.value_or(0)) && !std::isnan(choice.highest.value_or(0)), Fault::bad_argument,
          "the bounds of an energy range must be numbers (got {} and {} hartree)", choice.lowest.value_or(0),
          choice.highest.value_or(0));
  std::vector<double> occupations(h.energies.size());
  bool any = false;
  for (const int spin : of.spins) {
    for (const int k : of.kpoints) {
      for (const int band : of.bands) {
        const std::size_t state = h.state(spin, k, band);
        if (choice.lowest && h.energies[state] < *choice.lowest) continue;
        if (choice.highest && h.energies[state] > *choice.highest) continue;
        occupations[state] = 1;
        any = true;
      }
    }
  }
  require(any, Fault::bad_argument, "{} has no states in this energy range: choose another range", h.path);
  return occupations;
}

}  // namespace seiche
