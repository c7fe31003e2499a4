// SPDX-License-Identifier: BSD-3-Clause
/// \file  The same wavefunctions in another layout: maps are made once for each k-point, then all bands follow them.
#include "comm/agree.hpp"
#include "seiche/waves.hpp"
#include "waves/holdings.hpp"

namespace seiche {

Waves redistribute(const Waves& waves, const WaveLayout& layout, const MoveOptions& options) {
  require_fits(layout.grid, waves.comm.size());
  const WaveHeader& h = waves.header;
  std::vector<Freight> freights = freights_of(waves);
  Waves result{waves.comm, h, {}};
  const auto me = static_cast<std::size_t>(waves.comm.rank());
  const std::size_t kpoints = h.kpoints.size();
  std::vector<std::vector<WavePart>> parts(static_cast<std::size_t>(h.spins));
  for (std::size_t k = 0; k < kpoints; ++k) {
    const auto all = all_waves(waves, static_cast<int>(k), freights[k].from);
    std::vector<Holding> to;
    together(waves.comm, [&] { to = holdings_of(layout, h, static_cast<int>(k), all); });
    for (std::size_t spin = 0; spin < parts.size(); ++spin) {
      Freight& freight = freights[spin * kpoints + k];
      freight.to = to;
      if (!to[me].empty()) parts[spin].push_back(part_for(freight, to[me], all));
    }
  }
  for (auto& of_spin : parts) {
    for (WavePart& part : of_spin) result.parts.push_back(std::move(part));
  }
  const auto source = source_dock(parts_by_freight(freights, std::span(waves.parts)));
  const auto target = target_dock(parts_by_freight(freights, std::span(result.parts)));
  carry(waves.comm, freights, *source, *target, options);
  return result;
}

}  // namespace seiche
