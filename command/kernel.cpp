// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace seiche::command {

double busy_seconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
  stat >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq;
  return (user + nice + system + irq + softirq) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

SameKernel same_kernel(MPI_Comm comm) {
  constexpr std::size_t length = 36;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  boot >> id;
  id.resize(length);
  int size = 1, rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  std::vector<char> all(length * static_cast<std::size_t>(size));
  MPI_Allgather(id.data(), static_cast<int>(length), MPI_CHAR, all.data(), static_cast<int>(length), MPI_CHAR, comm);
  SameKernel same{0, 0};
  for (int r = 0; r < size; ++r) {
    if (!std::equal(id.begin(), id.end(), &all[length * static_cast<std::size_t>(r)])) continue;
    same.me += r < rank;
    ++same.ranks;
  }
  return same;
}

}  // namespace seiche::command
