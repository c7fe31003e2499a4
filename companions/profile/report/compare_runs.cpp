// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace seiche::profile {

namespace {

using Json = nlohmann::ordered_json;

/// A function in both runs: calls of all ranks, mean seconds per rank.
struct Pair {
  std::string function;
  std::int64_t calls[2] = {0, 0};
  double seconds[2] = {0, 0};
  double change() const { return std::abs(seconds[1] - seconds[0]); }
};

std::vector<Pair> pairs_of(const Json (&runs)[2]) {
  std::map<std::string, Pair> known;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const Json& row : runs[i].at("rows")) {
      Pair& pair = known[row.at("function")];
      pair.calls[i] += row.at("calls").get<std::int64_t>();
      if (row.at("mean").is_number()) pair.seconds[i] += row.at("mean").get<double>();
    }
  }
  std::vector<Pair> pairs;
  for (auto& [function, pair] : known) {
    pair.function = function;
    pairs.push_back(pair);
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.change() > b.change(); });
  return pairs;
}

}  // namespace

std::string both(const std::string& before, const std::string& after) {
  Json json = Json::parse(after), other = Json::parse(before);
  other.erase("by_rank");
  json["before"] = other;
  return json.dump();
}

std::string differences(const std::string& before, const std::string& after, std::size_t most_rows) {
  const Json runs[2] = {Json::parse(before), Json::parse(after)};
  std::string text = fmt::format("{:<24}{:>12}{:>12}{:>12}{:>12}\n", "", "before", "after", "calls", "calls");
  text += fmt::format("{:<24}{:>12.3f}{:>12.3f}\n", "whole run, s", runs[0].at("seconds").get<double>(),
                      runs[1].at("seconds").get<double>());
  const auto inside = [](const Json& run) {
    return run.at("mpi_seconds").get<double>() / run.at("ranks").get<double>();
  };
  text += fmt::format("{:<24}{:>12.3f}{:>12.3f}\n", "in MPI, s per rank", inside(runs[0]), inside(runs[1]));
  const auto pairs = pairs_of(runs);
  for (std::size_t i = 0; i < std::min(most_rows, pairs.size()); ++i) {
    const Pair& pair = pairs[i];
    text += fmt::format("{:<24}{:>12.4f}{:>12.4f}{:>12}{:>12}\n", pair.function, pair.seconds[0], pair.seconds[1],
                        pair.calls[0], pair.calls[1]);
  }
  return text;
}

std::string differences_as_json(const std::string& before, const std::string& after) {
  const Json runs[2] = {Json::parse(before), Json::parse(after)};
  Json json{{"seconds", {runs[0].at("seconds"), runs[1].at("seconds")}},
            {"mpi_seconds", {runs[0].at("mpi_seconds"), runs[1].at("mpi_seconds")}}};
  for (const Pair& pair : pairs_of(runs))
    json["functions"][pair.function] = {{"calls", pair.calls}, {"mean", pair.seconds}};
  return json.dump() + "\n";
}

}  // namespace seiche::profile
