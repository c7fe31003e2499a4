// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench CASE`: the cases, and what may be asked of each.
#include <memory>

#include "bench_report.hpp"

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
  bands->callback([of_bands, radius, number, &session] { bench_bands(session, *of_bands, *radius, *number); });
}

}  // namespace seiche::tools
