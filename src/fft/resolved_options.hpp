// SPDX-License-Identifier: BSD-3-Clause
/// \file  Resolution of automatic options, from the tuning file or by default rules.
#pragma once

#include <string>

#include "exchange/exchange.hpp"
#include "seiche/communicator.hpp"
#include "seiche/fft.hpp"
#include "tuning/tuning_file.hpp"

namespace seiche {

/// Returns options with one band group, for transforms without bands, or for grids that all ranks share.
inline FftOptions in_one_group(FftOptions options) {
  options.band_groups = 1;
  return options;
}

/// Sets the automatic options of spheres that a CUDA device determines: one band group per rank, and slabs. Does not
/// change options of other spaces. \throws Error for a decomposition that the device does not support
FftOptions with_device_defaults(FftOptions options, int ranks);

/// Checks a grid. \throws Error for a grid without points
void require_sound(const GridShape& shape);

/// Collective. Returns the key of the tuning file. It contains everything that affects the speed.
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

/// Returns the algorithm among some ranks of a plan with algorithm `way`. `alone`: one rank of several; `inside`: ranks
/// on one of several nodes.
Algorithm way_among(Algorithm way, bool alone, bool inside);

/// Completes options with a known algorithm: the window by a default rule, and `usual_groups` band groups. \throws
/// Error for an invalid number of band groups
FftOptions settled(FftOptions options, int ranks, int usual_groups);

Settings settings_of(const FftOptions& options);
/// Collective. Returns `asked` with all automatic options resolved.
FftOptions resolved(const Communicator& comm, const FftOptions& asked, const std::string& transform);

}  // namespace seiche
