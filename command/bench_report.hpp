// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared parts of all cases of `seiche bench`: timing that includes the slowest rank, and one report format.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grid_option.hpp"
#include "measured_overlap.hpp"
#include "predict/bound.hpp"
#include "seiche/fft.hpp"
#include "session.hpp"

namespace seiche::command {

/// The options of cases with transforms.
struct BenchRequest {
  GridOption grid;
  int repeats = 10;
  std::string precision = "double";
  std::string library = "automatic";
  std::string algorithm = "automatic";
  std::string decomposition = "automatic";
  std::string space = "host";
  int threads = 1;
  int window = 0, band_groups = 0;
  double skew = 0;  ///< microseconds
  std::vector<int> chunks;
  std::string progress = "automatic";
  bool rounded = false;
  bool overlap_report = false, of_bound = false;

  /// Adds the options of plans.
  void add_plan_options(CLI::App& app);
  /// Adds also the options of times of calls.
  void add_to(CLI::App& app);
  bool on_device() const { return space == "cuda"; }
  /// Collective. \throws Error unless the grid is valid and fits the memory of the machines
  GridShape shape() const;
  FftOptions fft_options() const;  ///< \throws Error for unknown names
  /// Returns the same options without overlap: alltoallv (or local), one band at a time.
  FftOptions blocking_options() const;
};

struct Timing {
  std::vector<double> seconds;                    ///< of each repetition on the slowest rank
  std::map<std::string, std::int64_t> mpi_calls;  ///< of this rank, in all repetitions
};

/// Returns the delay of each rank in a repetition in seconds: a pseudorandom part of `skew`, known on all ranks.
std::vector<double> delays(int ranks, int repeat, double skew);
/// Computes for the given number of seconds.
void keep_busy(double seconds);

/// Collective. Runs `work` once to warm up, then `repeats` times. Ranks start up to `skew` seconds apart. Times start
/// with the first rank.
Timing time_repeats(MPI_Comm comm, int repeats, double skew, const std::function<void()>& work);

/// The result of one case on this rank.
struct BenchResult {
  std::string name;  ///< of the case, e.g. "fft c2c 64x64x64 double"
  int threads = 1;
  Timing timing;           ///< seconds of one unit of work
  std::int64_t bands = 0;  ///< number of bands of a call, if the unit of work is one of them
  double operations = 0;   ///< number of floating-point operations of one unit of work, by the usual formula
  FftReport plan;
  double transforms = 2;  ///< number of transforms in one unit of work; the plan counts the bytes of one transform
  double max_error = 0;   ///< largest error of the values of this rank
  std::optional<Overlap> overlap;
  std::optional<predict::Bound> least;  ///< of one unit of work
  nlohmann::ordered_json chosen =
      nlohmann::ordered_json::object();  ///< settings, if the plan does not report them; the same on all ranks
  nlohmann::ordered_json more =
      nlohmann::ordered_json::object();  ///< additional fields of this case; the same on all ranks
};

/// Collective. Prints one JSON object or a table on rank 0.
void print(const Session& session, const BenchResult& mine);

/// Returns the largest of the values of the ranks.
double largest(MPI_Comm comm, double mine);

/// Returns exp(2 pi i k / n) for k = 0 .. n-1, computed without a transform.
std::vector<std::complex<double>> roots_of_unity(std::int64_t n);
/// Returns k modulo n, in 0 .. n-1.
inline std::int64_t modulo(std::int64_t k, std::int64_t n) { return ((k % n) + n) % n; }

double median_of(std::vector<double> values);

/// Returns the part of this rank of all waves. Whole sticks are distributed evenly.
std::vector<Miller> share_of(const Session& session, const std::vector<Miller>& all);
/// Returns the waves |G| <= radius of this rank.
std::vector<Miller> waves_within(const Session& session, const GridShape& shape, double radius);

/// The options of `bench exchange`.
struct ExchangeCase {
  std::vector<std::int64_t> bytes{256, 4096, 65536, 1048576, 8388608};  ///< from each rank to each
  double skew = 200;                                                    ///< microseconds
  int repeats = 20;
  bool uneven = false;
};

void bench_exchange(const Session& session, const ExchangeCase& request);
void bench_cache(const Session& session, const BenchRequest& request);
void bench_first(const Session& session, const BenchRequest& request, int plans, bool measured);
/// Sizes of generated wavefunctions.
struct OrbitalCase {
  int kpoints = 5, bands = 288, repeats = 5;
  std::int64_t waves = 40000;
  void add_to(CLI::App& app);
};
void bench_redistribute(const Session& session, const OrbitalCase& request);
/// The options of `bench wavefile`.
struct WaveBenchRequest : OrbitalCase {
  std::int64_t memory = 0;
  std::string path = ".", algorithm = "automatic", keep;
  bool old = false, started = false;
};

void bench_wavefile(const Session& session, const WaveBenchRequest& request);
/// The options of `bench density`.
struct DensityBenchRequest {
  std::string path, memory;
  int repeats = 5;
};
void bench_density(const Session& session, const DensityBenchRequest& request);
void bench_fft(const Session& session, const BenchRequest& request, const std::string& kind);
/// The options of `bench bands`.
struct BandsRequest : BenchRequest {
  double radius = 0;  ///< in grid indices; 0: a quarter of the grid
  std::int64_t bands = 16;
  bool density = false;
};
void bench_bands(const Session& session, BandsRequest request);
/// Squares of `orbitals` are the numbers of pairs. `radius`: of the waves of densities.
void bench_pairs(const Session& session, const BenchRequest& request, double radius, std::int64_t orbitals);
void bench_operator(const Session& session, const BenchRequest& request);
void bench_interpolation(const Session& session, const BenchRequest& request);
void add_bench_blocksparse(CLI::App& bench, Session& session);

}  // namespace seiche::command
