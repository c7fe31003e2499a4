// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common parts of the examples: at the end they print whether the result is right, and a checksum of its bits,
/// which is the same in all languages.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

/// Collective. Returns the exit code: 0 if the deviation is at most `allowed` on all ranks. The checksum combines the
/// bits of the values of all ranks, rotated by their positions.
inline int answer(const char* name, double error, double allowed, std::span<const double> values) {
  std::uint64_t bits = 0, all_bits = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t one;
    const auto turn = static_cast<unsigned>(i % 63) + 1;
    std::memcpy(&one, &values[i], sizeof one);
    bits ^= (one << turn) | (one >> (64 - turn));
  }
  double largest = 0;
  int rank = 0;
  MPI_Reduce(&bits, &all_bits, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool right = largest <= allowed;  // false for NaN
  if (rank == 0) {
    std::printf("%s: %s, error %.1e, bits %016llx\n", name, right ? "right" : "WRONG", largest,
                static_cast<unsigned long long>(all_bits));
  }
  return right ? 0 : 1;
}

/// Returns the real and imaginary parts of complex values, alternating.
template <class Values>
std::span<const double> parts(const Values& values) {
  return {reinterpret_cast<const double*>(values.data()), 2 * values.size()};
}

/// Runs `example` between MPI_Init and MPI_Finalize. Rank 0 prints the message of an exception.
template <class Example>
int run(int argc, char** argv, const Example& example) {
  MPI_Init(&argc, &argv);
  int code = 1, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    code = example();
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return code;
}
