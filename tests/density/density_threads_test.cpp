// SPDX-License-Identifier: BSD-3-Clause
/// \file  Threads that write and read densities in HDF5 at the same time, each on a communicator of its own.
#include <fmt/core.h>

#include <array>
#include <thread>
#include <vector>

#include "seiche/density_file.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

Density density_on(MPI_Comm comm, double value) {
  Density density{.comm = comm};
  density.grid = {6, 5, 7};
  density.crystal.lattice = {{{6, 0, 0}, {0, 5, 0}, {0, 0, 7}}};
  density.crystal.atoms = {{"Si", {0, 0, 0}}};
  density.box = sphere_grid_boxes(ranks(), density.grid)[static_cast<std::size_t>(rank())];
  density.components.assign(1, std::vector<double>(static_cast<std::size_t>(density.box.volume()), value));
  return density;
}

TEST(DensityThreads, WriteAndReadHdf5AtTheSameTime) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  constexpr int thread_count = 4, rounds = 20;
  const ScratchDirectory scratch;
  std::array<MPI_Comm, thread_count> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::array<int, thread_count> right{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      const std::string path = scratch.file(fmt::format("{}.h5", t));
      for (int round = 0; round < rounds; ++round) {
        const auto written = density_on(comms[t], static_cast<double>(round) + 0.25 * static_cast<double>(t));
        write_density(written, path);
        right[t] += read_density(comms[t], path).components == written.components ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, rounds);
  compared(thread_count * rounds);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace seiche::testing
