// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density of orbitals in memory, with any distribution.
#include "comm/agree.hpp"
#include "density/state_sum.hpp"
#include "orbitals/holdings.hpp"

namespace seiche {

Density density_of(const Orbitals& orbitals, const DensityOptions& options) {
  const OrbitalHeader& header = orbitals.header;
  const std::vector<MoveTask> held = tasks_of(orbitals);
  const auto held_of = [&](int spin, int k) -> const MoveTask& {
    return held[static_cast<std::size_t>(spin) * header.kpoints.size() + static_cast<std::size_t>(k)];
  };
  BandSource source;
  source.holdings = [&](int spin, int k, int band) {
    std::vector<Holding> holdings = held_of(spin, k).from;
    for (Holding& one : holdings) {
      const bool here = one.bands.low <= band && band < one.bands.high;
      one.bands = here ? Range{band, band + 1} : Range{};
    }
    return holdings;
  };
  source.endpoint = [&](const std::vector<MoveTask>& tasks) {
    return memory_reader(parts_by_task(tasks, std::span(orbitals.parts)));
  };
  source.waves = [&](int spin, int k, Range mine) {
    const auto all = all_waves(orbitals, k, held_of(spin, k).from);
    return made_together(orbitals.comm,
                         [&] { return std::vector<Miller>(all.begin() + mine.low, all.begin() + mine.high); });
  };
  return density_of_states(orbitals.comm, header, source, options);
}

}  // namespace seiche
