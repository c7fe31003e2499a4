// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all cases of `seiche bench` share: timing that waits for the slowest rank, and one report for all.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grid_option.hpp"
#include "overlap.hpp"
#include "seiche/fft.hpp"
#include "session.hpp"

namespace seiche::command {

/// What the user asked of any case.
struct BenchRequest {
  GridOption grid;
  int repeats = 10;
  std::string precision = "double";
  std::string library = "automatic";
  std::string algorithm = "automatic";
  std::string decomposition = "automatic";
  int threads = 1;
  int window = 0, band_groups = 0;
  double skew = 0;  ///< microseconds
  std::vector<int> chunks;
  std::string progress = "automatic";
  bool rounded = false;
  bool overlap_report = false;

  void add_to(CLI::App& app);
  /// Collective. \throws Error unless the grid is sound, and fits the machines' memory
  GridShape shape() const;
  FftOptions fft_options() const;  ///< \throws Error for unknown names
  /// The same, without any overlap: alltoallv (or what moves nothing), one at a time.
  FftOptions blocking_options() const;
};

struct Timing {
  std::vector<double> seconds;                    ///< of each repeat, the slowest rank's
  std::map<std::string, std::int64_t> mpi_calls;  ///< of this rank, in all repeats together
};

/// By how many seconds each rank comes late in a repeat: some part of `skew`, as by throwing dice, but known to all.
std::vector<double> delays(int ranks, int repeat, double skew);
/// Returns after so many seconds, during which this rank computes.
void keep_busy(double seconds);

/// Collective. Runs `work` once to warm up, then `repeats` times, ranks starting up to `skew` seconds apart. Seconds
/// count from the first.
Timing time_repeats(MPI_Comm comm, int repeats, double skew, const std::function<void()>& work);

/// The outcome of one case on this rank.
struct BenchResult {
  std::string name;  ///< of the case, e.g. "fft c2c 64x64x64 double"
  int threads = 1;
  Timing timing;          ///< seconds of one unit of work
  double operations = 0;  ///< floating-point operations of one unit of work, as is usual to count them
  FftReport plan;
  double transforms = 2;  ///< in one unit of work; the plan counts bytes for one
  double max_error = 0;   ///< of this rank's values, against what they must be
  std::optional<Overlap> overlap;
  nlohmann::ordered_json chosen =
      nlohmann::ordered_json::object();  ///< where the plan does not say; the same on all ranks
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  ///< fields of this case alone; the same on all ranks
};

/// Collective. One JSON object or a table, on rank 0.
void print(const Session& session, const BenchResult& mine);

/// Largest of the ranks' values.
double largest(MPI_Comm comm, double mine);

/// exp(2 pi i k / n) for k = 0 .. n-1: the oracle's own exponentials, no transform involved.
std::vector<std::complex<double>> roots_of_unity(std::int64_t n);
/// k modulo n, in 0 .. n-1.
inline std::int64_t modulo(std::int64_t k, std::int64_t n) { return ((k % n) + n) % n; }

double median_of(std::vector<double> values);

/// The waves |G| <= radius that this rank owns, whole sticks shared out evenly.
std::vector<Miller> waves_within(const Session& session, const GridShape& shape, double radius);

/// What the user asked of `bench exchange`.
struct ExchangeCase {
  std::vector<std::int64_t> bytes{256, 4096, 65536, 1048576, 8388608};  ///< from each rank to each
  double skew = 200;                                                    ///< microseconds
  int repeats = 20;
  bool uneven = false;
};

void bench_exchange(const Session& session, const ExchangeCase& request);
void bench_cache(const Session& session, const BenchRequest& request);
/// What may be asked of the case of wavefunction files.
struct WaveBenchRequest {
  int kpoints = 5, bands = 288, repeats = 5;
  std::int64_t waves = 40000, memory = 0;
  std::string path = ".", algorithm = "automatic", keep;
  bool old = false;
};

void bench_wavefile(const Session& session, const WaveBenchRequest& request);
/// What may be asked of the case of densities.
struct DensityBenchRequest {
  std::string path, memory;
  int repeats = 5;
};
void bench_density(const Session& session, const DensityBenchRequest& request);
void bench_fft(const Session& session, const BenchRequest& request, const std::string& kind);
void bench_bands(const Session& session, const BenchRequest& request, double radius, std::int64_t bands);
void add_bench_blocksparse(CLI::App& bench, Session& session);

}  // namespace seiche::command
