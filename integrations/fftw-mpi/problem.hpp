// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a program asks FFTW-MPI for, and the same in this library's words. FFTW's arrays are
/// [n0][n1][n2][field], split along n0, or [n1][n0][n2][field], split along n1, where they are transposed.
#pragma once

#include <fftw3.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <seiche/fft.hpp>

namespace seiche::fftw_mpi {

/// As fftw3-mpi.h has them, which belongs to a package of its own.
inline constexpr unsigned scrambled_in = 1u << 27, scrambled_out = 1u << 28, transposed_in = 1u << 29,
                          transposed_out = 1u << 30;

enum class Kind { c2c, r2c, c2r };

struct Problem {
  Kind kind;
  int rank;
  const std::ptrdiff_t* n;
  std::ptrdiff_t fields, in_block, out_block;
  const void *in, *out;
  MPI_Comm comm;
  int sign;
  unsigned flags;
};

/// How this library transforms it; nothing where it does not. `forward`: from the grid to the spectrum.
struct Served {
  GridShape shape;
  DenseArrays arrays;
  bool forward;
};
/// Collective.
std::optional<Served> served(const Problem& problem);

}  // namespace seiche::fftw_mpi
