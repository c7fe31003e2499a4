// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common handling of policies for FFTs, products, boxes and redistribution: settings of the tuning file,
/// and candidates.
#pragma once

#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "interface/status_members.hpp"
#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "seiche/tuning.hpp"
#include "support/require.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {

/// Default number of items in memory with non-blocking algorithms: one in work, two in flight.
inline constexpr int usual_window = 3;

/// Largest window, number of threads and number of chunks.
inline constexpr int largest_number = 4096;

/// Checks an enumerator. `what`: e.g. "exchange algorithm"
template <class Enum>
void require_enumerator(Enum value, const char* what) {
  require(is_enumerator(value), Fault::bad_argument, "unknown {} (number {}): use an enumerator of the library", what,
          static_cast<int>(value));
}
/// Checks a number of OpenMP threads.
void require_sound_threads(int threads);
/// Local. Checks a policy. \throws Error for a window or a limit of memory out of range, for numbers that are no
/// enumerators, or for progress that MPI does not support
void require_sound(const Policy& policy);
/// Local. Checks a request for tuning.
void require_sound(const TuneRequest& request);

/// Tells whether an algorithm is non-blocking, so that several exchanges in flight are useful.
bool goes_on_by_itself(Algorithm algorithm);

/// Collective. Returns the number of nodes.
std::int64_t node_count(const Communicator& comm);

/// Returns the decade of a number: 3 for 1000 to 9999. Keys contain decades, so that similar work has the same key.
int decade(std::int64_t number);

/// Collective. Returns the key of some work in the tuning file. It contains the numbers of ranks, threads and nodes,
/// the MPI library, and the processor of rank 0. It is equal on all ranks.
std::string tuned_case(const Communicator& comm, const std::string& work, int threads);

Settings settings_of(const Policy& policy);
/// Replaces an automatic algorithm and progress, and a window of 0, by the settings. The limit of memory is not
/// replaced: it makes work fail. \throws Error for invalid settings
Policy with(Policy policy, const Settings& settings);
/// Returns a non-negative number of the settings, or `otherwise` if it is missing. \throws Error(bad_file) for other
/// values
double real_in(const Settings& settings, const std::string& name, double otherwise);
/// Returns an integer of the settings, or 0 if it is missing. \throws Error(bad_file) for a negative number, or one
/// above `most`
std::int64_t number_in(const Settings& settings, const std::string& name, std::int64_t most);
/// Same for numbers of type int.
int small_number_in(const Settings& settings, const std::string& name);

inline const Policy& policy_of(const Policy& policy) { return policy; }
template <class Options>
const Policy& policy_of(const Options& options) {
  return options.policy;
}

/// Collective. Checks that an algorithm suits the communicator. \throws Error for `shared` on several nodes, and for
/// `local` on several ranks
void require_suitable(const Communicator& comm, Algorithm algorithm);

/// Collective. Returns `asked` with the settings of the tuning file, or unchanged if they are unusable on any rank.
/// Then `advice` tells the reason and contains no settings. `merge`(settings) returns the options of this rank, and
/// throws if they are not sound.
template <class Options, class Merge>
Options advised(const Communicator& comm, const Options& asked, Advice& advice, const Merge& merge) {
  if (advice.settings.empty()) return asked;
  Options merged = asked;
  const auto fault = fault_of([&] {
    merged = made_together(comm, [&] { return merge(advice.settings); });
    require_suitable(comm, policy_of(merged).algorithm);
  });
  if (!fault) {
    advice.use = "used";
    return merged;
  }
  advice = ignored(fault->what());
  return asked;
}

/// Collective. Returns the first candidates; the first one is blocking alltoallv. `window`: number of items in flight
/// for non-blocking algorithms.
std::vector<Policy> first_policies(const Communicator& comm, int window);
/// Returns the policy with other progress modes, and with other windows.
std::vector<Policy> varied(const Policy& policy, const std::vector<int>& windows);

}  // namespace seiche
