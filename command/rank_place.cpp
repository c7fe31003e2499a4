// SPDX-License-Identifier: BSD-3-Clause
#include "rank_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace seiche::command {

RankPlace::RankPlace(const Session& session) : kernel(same_kernel(session.comm)) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(session.comm, MPI_COMM_TYPE_SHARED, session.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &in_node);
  MPI_Comm_size(node, &ranks_of_node);
  leader = session.rank;
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  MPI_Allreduce(MPI_IN_PLACE, &ranks_of_node, 1, MPI_INT, MPI_MAX, session.comm);
  const int leads = in_node == 0;
  MPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, session.comm);
  const auto all_cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  hosts_of_kernel = std::max(1.0, std::round(static_cast<double>(kernel.ranks) / ranks_of_node));
  cores = all_cores / hosts_of_kernel;
  working_at_most = std::min(kernel.ranks, static_cast<int>(all_cores));
  MPI_Allreduce(MPI_IN_PLACE, &working_at_most, 1, MPI_INT, MPI_MAX, session.comm);  // machines may differ
}

std::vector<std::string> names_of_hosts(MPI_Comm comm) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> mine{};
  int length = 0, ranks = 1;
  MPI_Get_processor_name(mine.data(), &length);
  MPI_Comm_size(comm, &ranks);
  std::vector<char> all(mine.size() * static_cast<std::size_t>(ranks));
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) names.emplace_back(all.data() + at);
  return names;
}

}  // namespace seiche::command
