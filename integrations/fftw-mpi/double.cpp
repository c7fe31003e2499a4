// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFTW-MPI's functions in double precision.
#include "served_plans.hpp"

#define REAL double
#define FFTW(name) fftw_##name
#define MPI_FILE "libfftw3_mpi.so.3"
#define BASE_FILE "libfftw3.so.3"
#include "functions.inc"
