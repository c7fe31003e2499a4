// SPDX-License-Identifier: BSD-3-Clause
/// \file  A user's first program: the package is found, its headers compile, its library links and runs.
#include <mpi.h>

#include <seiche/communicator.hpp>
#include <seiche/error.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool good = false;
  {
    const auto comm = seiche::Communicator::duplicate(MPI_COMM_WORLD);
    good = comm.node().size() == 1 && comm.split(0).rank() == 0;
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
