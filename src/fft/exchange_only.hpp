// SPDX-License-Identifier: BSD-3-Clause
/// \file  The exchanges of a plan without its computation, for measurements.
#pragma once

#include <cstdint>

#include "seiche/fft.hpp"

namespace seiche {

/// Collective. Performs the exchanges of one forward and one backward transform. The values of the field are lost.
/// `asleep`: sleep while waiting, so that the CPU time measured is that of the exchange alone.
template <class Value>
void exchange_only(const DenseFft<Value>& fft, Field<Value>& field, bool asleep = false);
/// Collective. Performs the exchanges of a round trip of bands.
template <class Value>
void exchange_only(const SphereFft<Value>& fft, std::int64_t bands, bool asleep = false);

}  // namespace seiche
