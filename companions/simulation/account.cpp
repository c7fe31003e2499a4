// SPDX-License-Identifier: BSD-3-Clause
#include "account.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>

#include "trace/mpi_profile.hpp"

namespace seiche::simulation {

Account& account() {
  static Account only;
  return only;
}

void print_account() {
  constexpr std::array names{"messages", "bytes", "read", "written", "allocated", "in_flight"};
  using Numbers = std::array<std::int64_t, names.size()>;
  const Account& a = account();
  const Numbers mine{a.messages, a.bytes, a.read, a.written, most_allocated(), mpi_profile::most_in_flight()};
  Numbers most{}, sum{};
  PMPI_Reduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Reduce(mine.data(), sum.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::fprintf(stderr, "account {");
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::fprintf(stderr, "%s\"%s\": {\"most\": %lld, \"sum\": %lld}", i == 0 ? "" : ", ", names[i],
                 static_cast<long long>(most[i]), static_cast<long long>(sum[i]));
  }
  std::fprintf(stderr, "}\n");
}

}  // namespace seiche::simulation
