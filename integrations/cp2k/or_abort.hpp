// SPDX-License-Identifier: BSD-3-Clause
/// \file  Ends the program after an error: procedures of CP2K that are replaced return none.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

/// Calls a function. Ends all ranks if it throws. `what`: what failed.
template <class Function>
void or_abort(const char* what, const Function& function) {
  try {
    function();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Seiche: %s failed: %s\n", what, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
