// SPDX-License-Identifier: BSD-3-Clause
#include "report/advise.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "seiche/error.hpp"

namespace seiche::profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_replayed = 6;
constexpr double worth_it = 0.9;  ///< of the current time; smaller gains are within the error of the measurement
constexpr double unsteady = 2;    ///< upper quartile divided by lower quartile

Advice advice_of(Exchanged what, const Json& result) {
  Advice advice{std::move(what), {}, {}};
  for (const auto& [name, spread] : result.at("algorithms").items())
    advice.algorithms.push_back({name, spread.get<std::array<double, 4>>()});
  for (const auto& [name, why] : result.at("obstacles").items()) advice.obstacles.emplace_back(name, why);
  std::sort(advice.algorithms.begin(), advice.algorithms.end(),
            [](const Timed& a, const Timed& b) { return a.median() < b.median(); });
  return advice;
}

std::string seconds(double value) {
  return value >= 1      ? fmt::format("{:.2f} s", value)
         : value >= 1e-3 ? fmt::format("{:.2f} ms", 1e3 * value)
                         : fmt::format("{:.1f} µs", 1e6 * value);
}

std::string where(const Run& run, const Advice& advice) {
  const Row& row = run.rows[static_cast<std::size_t>(advice.what.row)];
  return fmt::format("{} in {}", function_names[row.function], place_of(row));
}

double latest(const Exchanged& what) {
  double most = 0;
  for (const Group& group : what.groups) most = std::max(most, *std::max_element(group.late.begin(), group.late.end()));
  return most;
}

double bytes_of(const Exchanged& what) {
  double sum = 0;
  for (const Group& group : what.groups) {
    for (std::size_t i = 0; i < group.bytes.size(); ++i) {
      if (i / group.ranks.size() != i % group.ranks.size()) sum += static_cast<double>(group.bytes[i]);
    }
  }
  return sum;
}

}  // namespace

const Timed& Advice::as_it_is() const {
  const auto at =
      std::find_if(algorithms.begin(), algorithms.end(), [](const Timed& one) { return one.algorithm == as_mpi_does; });
  if (at == algorithms.end())
    throw Error(Fault::internal, "profile --advise: the replay did not repeat the exchanges of the program");
  return *at;
}

bool Advice::is_told() const {
  const Timed& now = as_it_is();
  return best().upper() < worth_it * now.lower() && best().least() < worth_it * now.least();
}

double Advice::saves() const { return is_told() ? what.calls * (as_it_is().least() - best().least()) : 0; }

std::vector<Advice> advise(const Run& run, const Launch& launch) {
  std::vector<Exchanged> all = exchanges_of(run, most_replayed);
  if (all.empty()) return {};
  std::vector<Batch> plan;
  for (const Exchanged& one : all) plan.push_back(one.groups);
  const std::string file = launch.directory + "/plan", result = launch.directory + "/replayed";
  {
    std::ofstream out(file);
    write_plan(out, plan);
  }
  const int status = run_replay(launch, file, result);
  std::ifstream in(result);
  if (status != 0 || !in) {
    throw Error(Fault::unsupported,
                fmt::format("profile --advise: the exchanges could not be replayed on the ranks of the program (status "
                            "{}): the launcher must be able to start this installation of Seiche on all of them",
                            status));
  }
  const Json results = Json::parse(in);
  std::vector<Advice> advice;
  for (std::size_t i = 0; i < all.size(); ++i) advice.push_back(advice_of(std::move(all[i]), results.at(i)));
  return advice;
}

std::vector<std::string> sentences(const Run& run, const std::vector<Advice>& all) {
  std::vector<std::string> lines;
  if (all.empty()) lines.emplace_back("No advice: no all-to-all between ranks was recorded.");
  for (const Advice& advice : all) {
    const Timed &now = advice.as_it_is(), &best = advice.best();
    if (advice.is_told()) {
      lines.push_back(
          fmt::format("{}: {} per call as it is, {} with `{}` (replayed with the same sizes, delays and ranks): saves "
                      "at least {} of the {} of the run.",
                      where(run, advice), seconds(now.median()), seconds(best.median()), best.algorithm,
                      seconds(advice.saves()), seconds(run.seconds)));
    } else if (now.upper() > unsteady * now.lower() || best.upper() > unsteady * best.lower()) {
      lines.push_back(
          fmt::format("{}: the replays took from {} to {} per call, which varies too much for advice: check that the "
                      "cores are not shared.",
                      where(run, advice), seconds(now.least()), seconds(now.upper())));
    } else {
      lines.push_back(
          fmt::format("{}: no other exchange algorithm was faster by a tenth than the call as it is, {} (replayed).",
                      where(run, advice), seconds(now.median())));
    }
  }
  return lines;
}

std::string table(const Run& run, const std::vector<Advice>& all) {
  std::string text;
  for (const std::string& sentence : sentences(run, all)) text += sentence + "\n";
  for (const Advice& advice : all) {
    text += fmt::format("\n{}, {:.0f} calls of {} x {} ranks, {:.0f} B in total, the last rank {} after the first\n",
                        where(run, advice), advice.what.calls, advice.what.groups.size(),
                        advice.what.groups[0].ranks.size(), bytes_of(advice.what), seconds(latest(advice.what)));
    for (const Timed& one : advice.algorithms) {
      text += fmt::format("  {:<12}{:>12}{:>8.2f} x   {} to {}\n", one.algorithm, seconds(one.median()),
                          one.median() / std::max(advice.as_it_is().median(), 1e-12), seconds(one.lower()),
                          seconds(one.upper()));
    }
    for (const auto& [algorithm, why] : advice.obstacles)
      text += fmt::format("  {:<12}not available: {}\n", algorithm, why);
  }
  return text;
}

std::string with_advice(const std::string& data, const Run& run, const std::vector<Advice>& all) {
  Json whole = Json::parse(data), json = Json::array();
  for (const Advice& advice : all) {
    const Row& row = run.rows[static_cast<std::size_t>(advice.what.row)];
    Json one{{"function", function_names[row.function]},
             {"place", place_of(row)},
             {"calls", advice.what.calls},
             {"groups", advice.what.groups.size()},
             {"ranks", advice.what.groups[0].ranks.size()},
             {"bytes", bytes_of(advice.what)},
             {"skew", latest(advice.what)},
             {"in_the_run", advice.what.seconds},
             {"as_it_is", advice.as_it_is().median()},
             {"is_told", advice.is_told()},
             {"saves", advice.saves()},
             {"algorithms", Json::object()},
             {"spread", Json::object()},
             {"obstacles", Json::object()}};
    for (const Timed& timed : advice.algorithms) {
      one["algorithms"][timed.algorithm] = timed.median();
      one["spread"][timed.algorithm] = timed.spread;
    }
    for (const auto& [algorithm, why] : advice.obstacles) one["obstacles"][algorithm] = why;
    json.push_back(one);
  }
  for (const std::string& sentence : sentences(run, all)) whole["sentences"].push_back(sentence);
  whole["advice"] = json;
  return whole.dump();
}

}  // namespace seiche::profile
