// SPDX-License-Identifier: BSD-3-Clause
/// \file  Orbitals that stay on the grid.
#pragma once

#include <cstdint>
#include <memory>

#include "fft/sphere/orbital_place.hpp"
#include "space/memory.hpp"

namespace seiche {

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
