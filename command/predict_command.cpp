// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche predict CASE`: the predicted time of a case on any number of ranks of a measured machine, its limit,
/// and the best settings.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "numbers.hpp"
#include "predict_case.hpp"
#include "predict_picture.hpp"
#include "report.hpp"
#include "seiche/error.hpp"
#include "transfer.hpp"
#include "tune_machine.hpp"

namespace seiche::command {
namespace {

using Json = nlohmann::ordered_json;

struct PredictRequest {
  std::string ranks, machine, picture;
  int nodes = 0, per_node = 0;
};

constexpr int most_ranks = 1'000'000;

int number_in(const std::string& all, std::string_view text) {
  const auto number = integer_in(text, 1, most_ranks);
  if (!number)
    refuse(fmt::format("--ranks {} is not a list of positive integers: give for example 1,2,4 or 1:384", all));
  return *number;
}

/// Parses "1,2,4", or "24:384" for 24, 48, 96, 192, 384: doubled until the last.
std::vector<int> ranks_in(const std::string& text) {
  std::vector<int> ranks;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const auto colon = part.find(':');
    const int first = number_in(text, std::string_view(part).substr(0, colon));
    const int last = colon == std::string::npos ? first : number_in(text, std::string_view(part).substr(colon + 1));
    for (int n = first; n < last; n *= 2) ranks.push_back(n);
    ranks.push_back(last);
    at = end + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// Returns the number of nodes: from the options, else as many as needed with one rank per core, else one if the
/// machine file has no links between nodes.
predict::Where where_of(const PredictRequest& request, const predict::Machine& machine, int ranks) {
  if (request.nodes > 0) return {ranks, request.nodes};
  const int cores = std::max(1, static_cast<int>(machine.cores));
  const int each = request.per_node > 0 ? request.per_node : machine.between ? cores : ranks;
  return predict::filled_nodes(ranks, each);
}

Json json_of(const predict::Prediction& of) {
  const predict::Parts& p = of.parts;
  return {{"seconds", of.seconds},
          {"parts",
           {{"lines", p.lines},
            {"memory", p.memory},
            {"cpu", p.cpu},
            {"network", p.network},
            {"latency", p.latency},
            {"disk", p.disk}}},
          {"limited_by", of.limited_by},
          {"memory_bytes", of.memory},
          {"bytes_sent_per_rank", of.bytes_sent},
          {"chosen", of.settings}};
}

Json json_of(const CasePrediction& of) {
  Json json{{"ranks", of.where.ranks}, {"nodes", of.where.nodes}};
  json.update(json_of(of.usual));
  json["best"] = of.best ? json_of(*of.best) : Json();
  json["own_exchange"] = of.own ? json_of(*of.own) : Json();
  return json;
}

/// Returns the settings in words, such as "pairwise, pencil, 4 chunks".
std::string words_of(const Settings& settings) {
  const auto option_text = [&](const char* name) {
    return settings.count(name) > 0 ? settings.at(name) : std::string();
  };
  std::string text = option_text("algorithm");
  if (!option_text("decomposition").empty()) text += ", " + option_text("decomposition");
  const std::string sizes = option_text("chunks");
  const auto commas = std::count(sizes.begin(), sizes.end(), ',');
  if (commas > 0) text += fmt::format(", {} chunks", commas + 1);
  if (!option_text("band_groups").empty() && option_text("band_groups") != "1")
    text += ", " + option_text("band_groups") + " groups";
  return text;
}

/// `bands`: of a call; 0: times are of the call.
std::string row_of(const CasePrediction& of, std::int64_t bands) {
  const predict::Parts& p = of.usual.parts;
  std::string text = fmt::format("{:>12.3f}", 1e3 * of.usual.seconds);
  if (bands > 0) text = fmt::format("{:>12.3f}", 1e3 * static_cast<double>(bands) * of.usual.seconds) + text;
  for (const double part : {p.lines, p.memory, p.cpu, p.network, p.latency, p.disk}) {
    text += fmt::format("{:>10.3f}", 1e3 * part);
  }
  text += fmt::format("  {:<8}{:>9.1f} MB", of.usual.limited_by, 1e-6 * static_cast<double>(of.usual.memory));
  if (of.best) text += fmt::format("{:>12.3f}  {}", 1e3 * of.best->seconds, words_of(of.best->settings));
  return text;
}

/// Returns the time of a code with its own exchange, and the times of Seiche over it.
std::string own_row_of(const CasePrediction& of) {
  const double own = of.own->seconds;
  return fmt::format("{:>12.3f}{:>10.2f}{:>10.2f}  {:<8}", 1e3 * own, of.usual.seconds / own, of.best->seconds / own,
                     of.own->limited_by);
}

void add_own(Report& report, const std::vector<CasePrediction>& all, bool bands) {
  report.add("predictions", nullptr, "own exchange",
             fmt::format("model of a code without Seiche: the same 1D FFTs, and MPI_Alltoallv for each {}",
                         bands ? "band" : "transform"));
  report.add("predictions", nullptr, "ranks, nodes",
             fmt::format("{:>12}{:>10}{:>10}  {:<8}", bands ? "of a band" : "ms", "Seiche", "best", "limit"));
  for (const CasePrediction& one : all) {
    report.add("predictions", nullptr, fmt::format("{}, {}", one.where.ranks, one.where.nodes), own_row_of(one));
  }
}

std::vector<Curve> curves_of(const std::vector<CasePrediction>& all) {
  std::vector<Curve> curves{{"time", {}}, {"best", {}},    {"own exchange", {}}, {"lines", {}}, {"memory", {}},
                            {"cpu", {}},  {"network", {}}, {"latency", {}},      {"disk", {}}};
  for (const CasePrediction& of : all) {
    const predict::Parts& p = of.usual.parts;
    const double best = of.best ? of.best->seconds : 0, own = of.own ? of.own->seconds : 0;
    const std::array<double, 9> values{of.usual.seconds, best,      own,   p.lines, p.memory, p.cpu,
                                       p.network,        p.latency, p.disk};
    for (std::size_t c = 0; c < curves.size(); ++c) curves[c].values.push_back(1e3 * values[c]);
  }
  std::erase_if(curves, [](const Curve& curve) {
    return std::all_of(curve.values.begin(), curve.values.end(), [](double value) { return value <= 0; });
  });
  return curves;
}

std::string as_csv(const std::vector<CasePrediction>& all) {
  std::string text =
      "ranks,nodes,seconds,lines,memory,cpu,network,latency,disk,memory_bytes,best_seconds,own_seconds\n";
  for (const CasePrediction& of : all) {
    const predict::Parts& p = of.usual.parts;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", of.where.ranks, of.where.nodes, of.usual.seconds, p.lines,
                    p.memory, p.cpu, p.network, p.latency, p.disk, of.usual.memory,
                    of.best ? of.best->seconds : of.usual.seconds, of.own ? fmt::format("{}", of.own->seconds) : "");
  }
  return text;
}

void write_picture(const Session& session, const std::string& path, const std::string& title,
                   const std::vector<CasePrediction>& all) {
  if (path.ends_with(".csv")) return predict::write_text(session.comm, as_csv(all), path);
  std::vector<double> ranks;
  for (const CasePrediction& of : all) ranks.push_back(of.where.ranks);
  predict::write_text(session.comm, drawn_curves(title, "ms", ranks, curves_of(all)), path);
}

void foretell(const Session& session, const PredictRequest& request, const PredictedCase& of) {
  if (!request.picture.empty() && !request.picture.ends_with(".svg") && !request.picture.ends_with(".csv")) {
    refuse("--picture " + request.picture + " has an unknown format: give a name that ends in .svg or .csv");
  }
  const predict::Machine machine = predict::read_machine(machine_path(request.machine));
  const double bands = static_cast<double>(std::max<std::int64_t>(of.bands, 1));
  std::vector<CasePrediction> all;
  for (const int ranks : ranks_in(request.ranks)) {
    all.push_back(of.foretell(machine, where_of(request, machine, ranks)));
  }
  if (!request.picture.empty()) write_picture(session, request.picture, of.name, all);
  Report report(session);
  report.add("case", of.name, "case", of.name);
  report.add("machine", machine.name, "machine", machine.name);
  if (of.bands > 0) report.add("bands", of.bands, "times", fmt::format("of one band; a call has {} bands", of.bands));
  Json rows = Json::array();
  report.add("predictions", nullptr, "ranks, nodes",
             fmt::format("{}{:>12}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}  {:<8}{:>12}{:>12}",
                         of.bands > 0 ? fmt::format("{:>12}", "ms of call") : "", of.bands > 0 ? "of a band" : "ms",
                         "lines", "memory", "cpu", "network", "latency", "disk", "limit", "of a rank", "best ms"));
  for (const CasePrediction& one : all) {
    rows.push_back(json_of(one));
    if (of.bands > 0) rows.back()["seconds_of_call"] = bands * one.usual.seconds;
    report.add("predictions", nullptr, fmt::format("{}, {}", one.where.ranks, one.where.nodes), row_of(one, of.bands));
  }
  if (all.front().own) add_own(report, all, of.bands > 0);
  report.add("predictions", rows);
  std::vector<std::string> files;
  if (!request.picture.empty()) files.push_back(request.picture);
  report.add("files", files, files.empty() ? "" : "written", request.picture);
  report.say();
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
  const auto request = std::make_shared<PredictRequest>();
  auto* predict =
      app.add_subcommand("predict", "predicted time of a case on any number of ranks of a measured machine");
  predict->require_subcommand(1);
  predict->fallthrough();
  add_predicted_cases(*predict, [request, &session](const PredictedCase& of) { foretell(session, *request, of); });
  for (CLI::App* one : predict->get_subcommands([](const CLI::App*) { return true; })) {
    one->add_option("--ranks", request->ranks, "numbers of ranks: 1,2,4, or 24:384 to double from 24 to 384")
        ->required();
    auto* nodes = one->add_option("--nodes", request->nodes, "number of nodes")->check(at_least(1));
    one->add_option("--per-node", request->per_node,
                    "number of ranks per node, instead of --nodes [the number of cores]")
        ->check(at_least(1))
        ->excludes(nodes);
    one->add_option(
        "--machine", request->machine,
        "machine file of seiche tune --machine, or the name of an assumed machine: cluster, cluster-threads or "
        "simulated [the default file of seiche tune]");
    one->add_option("--picture", request->picture, "output: a plot against ranks (.svg), or a table (.csv)");
  }
}

}  // namespace seiche::command
