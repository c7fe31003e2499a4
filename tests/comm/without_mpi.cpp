// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans before MPI_Init and after MPI_Finalize are refused in a sentence, not by MPI's abort.
#include <iostream>
#include <string>

#include "seiche/fft.hpp"

namespace {

bool is_refused(const std::string& sentence) {
  try {
    seiche::DenseFft<double>(MPI_COMM_WORLD, {4, 4, 4});
  } catch (const seiche::Error& error) {
    if (error.what() == sentence) return true;
    std::cerr << error.what() << '\n';
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool before = is_refused("MPI is not initialized: call MPI_Init first");
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  const bool after = is_refused("MPI is already finalized: make this call before MPI_Finalize");
  return before && after ? 0 : 1;
}
