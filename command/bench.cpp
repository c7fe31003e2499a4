// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench CASE`: the cases, and what may be asked of each.
#include <CLI/CLI.hpp>
#include <memory>

#include "bench_report.hpp"
#include "memory.hpp"

namespace seiche::command {

namespace {

void add_fft_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  const auto kind = std::make_shared<std::string>("c2c");
  auto* fft = bench.add_subcommand("fft", "a dense grid: one transform to the spectrum and back");
  request->add_to(*fft);
  fft->add_option("--kind", *kind, "c2c (complex) or r2c (real)")->check(CLI::IsMember({"c2c", "r2c"}));
  fft->callback([request, kind, &session] { bench_fft(session, *request, *kind); });
}

void add_bands_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  const auto radius = std::make_shared<double>(0);
  const auto number = std::make_shared<std::int64_t>(16);
  auto* bands = bench.add_subcommand("bands", "plane waves |G| <= R: each band to the grid, times V(r), and back");
  request->add_to(*bands);
  bands->add_option("--radius", *radius, "of the sphere, in grid indices (default: a quarter of the grid)");
  bands->add_option("--bands", *number, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  bands->callback([request, radius, number, &session] { bench_bands(session, *request, *radius, *number); });
}

void add_exchange_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<ExchangeCase>();
  auto* exchange = bench.add_subcommand("exchange", "all ways of moving, by message size, together and apart");
  exchange->add_option("--bytes", request->bytes, "from each rank to each")->delimiter(',')->check(CLI::PositiveNumber);
  exchange->add_option("--skew", request->skew, "microseconds by which ranks arrive apart")
      ->check(CLI::NonNegativeNumber);
  exchange->add_option("--repeat", request->repeats, "how often to time it")->check(CLI::PositiveNumber);
  exchange->add_flag("--uneven", request->uneven, "shares that differ from rank to rank");
  exchange->callback([request, &session] { bench_exchange(session, *request); });
}

void add_cache_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  auto* cache = bench.add_subcommand("cache", "transforms with all made anew each time, beside plans that are kept");
  request->add_to(*cache);
  cache->callback([request, &session] { bench_cache(session, *request); });
}

void add_wavefile_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<WaveBenchRequest>();
  auto* files =
      bench.add_subcommand("wavefile", "a set of wavefunctions into a file and back, beside plain input/output");
  files->add_option("--kpoints", request->kpoints, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--bands", request->bands, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--waves", request->waves, "at each k-point")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--repeat", request->repeats, "how often to time it")->check(CLI::PositiveNumber);
  files->add_option("--memory", request->memory, "MB for the move on each process (0: the library's choice)");
  files->add_option("--path", request->path, "folder to write to")->capture_default_str();
  files->add_option("--way", request->algorithm, "who moves data between ranks");
  files->add_option("--keep", request->keep, "write the set to this file as well, for other tests");
  files->add_flag("--old", request->old, "also as codes used to: band by band through the root");
  files->callback([request, &session] { bench_wavefile(session, *request); });
}

void add_density_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<DensityBenchRequest>();
  auto* density =
      bench.add_subcommand("density", "a file's density, beside a cold read of its bytes and the transforms alone");
  density->add_option("IN", request->path, any_wavefunctions)->required();
  density->add_option("--repeat", request->repeats, "how often to time it")->check(CLI::PositiveNumber);
  add_memory_option(*density, request->memory);
  density->callback([request, &session] { bench_density(session, *request); });
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  auto* bench = app.add_subcommand("bench", "time a case, checked against known results");
  bench->require_subcommand(1);
  add_fft_case(*bench, session);
  add_bands_case(*bench, session);
  add_bench_blocksparse(*bench, session);
  add_exchange_case(*bench, session);
  add_cache_case(*bench, session);
  add_wavefile_case(*bench, session);
  add_density_case(*bench, session);
}

}  // namespace seiche::command
