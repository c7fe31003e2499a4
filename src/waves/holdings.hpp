// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who holds which bands and waves: as a layout asks for it, and as it is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "waves/shuttle.hpp"

namespace seiche {

/// \throws Error(bad_argument) unless the grid has `ranks` ranks and no empty axis
void require_fits(const WaveGrid& grid, int ranks);

/// Each rank's holding of k-point `k`. `waves` are all of it, in order; only their number counts without owners.
std::vector<Holding> holdings_of(const WaveLayout& layout, const WaveHeader& header, int k,
                                 std::span<const Miller> waves);

/// The runs of `positions` (ascending).
std::vector<Range> runs_of(const std::vector<std::int64_t>& positions);

/// Collective. All spins and k-points of `waves`, with who holds them (`from`). \throws Error unless the parts hold
/// each coefficient once, and as many values as they say
std::vector<Freight> freights_of(const Waves& waves);

/// Collective. All waves of k-point `k`, in order, on the ranks that want them. `holdings` are those of one spin of it.
std::vector<Miller> all_waves(const Waves& waves, int k, const std::vector<Holding>& holdings, bool wanted = true);

/// An empty part for what a rank will hold.
WavePart part_for(const Freight& freight, const Holding& holding, std::span<const Miller> waves);

/// The end of a way that lies in memory: takes from the parts, or fills them. One part for each freight, null where
/// this rank has none.
std::unique_ptr<Dock> source_dock(std::vector<const WavePart*> parts);
std::unique_ptr<Dock> target_dock(std::vector<WavePart*> parts);

/// The part of each freight, null where there is none; of parts in the order of freights.
template <class Part>
std::vector<Part*> parts_by_freight(const std::vector<Freight>& freights, std::span<Part> parts) {
  std::vector<Part*> found;
  auto next = parts.begin();
  for (const Freight& freight : freights) {
    const bool here = next != parts.end() && next->spin == freight.spin && next->k == freight.k;
    found.push_back(here ? &*next++ : nullptr);
  }
  return found;
}

}  // namespace seiche
