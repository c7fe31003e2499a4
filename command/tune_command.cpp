// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche tune`: measures settings for the tuning file, or shows the file.
#include "seiche/tuning.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "bench_report.hpp"
#include "block_case.hpp"
#include "grid_option.hpp"
#include "node_groups.hpp"
#include "numbers.hpp"
#include "report.hpp"
#include "seiche/boxes.hpp"
#include "seiche/error.hpp"
#include "seiche/orbitals.hpp"
#include "tune_machine.hpp"

namespace seiche::command {

namespace {

using Json = nlohmann::ordered_json;

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

template <class Options>
void print(const Session& session, const TuneReport<Options>& report) {
  if (!session.speaks()) return;
  const Settings chosen = tuned_cases()[report.tuned_case];
  if (session.json) {
    Json json{{"case", report.tuned_case}, {"chosen", chosen}};
    for (const Trial& t : report.trials) {
      json["trials"].push_back({{"settings", t.settings}, {"seconds", t.seconds}, {"rounds", t.rounds}});
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{}\n", report.tuned_case);
  for (const Trial& t : report.trials)
    fmt::print("  {:<60}{:>10.3f} ms  {} rounds\n", t.settings, t.seconds * 1e3, t.rounds);
  fmt::print("chosen, and saved in {}:\n   ", tuning_path());
  for (const auto& [setting, value] : chosen) fmt::print(" {} {};", setting, value);
  fmt::print("\n");
}

/// The options of all tuning commands.
struct Trials {
  TuneRequest request;
  std::optional<double> skew;  // microseconds

  void add_to(CLI::App& command) {
    command.add_option("--budget", request.budget, "time for all trials in seconds")->check(positive());
    command.add_option("--skew", skew, "simulated arrival skew: delay each rank by up to this many microseconds")
        ->check(at_least(0));
  }
  /// Runs tune(request) under a bar, and prints its report.
  template <class Tune>
  void run(const Session& session, const Tune& tune) {
    if (skew) request.skew = *skew * 1e-6;
    std::optional<ProgressBar> bar(std::in_place, session, "tune");
    request.on_progress = [&](double done) { bar->show(done); };
    const auto report = tune(request);
    bar.reset();
    print(session, report);
  }
};

struct WantedTransform : Trials {
  bool show = false;
  std::optional<std::string> machine;
  std::string topology;
  GridOption grid;
  std::string kind = "c2c";
  double radius = 0;
};

TuneReport<FftOptions> tuned(const Session& session, const WantedTransform& wanted, const TuneRequest& request) {
  BenchRequest sized;
  sized.grid = wanted.grid;
  const GridShape shape = sized.shape();
  if (wanted.radius > 0) {
    const auto mine = waves_within(session, shape, wanted.radius);
    return tune_sphere<std::complex<double>>(session.comm, shape, mine, request);
  }
  if (wanted.kind == "r2c") return tune_dense<double>(session.comm, shape, request);
  return tune_dense<std::complex<double>>(session.comm, shape, request);
}

struct WantedProduct : Trials {
  BlockCase of;
};

void add_tune_product(CLI::App& tune, Session& session) {
  const auto wanted = std::make_shared<WantedProduct>();
  auto* product = tune.add_subcommand("product", "fastest settings of a product of block-sparse matrices");
  add_block_case(*product, wanted->of);
  wanted->add_to(*product);
  product->callback([wanted, &session] {
    const BlockOperands operands = operands_of(session, wanted->of);
    const SharedLayout c = product_layout(operands.a.layout(), operands.b.layout());
    wanted->run(session, [&](const TuneRequest& request) {
      return tune_product(Product<double>{operands.a, operands.b}, c, wanted->of.options, request);
    });
  });
}

struct WantedMove : Trials {
  int kpoints = 1, bands = 100;
  bool spinor = false;
  std::int64_t waves = 10000;
  std::vector<int> from, to;
};

OrbitalGrid grid_of(const std::vector<int>& numbers, const OrbitalGrid& otherwise) {
  return numbers.empty() ? otherwise : OrbitalGrid{numbers[0], numbers[1], numbers[2]};
}

/// Returns generated orbitals in the source layout.
Orbitals orbitals_of(const Session& session, const WantedMove& wanted) {
  Orbitals all{Communicator(session.comm), {}, {}};
  all.header.crystal.lattice = {{{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}};
  all.header.bands = wanted.bands;
  all.header.spinor = wanted.spinor ? 2 : 1;
  const Range mine = block(wanted.waves, session.size, session.rank);
  for (int k = 0; k < wanted.kpoints; ++k) {
    all.header.kpoints.push_back({{}, 1.0 / wanted.kpoints, wanted.waves});
    if (mine.empty()) continue;
    OrbitalPart part{0, k, {0, wanted.bands}, {mine}, {}, {}};
    for (std::int64_t i = mine.low; i < mine.high; ++i) part.waves.push_back({static_cast<std::int32_t>(i), 0, 0});
    part.coefficients.assign(static_cast<std::size_t>(wanted.bands * all.header.spinor * mine.size()), 1.0);
    all.parts.push_back(std::move(part));
  }
  return redistribute(all, {grid_of(wanted.from, {1, session.size, 1})});
}

void add_tune_move(CLI::App& tune, Session& session) {
  const auto wanted = std::make_shared<WantedMove>();
  auto* move = tune.add_subcommand("move", "fastest settings of a redistribution of orbitals between two layouts");
  move->add_option("--kpoints", wanted->kpoints, "number of k-points")->check(at_least(1));
  move->add_option("--bands", wanted->bands, "number of bands per k-point")->check(at_least(1));
  move->add_option("--waves", wanted->waves, "number of plane waves per k-point")->check(CLI::Range(1, 1 << 30));
  move->add_flag("--spinor", wanted->spinor, "bands with two components");
  const auto add_grid = [&](const char* name, std::vector<int>& numbers, const char* what) {
    move->add_option(name, numbers, what)->delimiter(',')->expected(3)->check(at_least(1));
  };
  add_grid("--from", wanted->from, "groups of k-points, bands and waves of the source, K,B,W [1,RANKS,1]");
  add_grid("--to", wanted->to, "groups of k-points, bands and waves of the target, K,B,W [1,1,RANKS]");
  wanted->add_to(*move);
  move->callback([wanted, &session] {
    const Orbitals orbitals = orbitals_of(session, *wanted);
    wanted->run(session, [&](const TuneRequest& request) {
      return tune_move(orbitals, {grid_of(wanted->to, {1, 1, session.size})}, request);
    });
  });
}

struct WantedBoxes : Trials {
  GridOption grid;
  std::vector<int> from, to;
  std::int64_t halo = 0, fields = 1;
  bool complex = false;
};

/// Returns the box of this rank in a division of the grid, with `halo` more points on each side of divided axes.
FieldArray box_of(const Session& session, const GridShape& shape, const std::vector<int>& parts, std::int64_t halo) {
  const int product = parts[0] * parts[1] * parts[2];
  if (product != session.size) {
    throw Error(
        Fault::bad_argument,
        fmt::format("a grid of {} x {} x {} boxes does not match {} ranks: the product must equal the number of "
                    "ranks",
                    parts[0], parts[1], parts[2], session.size));
  }
  Box box = whole(shape);
  int rest = session.rank;
  for (std::size_t a = 0; a < 3; ++a) {
    Range& range = box.axis[a];
    if (parts[a] > 1) range = block(range.high, parts[a], rest % parts[a]);
    if (parts[a] > 1 && !range.empty()) range = {range.low - halo, range.high + halo};
    rest /= parts[a];
  }
  return consecutive(box);
}

TuneReport<BoxOptions> tuned(const Session& session, const WantedBoxes& wanted, const TuneRequest& request) {
  const GridShape shape = wanted.grid.shape();
  const auto end = [&](const std::vector<int>& parts, const std::vector<int>& usual, std::int64_t halo) {
    return box_of(session, shape, parts.empty() ? usual : parts, halo);
  };
  const FieldArray source = end(wanted.from, {1, 1, session.size}, 0),
                   target = end(wanted.to, {1, session.size, 1}, wanted.halo);
  return wanted.complex
             ? tune_boxes<std::complex<double>>(session.comm, shape, {&source, 1}, {&target, 1}, wanted.fields, request)
             : tune_boxes<double>(session.comm, shape, {&source, 1}, {&target, 1}, wanted.fields, request);
}

void add_tune_boxes(CLI::App& tune, Session& session) {
  const auto wanted = std::make_shared<WantedBoxes>();
  auto* boxes = tune.add_subcommand("boxes", "fastest settings of a redistribution of grid values between boxes");
  wanted->grid.add_to(*boxes);
  const auto add_parts = [&](const char* name, std::vector<int>& parts, const char* what) {
    boxes->add_option(name, parts, what)->delimiter(',')->expected(3)->check(CLI::Range(1, 1000));
  };
  add_parts("--from", wanted->from, "boxes of the source along x, y and z, X,Y,Z [1,1,RANKS]");
  add_parts("--to", wanted->to, "boxes of the target along x, y and z, X,Y,Z [1,RANKS,1]");
  boxes->add_option("--halo", wanted->halo, "more points of a target box on each side of divided axes")
      ->check(CLI::Range(0, 1000));
  boxes->add_option("--fields", wanted->fields, "number of fields of a call")->check(at_least(1));
  boxes->add_flag("--complex", wanted->complex, "complex values instead of real ones");
  wanted->add_to(*boxes);
  boxes->callback([wanted, &session] {
    wanted->run(session, [&](const TuneRequest& request) { return tuned(session, *wanted, request); });
  });
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  const auto wanted = std::make_shared<WantedTransform>();
  auto* tune = app.add_subcommand("tune", "fastest settings for a case, measured and saved in the tuning file");
  tune->add_flag("--show", wanted->show, "print the tuning file");
  tune->add_option("--machine", wanted->machine, "measure the machine for seiche predict and write this machine file")
      ->expected(0, 1)
      ->default_str("");
  tune->add_option("--topology", wanted->topology,
                   "measure the groups of nodes and write this file for SEICHE_TOPOLOGY");
  wanted->grid.add_to(*tune);
  tune->add_option("--kind", wanted->kind, "transform of a dense grid: c2c or r2c")
      ->check(CLI::IsMember({"c2c", "r2c"}));
  tune->add_option("--radius", wanted->radius, "radius of a sphere of waves in grid indices [none: a dense grid]")
      ->check(positive());
  tune->add_option("--bands", wanted->request.bands, "number of bands per call, for spheres")->check(at_least(1));
  tune->add_option("--band-groups", wanted->request.band_groups,
                   "number of groups of ranks that share the bands (0: several are tried)")
      ->check(at_least(0));
  tune->add_option("--threads", wanted->request.threads, "OpenMP threads per rank")->check(at_least(1));
  wanted->add_to(*tune);
  add_tune_product(*tune, session);
  add_tune_move(*tune, session);
  add_tune_boxes(*tune, session);
  tune->callback([wanted, tune, &session] {
    if (!tune->get_subcommands().empty()) return;  // the subcommand has run already
    if (wanted->show) return show(session);
    if (!wanted->topology.empty()) return tune_topology(session, wanted->topology);
    if (wanted->machine) return tune_machine(session, machine_path(*wanted->machine), wanted->request.budget);
    wanted->run(session, [&](const TuneRequest& request) { return tuned(session, *wanted, request); });
  });
}

}  // namespace seiche::command
