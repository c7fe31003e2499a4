// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench CASE`: the cases, and what may be asked of each.
#include <CLI/CLI.hpp>
#include <memory>

#include "bench_report.hpp"
#include "memory.hpp"

namespace seiche::tools {

void add_bench(CLI::App& app, Session& session) {
  auto* bench = app.add_subcommand("bench", "time a case, checked against known results");
  bench->require_subcommand(1);

  const auto request = std::make_shared<BenchRequest>();
  const auto kind = std::make_shared<std::string>("c2c");
  auto* fft = bench->add_subcommand("fft", "a dense grid: one transform to the spectrum and back");
  request->add_to(*fft);
  fft->add_option("--kind", *kind, "c2c (complex) or r2c (real)")->check(CLI::IsMember({"c2c", "r2c"}));
  fft->callback([request, kind, &session] { bench_fft(session, *request, *kind); });

  const auto of_bands = std::make_shared<BenchRequest>();
  const auto radius = std::make_shared<double>(0);
  const auto number = std::make_shared<std::int64_t>(16);
  auto* bands = bench->add_subcommand("bands", "plane waves |G| <= R: each band to the grid, times V(r), and back");
  of_bands->add_to(*bands);
  bands->add_option("--radius", *radius, "of the sphere, in grid indices (default: a quarter of the grid)");
  bands->add_option("--bands", *number, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  add_bench_blocksparse(*bench, session);
  bands->callback([of_bands, radius, number, &session] { bench_bands(session, *of_bands, *radius, *number); });

  const auto exchange_case = std::make_shared<ExchangeCase>();
  auto* exchange = bench->add_subcommand("exchange", "all ways of moving, by message size, together and apart");
  exchange->add_option("--bytes", exchange_case->bytes, "from each rank to each")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  exchange->add_option("--skew", exchange_case->skew, "microseconds by which ranks arrive apart")
      ->check(CLI::NonNegativeNumber);
  exchange->add_option("--repeat", exchange_case->repeats, "how often to time it")->check(CLI::PositiveNumber);
  exchange->add_flag("--uneven", exchange_case->uneven, "shares that differ from rank to rank");
  exchange->callback([exchange_case, &session] { bench_exchange(session, *exchange_case); });

  const auto of_cache = std::make_shared<BenchRequest>();
  auto* cache = bench->add_subcommand("cache", "transforms with all made anew each time, beside plans that are kept");
  of_cache->add_to(*cache);
  cache->callback([of_cache, &session] { bench_cache(session, *of_cache); });
  const auto of_files = std::make_shared<WaveBenchRequest>();
  auto* files =
      bench->add_subcommand("wavefile", "a set of wavefunctions into a file and back, beside plain input/output");
  files->add_option("--kpoints", of_files->kpoints, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--bands", of_files->bands, "how many")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--waves", of_files->waves, "at each k-point")->check(CLI::PositiveNumber)->capture_default_str();
  files->add_option("--repeat", of_files->repeats, "how often to time it")->check(CLI::PositiveNumber);
  files->add_option("--memory", of_files->memory, "MB for the move on each process (0: the library's choice)");
  files->add_option("--path", of_files->path, "folder to write to")->capture_default_str();
  files->add_option("--way", of_files->algorithm, "who moves data between ranks");
  files->add_option("--keep", of_files->keep, "write the set to this file as well, for other tests");
  files->add_flag("--old", of_files->old, "also as codes used to: band by band through the root");
  files->callback([of_files, &session] { bench_wavefile(session, *of_files); });

  const auto of_density = std::make_shared<DensityBenchRequest>();
  auto* density =
      bench->add_subcommand("density", "a file's density, beside a cold read of its bytes and the transforms alone");
  density->add_option("IN", of_density->path, any_wavefunctions)->required();
  density->add_option("--repeat", of_density->repeats, "how often to time it")->check(CLI::PositiveNumber);
  add_memory_option(*density, of_density->memory);
  density->callback([of_density, &session] { bench_density(session, *of_density); });
}

}  // namespace seiche::tools
