// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench cache`: a pair of transforms with a new plan and a new communicator per call, as in codes that
/// create communicators in each transpose, compared with a cached plan.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench_report.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

std::int64_t set_up_calls(const std::map<std::string, std::int64_t>& calls) {
  std::int64_t n = 0;
  for (const auto& [name, count] : calls) {
    const bool makes = name.find("MPI_Comm_dup") == 0 || name.find("MPI_Comm_split") == 0 || name.find("MPI_Win_") == 0;
    if (makes && name.find("_free") == std::string::npos) n += count;
  }
  return n;
}

}  // namespace

void bench_cache(const Session& session, const BenchRequest& request) {
  const GridShape shape = request.shape();
  const FftOptions options = request.fft_options();
  const Timing anew = time_repeats(session.comm, request.repeats, 0, [&] {
    MPI_Comm fresh = MPI_COMM_NULL;  // no plan is cached for a new communicator
    MPI_Comm_dup(session.comm, &fresh);
    {
      DenseFft<Complex> fft(fresh, shape, options);
      auto field = fft.allocate();
      fft.forward(field);
      fft.backward(field);
    }
    MPI_Comm_free(&fresh);
  });
  DenseFft<Complex> first(session.comm, shape, options);
  auto field = first.allocate();
  BenchResult result;
  result.timing = time_repeats(session.comm, request.repeats, 0, [&] {
    DenseFft<Complex> again(session.comm, shape, options);
    again.forward(field);
    again.backward(field);
  });
  result.name = fmt::format("cache {}x{}x{}", shape.nx, shape.ny, shape.nz);
  result.threads = request.threads;
  result.plan = first.report();
  const double each = request.repeats;
  result.more = {{"anew", median_of(anew.seconds)},
                 {"kept", median_of(result.timing.seconds)},
                 {"set_up_calls_anew", static_cast<double>(set_up_calls(anew.mpi_calls)) / each},
                 {"set_up_calls_kept", static_cast<double>(set_up_calls(result.timing.mpi_calls)) / each}};
  print(session, result);
}

}  // namespace seiche::command
