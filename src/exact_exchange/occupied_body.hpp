// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of occupied orbitals.
#pragma once

#include <memory>
#include <vector>

#include "pair_densities/stored_orbitals.hpp"
#include "seiche/exact_exchange.hpp"
#include "support/require.hpp"

namespace seiche {

/// Orbitals with weights other than 0.
template <class Value>
struct OccupiedOrbitals<Value>::Body : StoredOrbitals<Value> {
  using StoredOrbitals<Value>::StoredOrbitals;
  std::vector<double> weights;  ///< of the orbitals of all groups

  /// Returns the implementation of occupied orbitals. \throws Error if they are moved from
  static const std::shared_ptr<const Body>& of(const OccupiedOrbitals& orbitals) {
    require(orbitals.body_ != nullptr, Fault::bad_argument, "exact exchange: these occupied orbitals are moved from");
    return orbitals.body_;
  }
};

}  // namespace seiche
