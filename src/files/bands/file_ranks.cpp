// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/file_ranks.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "comm/agree.hpp"

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

}  // namespace seiche
