// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums that do not depend on the number of ranks.
#pragma once

#include <span>

#include "seiche/communicator.hpp"

namespace seiche {

/// Collective. The sum over all ranks of all terms, the same to the last bit however the terms are distributed: they
/// are added as fixed-point numbers, in units of 2^-90 or so of the largest.
double exact_sum(const Communicator& comm, std::span<const double> mine);
inline double exact_sum(const Communicator& comm, double mine) { return exact_sum(comm, std::span(&mine, 1)); }

}  // namespace seiche
