// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums that are independent of the number of ranks.
#pragma once

#include <span>

#include "seiche/communicator.hpp"

namespace seiche {

/// Collective. Returns the sum over all ranks of all terms, bitwise independent of their distribution: terms are added
/// as fixed-point numbers with a resolution of about 2^-90 of the largest.
double exact_sum(const Communicator& comm, std::span<const double> mine);
inline double exact_sum(const Communicator& comm, double mine) { return exact_sum(comm, std::span(&mine, 1)); }

}  // namespace seiche
