// SPDX-License-Identifier: BSD-3-Clause
/// \file  A program that writes wavefunctions again and again while it works, until it is killed:
/// checkpoints FILE OUTPUT. It prints a line for each complete file.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "seiche/wavefile.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ::alarm(60);
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const seiche::WaveFile file(MPI_COMM_WORLD, argv[1]);
  seiche::Orbitals orbitals = seiche::read_orbitals(file, {{1, 1, ranks}});
  for (;;) {
    for (seiche::OrbitalPart& part : orbitals.parts) {
      for (auto& c : part.coefficients) c = {-c.imag(), c.real()};  // other bytes for the same states
    }
    seiche::Pending writing = seiche::start_write_orbitals(orbitals, argv[2]);
    for (int step = 0; step < 10; ++step) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      writing.progress();
    }
    writing.finish();
    if (rank == 0) std::puts("written");
    std::fflush(stdout);
  }
}
