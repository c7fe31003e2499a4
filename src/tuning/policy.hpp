// SPDX-License-Identifier: BSD-3-Clause
/// \file  What FFTs, products and moves make of a policy alike: what it comes to by the tuning file, and which ones are
/// tried.
#pragma once

#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Items in memory where exchanges go on meanwhile: one is worked on, two are on their way.
inline constexpr int usual_window = 3;

/// Local. \throws Error, as it does on all ranks, for a window below 0 and for progress that MPI was not started for
void require_sound(const Policy& policy);

/// Whether an exchange goes on while others work, so that it pays to have several under way.
bool goes_on_by_itself(Algorithm algorithm);

/// Collective.
std::int64_t node_count(const Communicator& comm);

/// Collective. The key of the tuning file for some work: what its speed depends on here.
std::string tuned_case(const Communicator& comm, const std::string& work, int threads);

Settings settings_of(const Policy& policy);
/// What is automatic in it, or 0, as the settings say. \throws Error for settings that mean nothing
Policy with(Policy policy, const Settings& settings);
/// A number of the settings, not below 0; `otherwise` where they do not say it. \throws Error(bad_file) for anything
/// else
double real_in(const Settings& settings, const std::string& name, double otherwise);
/// A whole one; 0 where they do not say it.
std::int64_t number_in(const Settings& settings, const std::string& name);

/// Collective. Policies to try first, the plain one, blocking alltoallv, before others. `window`: how many items others
/// have in flight where exchanges go on meanwhile.
std::vector<Policy> first_policies(const Communicator& comm, int window);
/// The policy with other progress, and with other windows.
std::vector<Policy> varied(const Policy& policy, const std::vector<int>& windows);

}  // namespace seiche
