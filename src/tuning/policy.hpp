// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common handling of policies for FFTs, products, boxes and redistribution: settings of the tuning file,
/// and candidates.
#pragma once

#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Default number of items in memory with non-blocking algorithms: one in work, two in flight.
inline constexpr int usual_window = 3;

/// Local. Checks a policy. \throws Error for a negative window, or progress that MPI does not support
void require_sound(const Policy& policy);

/// Tells whether an algorithm is non-blocking, so that several exchanges in flight are useful.
bool goes_on_by_itself(Algorithm algorithm);

/// Collective. Returns the number of nodes.
std::int64_t node_count(const Communicator& comm);

/// Returns the decade of a number: 3 for 1000 to 9999. Keys contain decades, so that similar work has the same key.
int decade(std::int64_t number);

/// Collective. Returns the key of some work in the tuning file. It contains everything that affects the speed here.
std::string tuned_case(const Communicator& comm, const std::string& work, int threads);

Settings settings_of(const Policy& policy);
/// Replaces automatic members, and members that are 0, by the settings. \throws Error for invalid settings
Policy with(Policy policy, const Settings& settings);
/// Returns a non-negative number of the settings, or `otherwise` if it is missing. \throws Error(bad_file) for other
/// values
double real_in(const Settings& settings, const std::string& name, double otherwise);
/// Returns an integer of the settings, or 0 if it is missing.
std::int64_t number_in(const Settings& settings, const std::string& name);

/// Collective. Returns the first candidates; the first one is blocking alltoallv. `window`: number of items in flight
/// for non-blocking algorithms.
std::vector<Policy> first_policies(const Communicator& comm, int window);
/// Returns the policy with other progress modes, and with other windows.
std::vector<Policy> varied(const Policy& policy, const std::vector<int>& windows);

}  // namespace seiche
