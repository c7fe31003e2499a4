// SPDX-License-Identifier: BSD-3-Clause
/// \file  Resolution of automatic options, from the tuning file or by default rules.
#pragma once

#include <string>

#include "exchange/exchange_interface.hpp"
#include "seiche/communicator.hpp"
#include "seiche/fft.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Returns options with one band group, for transforms without bands, or for grids that all ranks share.
inline FftOptions in_one_group(FftOptions options) {
  options.band_groups = 1;
  return options;
}

/// Sets the automatic options of spheres that a CUDA device determines: one band group per rank, and slabs. Does not
/// change options of other spaces. \throws Error for a decomposition that the device does not support
FftOptions with_device_defaults(FftOptions options, int ranks);

/// What a plan transforms. Options of the other kind must have their defaults.
enum class PlanKind { dense, sphere };
/// Largest relative size of a chunk.
inline constexpr int largest_chunk = 65536;
/// Checks all options of a plan, without communication. \throws Error for an option out of range, or of the other kind
/// of plan
void require_sound(const FftOptions& options, PlanKind kind);

/// Collective. Returns the key of a transform in the tuning file.
std::string tuned_case(const Communicator& comm, const std::string& transform, int threads, int band_groups);

std::string dense_transform(const GridShape& shape, char letter);
/// Collective.
std::string sphere_transform(const Communicator& comm, const GridShape& shape, std::int64_t waves, char letter);

/// Collective over `among`. Returns the request for exchanges of complex values of `element` bytes among some ranks of
/// a plan on `all`. On several nodes, the plan's algorithm is used between nodes, and shared memory inside nodes.
ExchangeRequest exchange_request(const FftOptions& options, const Communicator& all, const Communicator& among,
                                 std::size_t element, TargetMemory target_memory, const Queue& queue = {});

/// Collective over `among`. Adds the memory of messages of an exchange to a report. Of several exchanges, one with
/// messages in device memory counts first, then one with messages in host memory.
void note_messages(FftReport& report, const Communicator& among, const ExchangeRequest& request);

/// Returns the algorithm among some ranks of a plan with `algorithm`. `alone`: one rank of several; `inside`: ranks
/// on one of several nodes.
Algorithm algorithm_among(Algorithm algorithm, bool alone, bool inside);

/// Sets `usual_groups` band groups if their number is 0. \throws Error for a number that does not divide the ranks
FftOptions with_band_groups(FftOptions options, int ranks, int usual_groups);
/// Sets the window of options with a known algorithm by the default rule if it is 0.
FftOptions with_window(FftOptions options);
/// Collective. Returns the default number of band groups: one per node if all nodes have equally many consecutive
/// ranks, else 1. Then transposes stay inside nodes.
int usual_groups(const Communicator& comm);

/// The work of a plan: its name in the tuning file, and its kind.
struct PlanWork {
  std::string transform;
  PlanKind kind;
};
/// Options without automatic members, and the use of the tuning file for reports.
struct Resolved {
  FftOptions options;
  std::string tuning;
};

Settings settings_of(const FftOptions& options);
/// Collective. Resolves all automatic options of a plan. \pre `asked` is sound
Resolved resolved(const Communicator& comm, const FftOptions& asked, const PlanWork& work);

}  // namespace seiche
