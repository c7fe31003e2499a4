// SPDX-License-Identifier: BSD-3-Clause
/// \file  Expands an irreducible set of k-points to the full zone. Handles k-points and states, not plane waves.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double same_k = 1e-6;  // k-points closer than this are equal: files give about 12 digits

/// x, y, z modulo reciprocal lattice vectors, as integers from 0 to 1 / same_k - 1.
using Place = std::array<std::int64_t, 3>;

Place place_of(const Vector3& k) {
  Place place{};
  const auto cells = static_cast<std::int64_t>(std::llround(1 / same_k));
  for (std::size_t i = 0; i < 3; ++i) {
    const auto cell = static_cast<std::int64_t>(std::llround((k[i] - std::floor(k[i])) / same_k));
    place[i] = cell % cells;
  }
  return place;
}

/// Finds k-points by rounded coordinates. The search includes neighbouring cells, because a point on a cell boundary
/// may be rounded to either cell.
class Places {
 public:
  void add(const Vector3& k, std::size_t number) { found_.emplace(place_of(k), number); }
  std::optional<std::size_t> find(const Vector3& k) const {
    for (int x = -1; x <= 1; ++x) {
      for (int y = -1; y <= 1; ++y) {
        for (int z = -1; z <= 1; ++z) {
          const auto source = found_.find(place_of({k[0] + x * same_k, k[1] + y * same_k, k[2] + z * same_k}));
          if (source != found_.end()) return source->second;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::map<Place, std::size_t> found_;
};

/// Returns whether the k-points are the points of the header's mesh. Each k-point occurs once.
bool has_whole_mesh(const OrbitalHeader& header) {
  std::int64_t points = 1;
  for (const int n : header.mesh) points *= n;
  const auto lies_on_mesh = [&](const KPoint& point) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double step = point.k[i] * header.mesh[i] - header.mesh_shift[i];
      if (std::abs(step - std::round(step)) > same_k * header.mesh[i]) return false;
    }
    return true;
  };
  return points == std::ssize(header.kpoints) &&
         std::all_of(header.kpoints.begin(), header.kpoints.end(), lies_on_mesh);
}

/// An operation on states, and whether it swaps spin up and spin down. With two sets of bands, time reversal in an
/// operation of the crystal reverses the magnetic moment and swaps the sets. Conjugation alone keeps each set.
struct StateOperation {
  SymmetryOperation operation;
  bool swaps_spins = false;
};

std::vector<StateOperation> operations_on_states(const OrbitalHeader& header,
                                                 const std::vector<SymmetryOperation>& operations) {
  const bool reversible = header.spinor == 1 || header.magnetism == Magnetism::none;
  std::vector<StateOperation> all;
  for (const bool reversed : {false, true}) {
    if (reversed && !reversible) continue;
    for (const SymmetryOperation& operation : operations) {
      StateOperation& added = all.emplace_back(StateOperation{operation, false});
      if (!reversible) continue;
      added.operation.time_reversal = reversed;
      added.swaps_spins = operation.time_reversal && header.spins == 2;
    }
  }
  return all;
}

/// One k-point of the full zone.
struct StarMember {
  Vector3 k{};
  std::size_t star = 0;  // first listed k-point of its star
  int source = 0;        // listed k-point from which it is created
  StateOperation by;
};

class Zone {
 public:
  Zone(const OrbitalHeader& header, const std::vector<SymmetryOperation>& operations)
      : header_(header), operations_(operations_on_states(header, operations)) {
    add_listed();
    for (std::size_t k = 0; k < header_.kpoints.size(); ++k) add_images(k);
    expect_closed();
    std::stable_sort(members_.begin(), members_.end(),
                     [](const StarMember& a, const StarMember& b) { return place_of(a.k) < place_of(b.k); });
  }

  KStarMap operator()() const {
    KStarMap full;
    full.header = header_;
    full.header.crystal.operations = {identity_operation()};
    full.header.kpoints.clear();
    std::vector<double> weight(header_.kpoints.size()), size(header_.kpoints.size());
    for (std::size_t k = 0; k < header_.kpoints.size(); ++k) weight[star_of_[k]] += header_.kpoints[k].weight;
    for (const StarMember& member : members_) size[member.star] += 1;
    for (const StarMember& member : members_) {
      const std::int64_t waves = header_.kpoints[static_cast<std::size_t>(member.source)].plane_waves;
      full.header.kpoints.push_back({member.k, weight[member.star] / size[member.star], waves});
    }
    add_states(full);
    if (!has_whole_mesh(full.header)) {
      full.header.mesh = {};
      full.header.mesh_shift = {};
    }
    return full;
  }

 private:
  void add_listed() {
    for (std::size_t k = 0; k < header_.kpoints.size(); ++k) {
      const Vector3& listed = header_.kpoints[k].k;
      const auto twin = places_.find(listed);
      require(!twin, Fault::bad_file, "{}: k-points {} and {} are equivalent: list each once", header_.path,
              twin.value_or(0) + 1, k + 1);
      places_.add(listed, members_.size());
      members_.push_back({listed, k, static_cast<int>(k), {identity_operation(), false}});
    }
    star_of_.resize(header_.kpoints.size());
  }

  void add_images(std::size_t k) {
    // Merges stars that the operations connect: they get the number of their first k-point.
    star_of_[k] = members_[k].star;
    for (const StateOperation& by : operations_) {
      Vector3 image = image_of(by.operation, header_.kpoints[k].k);
      const auto known = places_.find(image);
      if (known) {
        StarMember& member = members_[*known];
        member.star = std::min(member.star, star_of_[k]);
        continue;
      }
      for (double& x : image) x -= std::floor(x + 0.5 + same_k);
      places_.add(image, members_.size());
      members_.push_back({image, star_of_[k], static_cast<int>(k), by});
    }
  }

  void expect_closed() const {
    for (const StarMember& member : members_) {
      for (std::size_t s = 0; s < operations_.size(); ++s) {
        const Vector3 image = image_of(operations_[s].operation, member.k);
        require(
            places_.find(image).has_value(), Fault::bad_argument,
            "{}: operation {} maps k-point ({:.6f}, {:.6f}, {:.6f}) to ({:.6f}, {:.6f}, {:.6f}), which is not in the "
            "list, so that the operations form no group: use the operations of the crystal, from find_operations()",
            header_.path, s + 1, member.k[0], member.k[1], member.k[2], image[0], image[1], image[2]);
      }
    }
  }

  void add_states(KStarMap& full) const {
    const auto bands = static_cast<std::ptrdiff_t>(header_.bands);
    full.header.energies.clear();
    full.header.occupations.clear();
    for (int spin = 0; spin < header_.spins; ++spin) {
      for (const StarMember& member : members_) {
        const ParentState from{member.by.swaps_spins ? 1 - spin : spin, member.source, member.by.operation};
        const auto first = static_cast<std::ptrdiff_t>(header_.state(from.spin, from.k, 0));
        const auto copy = [&](const std::vector<double>& listed, std::vector<double>& all) {
          all.insert(all.end(), listed.begin() + first, listed.begin() + first + bands);
        };
        copy(header_.energies, full.header.energies);
        copy(header_.occupations, full.header.occupations);
        full.parent_states.push_back(from);
      }
    }
  }

  const OrbitalHeader& header_;
  std::vector<StateOperation> operations_;
  Places places_;
  std::vector<StarMember> members_;   // the listed k-points first
  std::vector<std::size_t> star_of_;  // star of each listed k-point
};

}  // namespace

KStarMap full_zone(const OrbitalHeader& header, const std::vector<SymmetryOperation>& operations) {
  require_sound(header);
  return Zone(header, operations)();
}

KStarMap moved(const OrbitalHeader& header, const SymmetryOperation& operation) {
  require_sound(header);
  const std::size_t count = header.kpoints.size();
  Places places;
  for (std::size_t k = 0; k < count; ++k) places.add(header.kpoints[k].k, k);
  std::vector<std::size_t> source(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3& from = header.kpoints[k].k;
    const Vector3 to = image_of(operation, from);
    const auto target = places.find(to);
    require(target.has_value(), Fault::bad_argument,
            "{}: the operation maps k-point ({:.6f}, {:.6f}, {:.6f}) to ({:.6f}, {:.6f}, {:.6f}), which is not in the "
            "list: expand the k-points to the full zone first",
            header.path, from[0], from[1], from[2], to[0], to[1], to[2]);
    source[*target] = k;
  }
  KStarMap map{header, {}};
  for (int spin = 0; spin < header.spins; ++spin) {
    // With two sets of bands, time reversal reverses the magnetic moment: spin up comes from spin down.
    const int from_spin = operation.time_reversal && header.spins == 2 ? 1 - spin : spin;
    for (std::size_t k = 0; k < count; ++k) {
      const ParentState& origin =
          map.parent_states.emplace_back(ParentState{from_spin, static_cast<int>(source[k]), operation});
      map.header.kpoints[k].plane_waves = header.kpoints[source[k]].plane_waves;
      for (int band = 0; band < header.bands; ++band) {
        const auto to = header.state(spin, static_cast<int>(k), band), from = header.state(origin.spin, origin.k, band);
        map.header.energies[to] = header.energies[from];
        map.header.occupations[to] = header.occupations[from];
      }
    }
  }
  return map;
}

}  // namespace seiche
