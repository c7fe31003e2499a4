// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench CASE`: the cases and their options.
#include <CLI/CLI.hpp>
#include <memory>

#include "bench_report.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"

namespace seiche::command {

namespace {

void add_fft_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  const auto kind = std::make_shared<std::string>("c2c");
  auto* fft = bench.add_subcommand("fft", "dense FFT of one grid, forward and backward");
  request->add_to(*fft);
  fft->add_option("--kind", *kind, "transform: c2c (complex) or r2c (real) [c2c]")
      ->check(CLI::IsMember({"c2c", "r2c"}));
  fft->callback([request, kind, &session] { bench_fft(session, *request, *kind); });
}

void add_bands_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BandsRequest>();
  auto* bands = bench.add_subcommand("bands", "plane waves |G| <= R: each band to the grid, times V(r), and back");
  request->add_to(*bands);
  bands->add_option("--radius", request->radius, "radius of the sphere in grid indices [a quarter of the grid]")
      ->check(positive());
  bands->add_option("--bands", request->bands, "number of bands")->check(at_least(1))->capture_default_str();
  bands->add_flag("--density", request->density, "density of the bands, instead of the product with V(r)")
      ->excludes("--space", "--overlap-report");
  bands->callback([request, &session] { bench_bands(session, *request); });
}

void add_pairs_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  const auto radius = std::make_shared<double>(0);
  const auto number = std::make_shared<std::int64_t>(8);
  auto* pairs = bench.add_subcommand("pairs", "densities of all pairs of orbitals, compared with a loop of dense FFTs");
  request->add_plan_options(*pairs);
  pairs->add_option("--radius", *radius, "radius of the sphere of densities in grid indices [a quarter of the grid]")
      ->check(positive());
  pairs->add_option("--orbitals", *number, "number of orbitals")->check(at_least(1))->capture_default_str();
  pairs->callback([request, radius, number, &session] { bench_pairs(session, *request, *radius, *number); });
}

void add_operator_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  auto* one =
      bench.add_subcommand("operator", "potential and derivatives of a density, compared with dense FFTs and a loop");
  request->add_plan_options(*one);
  one->callback([request, &session] { bench_operator(session, *request); });
}

void add_interpolation_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  auto* one = bench.add_subcommand("interpolation",
                                   "a field on a grid of twice the points along each axis, compared "
                                   "with both dense FFTs");
  request->add_plan_options(*one);
  one->callback([request, &session] { bench_interpolation(session, *request); });
}

void add_exchange_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<ExchangeCase>();
  auto* exchange =
      bench.add_subcommand("exchange", "all exchange algorithms by message size, with synchronized and delayed ranks");
  exchange->add_option("--bytes", request->bytes, "message sizes from each rank to each other rank, in bytes")
      ->delimiter(',')
      ->check(at_least(1));
  exchange
      ->add_option("--skew", request->skew, "simulated arrival skew: delay each rank by up to this many microseconds")
      ->check(at_least(0));
  exchange->add_option("--repeat", request->repeats, "number of repetitions")->check(at_least(1));
  exchange->add_flag("--uneven", request->uneven, "unequal message sizes");
  exchange->callback([request, &session] { bench_exchange(session, *request); });
}

void add_cache_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  auto* cache = bench.add_subcommand("cache", "transforms with a new plan per call, compared with a cached plan");
  request->add_plan_options(*cache);
  cache->callback([request, &session] { bench_cache(session, *request); });
}

void add_first_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BenchRequest>();
  const auto plans = std::make_shared<int>(20);
  const auto measured = std::make_shared<bool>(false);
  auto* first = bench.add_subcommand("first", "cost of plans of spheres, and calls that alternate between plans");
  request->add_plan_options(*first);
  first->add_option("--plans", *plans, "number of plans")->check(at_least(2))->capture_default_str();
  first->add_flag("--measured", *measured, "measurement of 1D FFTs when a plan is created");
  first->callback([request, plans, measured, &session] { bench_first(session, *request, *plans, *measured); });
}

void add_wavefile_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<WaveBenchRequest>();
  auto* files = bench.add_subcommand("wavefile",
                                     "writing and reading of a set of wavefunctions, compared with plain input/output");
  request->add_to(*files);
  files->add_option("--memory", request->memory, "memory per process for the redistribution, in MB (0: automatic)")
      ->check(at_least(0));
  files->add_option("--path", request->path, "folder for the file")->capture_default_str();
  files->add_option("--algorithm,--way", request->algorithm, "exchange algorithm");
  files->add_option("--keep", request->keep, "file that receives the set as well");
  files->add_flag("--old", request->old, "comparison with bands collected one by one on the root process");
  files->add_flag("--started", request->started, "part of the writing that is hidden behind computation");
  files->callback([request, &session] { bench_wavefile(session, *request); });
}

void add_redistribute_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<OrbitalCase>();
  auto* orbitals = bench.add_subcommand(
      "redistribute",
      "wavefunctions in memory to another layout and to another basis, compared with a collective per band");
  request->add_to(*orbitals);
  orbitals->callback([request, &session] { bench_redistribute(session, *request); });
}

void add_density_case(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<DensityBenchRequest>();
  auto* density = bench.add_subcommand(
      "density", "density of a file, compared with a cold read of its bytes and with the transforms alone");
  density->add_option("IN", request->path, any_wavefunctions)->required();
  density->add_option("--repeat", request->repeats, "number of repetitions")->check(at_least(1));
  add_memory_option(*density, request->memory);
  density->callback([request, &session] { bench_density(session, *request); });
}

}  // namespace

void OrbitalCase::add_to(CLI::App& app) {
  app.add_option("--kpoints", kpoints, "number of k-points")->check(at_least(1))->capture_default_str();
  app.add_option("--bands", bands, "number of bands")->check(at_least(1))->capture_default_str();
  app.add_option("--waves", waves, "number of plane waves per k-point")->check(at_least(1))->capture_default_str();
  app.add_option("--repeat", repeats, "number of repetitions")->check(at_least(1));
}

void add_bench(CLI::App& app, Session& session) {
  auto* bench = app.add_subcommand("bench", "timing of one case, with checked results");
  bench->require_subcommand(1);
  add_fft_case(*bench, session);
  add_bands_case(*bench, session);
  add_pairs_case(*bench, session);
  add_operator_case(*bench, session);
  add_interpolation_case(*bench, session);
  add_bench_blocksparse(*bench, session);
  add_exchange_case(*bench, session);
  add_cache_case(*bench, session);
  add_first_case(*bench, session);
  add_wavefile_case(*bench, session);
  add_redistribute_case(*bench, session);
  add_density_case(*bench, session);
}

}  // namespace seiche::command
