// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFTW-MPI's functions in single precision.
#include "served_plans.hpp"

#define REAL float
#define FFTW(name) fftwf_##name
#define MPI_FILE "libfftw3f_mpi.so.3"
#define BASE_FILE "libfftw3f.so.3"
#include "functions.inc"
