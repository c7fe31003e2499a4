// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche tune`: fills the tuning file for a case, or shows what it holds.
#include "seiche/tuning.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "bench_report.hpp"
#include "seiche/error.hpp"

namespace seiche::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Wanted {
  bool show = false;
  std::vector<std::int64_t> grid;
  std::string kind = "c2c";
  double radius = 0;
  std::optional<double> skew;  // microseconds
  TuneRequest request;
};

void show(const Session& session) {
  if (!session.speaks()) return;
  const auto cases = tuned_cases();
  if (session.json) {
    fmt::print("{}\n", Json{{"file", tuning_path()}, {"cases", cases}}.dump());
    return;
  }
  fmt::print("{}: {} cases\n", tuning_path().empty() ? "no tuning file" : tuning_path(), cases.size());
  for (const auto& [name, settings] : cases) {
    fmt::print("{}\n ", name);
    for (const auto& [setting, value] : settings) fmt::print(" {} {};", setting, value.empty() ? "automatic" : value);
    fmt::print("\n");
  }
}

TuneReport tuned(const Session& session, const Wanted& wanted) {
  BenchRequest sized;
  sized.grid = wanted.grid;
  const GridShape shape = sized.shape();
  if (wanted.radius > 0) {
    const auto mine = waves_within(session, shape, wanted.radius);
    return tune_sphere<std::complex<double>>(session.comm, shape, mine, wanted.request);
  }
  if (wanted.kind == "r2c") return tune_dense<double>(session.comm, shape, wanted.request);
  return tune_dense<std::complex<double>>(session.comm, shape, wanted.request);
}

void print(const Session& session, const TuneReport& report) {
  if (!session.speaks()) return;
  if (session.json) {
    Json json{{"case", report.tuned_case}, {"chosen", tuned_cases()[report.tuned_case]}};
    for (const Trial& t : report.trials) {
      json["trials"].push_back({{"settings", t.settings}, {"seconds", t.seconds}, {"rounds", t.rounds}});
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{}\n", report.tuned_case);
  for (const Trial& t : report.trials)
    fmt::print("  {:<48}{:>10.3f} ms  {} rounds\n", t.settings, t.seconds * 1e3, t.rounds);
  fmt::print("chosen, and kept in {}:\n ", tuning_path());
  const auto cases = tuned_cases();
  for (const auto& [setting, value] : cases.at(report.tuned_case)) fmt::print(" {} {};", setting, value);
  fmt::print("\n");
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  const auto wanted = std::make_shared<Wanted>();
  auto* tune = app.add_subcommand("tune", "find the fastest settings for a case and keep them, or show those kept");
  tune->add_flag("--show", wanted->show, "print the tuning file");
  tune->add_option("--grid", wanted->grid, "points along x, y, z, or one number for a cube")->delimiter(',');
  tune->add_option("--kind", wanted->kind, "of a dense grid: c2c or r2c")->check(CLI::IsMember({"c2c", "r2c"}));
  tune->add_option("--radius", wanted->radius, "of a sphere of waves; without it, the grid is dense");
  tune->add_option("--bands", wanted->request.bands, "in one call, for spheres")->check(CLI::PositiveNumber);
  tune->add_option("--band-groups", wanted->request.band_groups, "groups that share out bands; 0 tries several")
      ->check(CLI::NonNegativeNumber);
  tune->add_option("--threads", wanted->request.threads, "OpenMP threads of each rank")->check(CLI::PositiveNumber);
  tune->add_option("--budget", wanted->request.budget, "seconds for all trials")->check(CLI::PositiveNumber);
  tune->add_option("--skew", wanted->skew, "microseconds by which ranks arrive apart")->check(CLI::NonNegativeNumber);
  tune->callback([wanted, &session] {
    if (wanted->show) return show(session);
    if (wanted->skew) wanted->request.skew = *wanted->skew * 1e-6;
    print(session, tuned(session, *wanted));
  });
}

}  // namespace seiche::tools
