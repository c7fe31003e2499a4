// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures the largest message of rank 0 to its neighbour, and to the last rank, that completes before it is
/// received. `eager_limit BYTES` fails if this size exceeds BYTES. It prints -1 if no message completes.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int largest = 1 << 17;
constexpr double patience = 0.2;  // seconds; an eager send takes about a thousandth of this

/// Collective. Returns on rank 0 whether a message completes before it is received.
bool ends_alone(int bytes, int peer, int rank) {
  std::vector<char> memory(largest);
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 0;
  if (rank == 0) {
    MPI_Isend(memory.data(), bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &request);
    for (const double last = MPI_Wtime() + patience; done == 0 && MPI_Wtime() < last;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == peer) MPI_Recv(memory.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, found = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const int peer : {1, size - 1}) {
    ends_alone(largest, peer, rank);  // sets up the connection
    for (int bytes = 0; bytes <= largest; bytes = bytes < 16 ? bytes + 8 : bytes + bytes / 2) {
      if (ends_alone(bytes, peer, rank)) found = std::max(found, bytes);
    }
  }
  if (rank == 0) std::printf("a message of %d bytes ends alone, a longer one does not\n", found);
  MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return argc == 2 && found <= std::atoi(argv[1]) ? 0 : 1;
}
