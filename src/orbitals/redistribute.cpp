// SPDX-License-Identifier: BSD-3-Clause
/// \file  The same wavefunctions in another layout: maps are made once for each k-point, then all bands follow them.
#include "comm/agree.hpp"
#include "orbitals/holdings.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

Orbitals redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
  require_fits(layout.grid, orbitals.comm.size());
  const OrbitalHeader& h = orbitals.header;
  std::vector<MoveTask> tasks = tasks_of(orbitals);
  Orbitals result{orbitals.comm, h, {}};
  const auto me = static_cast<std::size_t>(orbitals.comm.rank());
  const std::size_t kpoints = h.kpoints.size();
  std::vector<std::vector<OrbitalPart>> parts(static_cast<std::size_t>(h.spins));
  for (std::size_t k = 0; k < kpoints; ++k) {
    const auto all = all_waves(orbitals, static_cast<int>(k), tasks[k].from);
    std::vector<Holding> to;
    together(orbitals.comm, [&] { to = holdings_of(layout, h, static_cast<int>(k), all); });
    for (std::size_t spin = 0; spin < parts.size(); ++spin) {
      MoveTask& task = tasks[spin * kpoints + k];
      task.to = to;
      if (!to[me].empty()) parts[spin].push_back(part_for(task, to[me], all));
    }
  }
  for (auto& of_spin : parts) {
    for (OrbitalPart& part : of_spin) result.parts.push_back(std::move(part));
  }
  const auto source = memory_reader(parts_by_task(tasks, std::span(orbitals.parts)));
  const auto target = memory_writer(parts_by_task(tasks, std::span(result.parts)));
  carry(orbitals.comm, tasks, *source, *target, options);
  return result;
}

}  // namespace seiche
