// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared parts of all predictions: the required links, and the limiting part.
#pragma once

#include <string>

#include "predict/model.hpp"

namespace seiche::predict {

struct Links {
  Link inside, between;
  const Link& farthest(const Where& where) const { return where.nodes > 1 ? between : inside; }
};
/// \throws Error if ranks need a link that was not measured
Links links_of(const Machine& machine, const Where& where);

/// Returns the number of steps of a small reduction over all ranks: two more than the logarithm unless their number is
/// a power of two.
double rounds_of(int ranks);

/// Returns the name of the longest part, or "network" if all other parts are hidden by the transfers.
std::string longest_of(const Parts& parts, bool network_hides_work);

}  // namespace seiche::predict
