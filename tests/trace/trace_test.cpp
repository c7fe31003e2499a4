// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that MPI calls are counted by name, each once, from the moment asked for.
#include <map>
#include <vector>

#include "support/mpi_test.hpp"
#include "trace/mpi_profile.hpp"

using namespace seiche;
using namespace seiche::testing;

using Counts = std::map<std::string, std::int64_t>;

TEST(Trace, CountsCallsByName) {
  mpi_profile::start_counting();
  int mine = 1, all = 0;
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request requests[2];
  MPI_Irecv(&all, 1, MPI_INT, (rank() + 1) % ranks(), 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, (rank() + ranks() - 1) % ranks(), 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_rank(MPI_COMM_WORLD, &all);
  expect_equal(mpi_profile::counts(),
               Counts{{"MPI_Allreduce", 3}, {"MPI_Irecv", 1}, {"MPI_Isend", 1}, {"MPI_Waitall", 1}});
}

TEST(Trace, KnowsHowManyMessagesWereUnderWayAtOnce) {
  MPI_Barrier(MPI_COMM_WORLD);
  mpi_profile::watch_messages();
  mpi_profile::start_counting();
  std::vector<int> values(12);
  std::vector<MPI_Request> requests(12);
  const auto post = [&](std::size_t low, std::size_t high) {
    for (std::size_t i = low; i < high; i += 2) {
      MPI_Irecv(&values[i], 1, MPI_INT, rank(), 7, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(&values[i + 1], 1, MPI_INT, rank(), 7, MPI_COMM_WORLD, &requests[i + 1]);
    }
  };
  post(0, 4);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  post(4, 10);
  for (std::size_t i = 4; i < 10; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  post(10, 12);
  int done = 0;
  while (!done) MPI_Testall(2, &requests[10], &done, MPI_STATUSES_IGNORE);
  EXPECT_EQ(mpi_profile::most_in_flight(), 6);
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  EXPECT_EQ(mpi_profile::most_in_flight(), 6);
  compared(2);
}

TEST(Trace, StartsAgainFromNothing) {
  MPI_Barrier(MPI_COMM_WORLD);
  mpi_profile::start_counting();
  EXPECT_TRUE(mpi_profile::counts().empty());
  MPI_Barrier(MPI_COMM_WORLD);
  expect_equal(mpi_profile::counts(), Counts{{"MPI_Barrier", 1}});
}
