// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures the CPU time of a bare exchange through MPI. Each rank sends `--bytes` in total to the others, in
/// messages of `--message`, all posted at once, and sleeps between tests for completion. Prints one line of JSON:
/// seconds of an exchange, and CPU seconds per rank, including the kernel.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernel.hpp"

namespace {

class Exchange {
 public:
  Exchange(long bytes, long message) : message_(message) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    each_ = bytes / (ranks_ - 1);
    out_.resize(static_cast<std::size_t>(each_ * ranks_), 'a');
    in_.resize(out_.size(), 'b');
  }

  void run() {
    requests_.clear();
    for (int step = 1; step < ranks_; ++step) post(in_, (rank_ - step + ranks_) % ranks_, false);
    for (int step = 1; step < ranks_; ++step) post(out_, (rank_ + step) % ranks_, true);
    int done = 0;
    for (int looks = 0; !done; ++looks) {
      constexpr int looks_before_sleep = 20;
      if (looks > looks_before_sleep) std::this_thread::sleep_for(std::chrono::microseconds(30));
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    }
  }

 private:
  void post(std::vector<char>& all, int other, bool sends) {
    for (long at = 0; at < each_; at += message_) {
      char* here = all.data() + static_cast<std::size_t>(each_ * other + at);
      const int n = static_cast<int>(std::min(message_, each_ - at));
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      if (sends) {
        MPI_Isend(here, n, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(here, n, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
      }
    }
  }

  long message_, each_ = 0;
  int rank_ = 0, ranks_ = 1;
  std::vector<char> out_, in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  long bytes = 16 << 20, message = 60 << 10;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--bytes") bytes = std::atol(argv[i + 1]);
    if (std::string(argv[i]) == "--message") message = std::atol(argv[i + 1]);
  }
  Exchange exchange(bytes, message);
  exchange.run();
  constexpr double long_enough = 1.5;  // the clock has a resolution of 0.01 s
  MPI_Barrier(MPI_COMM_WORLD);
  const double busy = seiche::command::busy_seconds(), start = MPI_Wtime();
  int repeats = 0, on = 1;
  for (; on; ++repeats) {
    exchange.run();
    on = MPI_Wtime() - start < long_enough;
    MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  const double seconds = (MPI_Wtime() - start) / repeats;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double cpu = (seiche::command::busy_seconds() - busy) / repeats / ranks;  // the counter includes all ranks
  if (rank == 0) {
    std::printf("{\"case\":\"bare exchange\",\"bytes\":%ld,\"message\":%ld,\"seconds\":%.6e,\"cpu\":%.6e}\n", bytes,
                message, seconds, cpu);
  }
  MPI_Finalize();
  return 0;
}
