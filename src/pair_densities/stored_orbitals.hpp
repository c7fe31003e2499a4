// SPDX-License-Identifier: BSD-3-Clause
/// \file  Orbitals that stay on the grid.
#pragma once

#include <cstdint>
#include <memory>

#include "comm/communicator_body.hpp"
#include "fft/sphere/sphere_plan.hpp"
#include "space/memory.hpp"

namespace seiche {

/// Where the orbitals of a call are: orbitals with equal places can form pairs.
struct OrbitalPlace {
  Communicator comm;
  GridShape shape;
  Box box;
  BandGroups band_groups;
  int components;
  Space space;

  bool operator==(const OrbitalPlace& other) const {
    return &body_of(comm) == &body_of(other.comm) && shape == other.shape && box == other.box &&
           band_groups.count == other.band_groups.count && components == other.components && space == other.space;
  }
};

inline OrbitalPlace place_of(const SpherePlan& plan) {
  return {plan.comm, plan.shape, plan.box, plan.band_groups, plan.options.components, plan.queue.space()};
}

/// Orbitals of all groups. Band group g of n has the values of the orbitals g, g + n, and so on.
template <class Value>
struct StoredOrbitals : OrbitalPlace {
  explicit StoredOrbitals(const SpherePlan& plan) : OrbitalPlace(place_of(plan)) {}
  /// Allocates memory for the values of `number` orbitals.
  void allocate(const SpherePlan& plan, std::int64_t number) {
    count = number;
    const std::int64_t here = plan.bands_here(number) * plan.values();
    values = Memory(static_cast<std::size_t>(here) * sizeof(Value), Fresh::raw, space);
  }
  std::int64_t points() const { return box.volume(); }  ///< of a component
  std::int64_t values_of_orbital() const { return components * points(); }
  /// Returns the values of an orbital of this rank's group. `i`: position in the group.
  Value* orbital(std::int64_t i) const { return reinterpret_cast<Value*>(values.data()) + i * values_of_orbital(); }

  std::int64_t count = 0;  ///< of all groups
  Memory values;           ///< [orbital of this group][component][z][y][x], in the memory space of the plan
};

}  // namespace seiche
