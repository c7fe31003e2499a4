// SPDX-License-Identifier: BSD-3-Clause
/// \file  A user's program with the installed library of files: the density of a wavefunction file holds its electrons.
#include <mpi.h>

#include <cmath>
#include <seiche/wavefile.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 1;
  if (argc == 2) {
    const seiche::WaveFile file(MPI_COMM_WORLD, argv[1]);
    const seiche::Density density = seiche::density_of(file);
    error = std::abs(seiche::integrals(density)[0] - file.header().electrons);
  }
  MPI_Finalize();
  return error < 1e-9 ? 0 : 1;
}
