// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums that are independent of the number of ranks.
#pragma once

#include <functional>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// Collective. Returns the sum over all ranks of all terms, bitwise independent of their distribution: terms are added
/// as fixed-point numbers with a resolution of about 2^-90 of the largest. `terms` returns those of this rank. \throws
/// its error on all ranks
double exact_sum(const Communicator& comm, const std::function<std::vector<double>()>& terms);
inline double exact_sum(const Communicator& comm, double mine) {
  return exact_sum(comm, [mine] { return std::vector{mine}; });
}

}  // namespace seiche
