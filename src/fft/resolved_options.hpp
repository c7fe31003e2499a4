// SPDX-License-Identifier: BSD-3-Clause
/// \file  What options come to on these ranks: by the tuning file where it knows the case, else by plain rules.
#pragma once

#include <string>

#include "exchange/exchange.hpp"
#include "seiche/communicator.hpp"
#include "seiche/fft.hpp"
#include "tuning/tuning_file.hpp"

namespace seiche {

/// Options of transforms that know no bands, or whose caller needs each band's grid shared out among all ranks.
inline FftOptions in_one_group(FftOptions options) {
  options.band_groups = 1;
  return options;
}

/// \throws Error, as it does on all ranks, for a grid without points
void require_sound(const GridShape& shape);

/// Collective. The key of the tuning file: a transform, and what its speed depends on here.
std::string tuned_case(const Communicator& comm, const std::string& transform, int threads, int band_groups);

std::string dense_transform(const GridShape& shape, char letter);
/// Collective.
std::string sphere_transform(const Communicator& comm, const GridShape& shape, std::int64_t waves, char letter);

/// Collective over `among`. How a plan of `all` moves complex values of `element` bytes among some of its ranks: a plan
/// that spans several nodes leaves to its `way` what travels between them; inside each, memory is shared.
ExchangeRequest exchange_request(const FftOptions& options, const Communicator& all, const Communicator& among,
                                 std::size_t element, TargetMemory target_memory, const Queue& queue = {});

/// Who moves bytes among ranks of a plan whose `way` is known, where they are one rank of several (`alone`), or on one
/// of several nodes (`inside`).
Algorithm way_among(Algorithm way, bool alone, bool inside);

/// `options`, whose way is known, with the window by a plain rule and `usual_groups` band groups where they are open.
/// \throws Error, as on all ranks
FftOptions settled(FftOptions options, int ranks, int usual_groups);

Settings settings_of(const FftOptions& options);
/// Collective. `asked` with all that was left open settled.
FftOptions resolved(const Communicator& comm, const FftOptions& asked, const std::string& transform);

}  // namespace seiche
