// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of pair densities, and the conversion of their callbacks.
#pragma once

#include <utility>
#include <variant>

#include "c/c_fft.hpp"
#include "seiche/c/pair_densities.h"
#include "seiche/pair_densities.hpp"

namespace seiche::c {

struct PairDensitiesObject : Object {
  PairDensitiesObject(const Communicator& ranks, AnyValue<PairDensities> of) : comm(ranks), densities(std::move(of)) {}
  void close() {
    std::visit([](auto& one) { one.close(); }, densities);
  }
  Communicator comm;
  AnyValue<PairDensities> densities;
};

struct GridOrbitalsObject : Object {
  explicit GridOrbitalsObject(AnyValue<GridOrbitals> of) : orbitals(std::move(of)) {}
  AnyValue<GridOrbitals> orbitals;
};

/// Returns the orbitals. \throws Error unless they have this type
template <class Value>
const GridOrbitals<Value>& grid_orbitals_of(const seiche_grid_orbitals* orbitals) {
  const auto* typed = std::get_if<GridOrbitals<Value>>(&behind(orbitals).orbitals);
  require(typed != nullptr, Fault::bad_argument,
          "pair_densities: the orbitals have another type of values: create them with an object of the same type");
  return *typed;
}

static_assert(sizeof(OrbitalPair) == 2 * sizeof(std::int64_t) && std::is_standard_layout_v<OrbitalPair>);

/// Converts a C callback. Nonzero return values become exceptions, which the call reports on all ranks.
template <class Complex>
auto on_pairs(seiche_pair_function function, void* user) {
  return [function, user](const PairBlock<Complex>& block) {
    require(function != nullptr, Fault::bad_argument, "pair_densities: the callback must not be NULL");
    const auto count = std::ssize(block.pairs);
    const seiche_pair_block given{count, &block.pairs[0].i, std::ssize(block.densities) / count,
                                  block.densities.data()};
    begin_callback();
    if (const int code = function(&given, user)) {
      end_callback(code, formatted("pairs from ({}, {}) (counted from 0)", block.pairs[0].i, block.pairs[0].j));
    }
  };
}

}  // namespace seiche::c
