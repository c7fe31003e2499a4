// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of exact exchange.
#pragma once

#include <complex>
#include <span>
#include <variant>

#include "c/c_fft.hpp"
#include "seiche/c/exact_exchange.h"
#include "seiche/exact_exchange.hpp"

namespace seiche::c {

template <template <class> class Of>
using RealOrComplex = std::variant<Of<double>, Of<std::complex<double>>>;

struct ExactExchangeObject : Object {
  ExactExchangeObject(const Communicator& ranks, RealOrComplex<ExactExchange> of)
      : comm(ranks), exchange(std::move(of)) {}
  void close() {
    std::visit([](auto& one) { one.close(); }, exchange);
  }
  Communicator comm;
  RealOrComplex<ExactExchange> exchange;
};

struct OccupiedObject : Object {
  explicit OccupiedObject(RealOrComplex<OccupiedOrbitals> of) : occupied(std::move(of)) {}
  RealOrComplex<OccupiedOrbitals> occupied;
};

/// Collective. Creates the operator for a kind of value. \throws Error for single precision
RealOrComplex<ExactExchange> any_exchange(seiche_value value, const Communicator& comm, const GridShape& shape,
                                          std::span<const Miller> waves, std::span<const Miller> density_waves,
                                          const FftOptions& options, int batch);

/// Returns the occupied orbitals. \throws Error unless they have this type
template <class Value>
const OccupiedOrbitals<Value>& occupied_of(const seiche_occupied_orbitals* occupied) {
  const auto* typed = std::get_if<OccupiedOrbitals<Value>>(&behind(occupied).occupied);
  require(typed != nullptr, Fault::bad_argument,
          "exact_exchange: the occupied orbitals have another type of values: create them with an operator of the same "
          "type");
  return *typed;
}

}  // namespace seiche::c
