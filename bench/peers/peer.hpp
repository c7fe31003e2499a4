// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared by the programs that time other libraries: options, timing, and one line of JSON in the format of
/// Seiche.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

using Complex = std::complex<double>;

struct Options {
  std::ptrdiff_t nx = 64, ny = 64, nz = 64;
  std::string kind = "c2c";
  int repeats = 10, threads = 1, bands = 16;
  int plans = 0;  ///< plans whose creation is timed instead of transforms
  double radius = 0;
  bool patient = false;
};

inline Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--patient") {
      options.patient = true;
      continue;
    }
    if (i + 1 >= argc) throw std::invalid_argument(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--grid") {
      if (std::sscanf(value.c_str(), "%td,%td,%td", &options.nx, &options.ny, &options.nz) != 3) {
        throw std::invalid_argument("--grid needs NX,NY,NZ");
      }
    } else if (name == "--kind") {
      options.kind = value;
    } else if (name == "--repeat") {
      options.repeats = std::stoi(value);
    } else if (name == "--threads") {
      options.threads = std::stoi(value);
    } else if (name == "--plans") {
      options.plans = std::stoi(value);
    } else if (name == "--bands") {
      options.bands = std::stoi(value);
    } else if (name == "--radius") {
      options.radius = std::stod(value);
    } else {
      throw std::invalid_argument(name + " is not known");
    }
  }
  return options;
}

struct Times {
  std::vector<double> seconds;
  double at(double fraction) const {
    return seconds[static_cast<std::size_t>(fraction * static_cast<double>(seconds.size() - 1))];
  }
  double median() const {
    const std::size_t n = seconds.size();
    return 0.5 * (seconds[(n - 1) / 2] + seconds[n / 2]);
  }
};

/// Collective. Returns the CPU time of the slowest rank.
template <class Work>
double cpu_time_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -now();
  work();
  seconds += now();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Collective. Creates plans with `create(i)`, times calls of the first plan with `call()`, and prints the CPU times in
/// the format of `seiche bench first`.
template <class Create, class Call>
void time_plans(const Options& options, Create&& create, Call&& call) {
  const double first = cpu_time_of([&] { create(0); });
  call();
  Times calls, later;
  for (int i = 0; i < 10 * options.repeats; ++i) calls.seconds.push_back(cpu_time_of(call));
  for (int i = 1; i < options.plans; ++i) later.seconds.push_back(cpu_time_of([&] { create(i); }));
  for (Times* times : {&calls, &later}) std::sort(times->seconds.begin(), times->seconds.end());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::printf("{\"first_plan\":%.6e,\"later_plan\":%.6e,\"band\":%.6e,\"plan_in_bands\":%.6e}\n", first, later.median(),
              calls.median(), later.median() / calls.median());
}

/// Returns sorted times of the slowest rank. The first run is not counted. `prepare` runs before each repeat and is not
/// timed.
template <class Prepare, class Work>
Times time_repeats(int repeats, Prepare&& prepare, Work&& work) {
  Times times;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    prepare();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    work();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repeat >= 0) times.seconds.push_back(seconds);
  }
  std::sort(times.seconds.begin(), times.seconds.end());
  return times;
}

/// Returns a value from -0.5 to 0.5 that depends only on the point.
inline double value_at(std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) {
  const auto hash = static_cast<std::size_t>(x * 73856093 ^ y * 19349663 ^ z * 83492791) * 2654435761U;
  return static_cast<double>(hash >> 7 & 1023U) / 1023.0 - 0.5;
}

struct Line {
  std::string name, backend, chosen;
  int threads = 1;
  double max_error = 0, gflops_per_unit = 0;  ///< 1e9 floating-point operations per unit
};

/// Collective. Prints one line on rank 0.
inline void print(const Line& line, const Times& times) {
  int rank = 0, ranks = 1, length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(mpi, &length);
  std::string mpi_name(mpi, static_cast<std::size_t>(length));
  mpi_name = mpi_name.substr(0, mpi_name.find_first_of(",\n"));
  double error = line.max_error;
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf(
      "{\"case\":\"%s\",\"ranks\":%d,\"threads\":%d,\"mpi\":\"%s\",\"fft_backend\":\"%s\",\"repeats\":%zu,\"seconds\":"
      "{\"min\":%.6e,\"median\":%.6e,\"max\":%.6e},\"gflops\":%.3f,\"chosen\":\"%s\",\"max_error\":%.3e}\n",
      line.name.c_str(), ranks, line.threads, mpi_name.c_str(), line.backend.c_str(), times.seconds.size(), times.at(0),
      times.median(), times.at(1), line.gflops_per_unit / times.median(), line.chosen.c_str(), error);
}

inline double gflops_of_pair(const Options& o) {
  const double n = static_cast<double>(o.nx) * static_cast<double>(o.ny) * static_cast<double>(o.nz);
  return (o.kind == "r2c" ? 5.0 : 10.0) * n * std::log2(n) * 1e-9;
}

inline std::string name_of_dense(const Options& o) {
  return "fft " + o.kind + " " + std::to_string(o.nx) + "x" + std::to_string(o.ny) + "x" + std::to_string(o.nz) +
         " double";
}

/// Runs `work` between MPI_Init and MPI_Finalize; an exception ends all ranks.
template <class Work>
int main_of(int argc, char** argv, Work&& work) {
  MPI_Init(&argc, &argv);
  try {
    work(options_of(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace peer
