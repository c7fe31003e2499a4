// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all predictions have in common: the links that ranks need, and what limits.
#pragma once

#include <string>

#include "predict/model.hpp"

namespace seiche::predict {

struct Links {
  Link inside, between;
  const Link& farthest(const Where& where) const { return where.nodes > 1 ? between : inside; }
};
/// \throws Error where ranks need a link that nobody has measured
Links links_of(const Machine& machine, const Where& where);

/// Steps in which a small reduction over all ranks is done: two more than fit where they are no power of two.
double rounds_of(int ranks);

/// The name of the longest part; of the wire, where all else is hidden behind it.
std::string longest_of(const Parts& parts, bool wire_hides_work);

}  // namespace seiche::predict
