// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cost of messages between ranks. `copy`: bytes per second that a core copies, for copies within an
/// exchange. CPU seconds cover the whole machine, so that no other program should run.
#pragma once

#include <optional>

#include "predict/machine.hpp"
#include "rank_place.hpp"

namespace seiche::command {

/// Collective. Measures within the first node, with one rank per core, at least two. Returns nothing if a node has one
/// rank.
std::optional<predict::Link> link_inside(const Session& session, const RankPlace& place, double copy, double budget);
/// Collective. Measures between the first ranks of all nodes. Returns nothing if there is one node.
std::optional<predict::Link> link_between(const Session& session, const RankPlace& place, double copy, double budget);

/// Local. Returns the seconds after which a thread that waits as in exchanges gets a core released by another thread.
double measured_wake();

}  // namespace seiche::command
