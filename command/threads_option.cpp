// SPDX-License-Identifier: BSD-3-Clause
#include "threads_option.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace seiche::command {

void warn_of_threads(const Session& session, int threads) {
  const char* const waiting = std::getenv("OMP_WAIT_POLICY");
  if (threads < 2 || (waiting != nullptr && strcasecmp(waiting, "passive") == 0)) return;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(session.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  std::array<int, CPU_SETSIZE> cores{};  // nonzero: a process of the node may use this core
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
    for (std::size_t core = 0; core < cores.size(); ++core) cores[core] = CPU_ISSET(core, &mine) ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, cores.data(), CPU_SETSIZE, MPI_INT, MPI_MAX, node);
  int processes = 1;
  MPI_Comm_size(node, &processes);
  MPI_Comm_free(&node);
  const auto usable = std::count(cores.begin(), cores.end(), 1);
  if (!session.speaks() || usable == 0 || processes * threads <= usable) return;
  fmt::print(stderr,
             "seiche: warning: {} processes with {} threads each share {} cores: use fewer threads, or set "
             "OMP_WAIT_POLICY=passive\n",
             processes, threads, usable);
}

}  // namespace seiche::command
