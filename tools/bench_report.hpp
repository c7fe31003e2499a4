// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all cases of `seiche bench` share: timing that waits for the slowest rank, and one report for all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "seiche/fft.hpp"
#include "session.hpp"

namespace seiche::tools {

/// What the user asked of any case.
struct BenchRequest {
  std::vector<std::int64_t> grid;
  int repeats = 10;
  std::string precision = "double";
  std::string library = "automatic";
  std::string way = "automatic";
  std::string decomposition = "automatic";
  int threads = 1;
  int window = 1;

  void add_to(CLI::App& app);
  GridShape shape() const;         ///< \throws Error unless the grid is one or three positive numbers
  FftOptions fft_options() const;  ///< \throws Error for unknown names
};

struct Timing {
  std::vector<double> seconds;                    ///< of each repeat, the slowest rank's
  std::map<std::string, std::int64_t> mpi_calls;  ///< of this rank, in all repeats together
};

/// Collective. Runs `work` twice to warm up, then `repeats` times, all ranks starting together.
Timing time_repeats(MPI_Comm comm, int repeats, const std::function<void()>& work);

/// The outcome of one case on this rank.
struct BenchResult {
  std::string name;  ///< of the case, e.g. "fft c2c 64x64x64 double"
  int threads = 1;
  Timing timing;          ///< seconds of one unit of work
  double operations = 0;  ///< floating-point operations of one unit of work, as is usual to count them
  FftReport plan;
  double transforms = 2;  ///< in one unit of work; the plan counts bytes for one
  double max_error = 0;   ///< of this rank's values, against what they must be
};

/// Collective. One JSON object or a table, on rank 0.
void print(const Session& session, const BenchResult& mine);

/// Largest of the ranks' values.
double largest(MPI_Comm comm, double mine);

/// exp(2 pi i k / n) for k = 0 .. n-1: the oracle's own exponentials, no transform involved.
std::vector<std::complex<double>> roots_of_unity(std::int64_t n);
/// k modulo n, in 0 .. n-1.
inline std::int64_t modulo(std::int64_t k, std::int64_t n) { return ((k % n) + n) % n; }

void bench_fft(const Session& session, const BenchRequest& request, const std::string& kind);
void bench_bands(const Session& session, const BenchRequest& request, double radius, std::int64_t bands);

}  // namespace seiche::tools
