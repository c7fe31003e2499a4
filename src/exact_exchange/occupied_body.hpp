// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of occupied orbitals.
#pragma once

#include <memory>
#include <vector>

#include "fft/sphere/sphere_plan.hpp"
#include "seiche/exact_exchange.hpp"
#include "space/memory.hpp"
#include "support/require.hpp"

namespace seiche {

/// Orbitals with weights other than 0. Band group g of n has the values of the orbitals g, g + n, and so on.
template <class Value>
struct OccupiedOrbitals<Value>::Body {
  Communicator comm;
  GridShape shape;
  Box box;
  BandGroups band_groups;
  int components;
  Space space;
  std::vector<double> weights;  ///< of the orbitals of all groups
  Memory values;                ///< [orbital of this group][component][z][y][x], in the memory space of the plan

  /// Returns the implementation of occupied orbitals. \throws Error if they are moved from
  static const std::shared_ptr<const Body>& of(const OccupiedOrbitals& orbitals) {
    require(orbitals.body_ != nullptr, Fault::bad_argument, "exact exchange: these occupied orbitals are moved from");
    return orbitals.body_;
  }
  std::int64_t count() const { return std::ssize(weights); }
  std::int64_t points() const { return box.volume(); }  ///< of a component
  std::int64_t values_of_orbital() const { return components * points(); }
  /// Returns the values of an orbital of this rank's group. `i`: position in the group.
  Value* orbital(std::int64_t i) const { return reinterpret_cast<Value*>(values.data()) + i * values_of_orbital(); }
};

}  // namespace seiche
