// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/file_ranks.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "comm/agree.hpp"
#include "support/size_of.hpp"

namespace seiche {

std::vector<std::size_t> all_ranks(const Communicator& comm) {
  std::vector<std::size_t> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  return ranks;
}

std::vector<std::int64_t> nodes_of(const Communicator& comm) {
  return gather_all(comm, maximum(comm.node(), std::int64_t{comm.rank()}));
}

std::vector<std::size_t> file_ranks(const std::vector<std::size_t>& ranks, const std::vector<std::int64_t>& nodes,
                                    AtFiles most) {
  std::map<std::int64_t, std::vector<std::size_t>> by_node;
  for (const std::size_t rank : ranks) by_node[nodes[rank]].push_back(rank);
  std::vector<std::size_t> chosen;
  for (const auto& entry : by_node) {
    const auto& here = entry.second;
    const std::size_t count = std::min(static_cast<std::size_t>(most), here.size());
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(here[i * here.size() / count]);
  }
  return chosen;
}

std::vector<MoveTask> all_tasks(const OrbitalHeader& h, int ranks) {
  std::vector<MoveTask> tasks;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const std::vector<Holding> nobody(size_of(ranks));
      tasks.push_back({spin, static_cast<int>(k), h.spinor, nobody, nobody});
    }
  }
  return tasks;
}

std::vector<Holding> whole_bands(const MoveTask& task, const std::vector<std::size_t>& ranks, const OrbitalHeader& h) {
  const Range waves{0, h.kpoints[size_of(task.k)].plane_waves};
  const auto parts = static_cast<int>(std::min<std::int64_t>(h.bands, static_cast<std::int64_t>(ranks.size())));
  std::vector<Holding> holdings(task.from.size());
  for (int part = 0; part < parts; ++part) {
    const std::size_t rank = ranks[size_of(part + task.k * parts) % ranks.size()];
    holdings[rank] = {block(h.bands, parts, part), {waves}};
  }
  return holdings;
}

std::vector<Holding> whole_bands_beside(const MoveTask& task, const std::vector<Holding>& other, const OrbitalHeader& h,
                                        const std::vector<std::int64_t>& nodes, AtFiles most) {
  std::vector<std::size_t> able;
  for (std::size_t rank = 0; rank < other.size(); ++rank) {
    if (!other[rank].empty()) able.push_back(rank);
  }
  return whole_bands(task, file_ranks(able, nodes, most), h);
}

}  // namespace seiche
