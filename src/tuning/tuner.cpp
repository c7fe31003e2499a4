// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/tuner.hpp"

#include <algorithm>
#include <cstdint>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "interface/tuning_members.hpp"
#include "support/formatted.hpp"
#include "tuning/policy.hpp"

namespace seiche {

namespace {

constexpr double hopeless = 1.15;  // relative to the best
constexpr double gain_to_switch = 0.02;
constexpr double short_run = 0.01;  // seconds; longer runs do not need a warm cache
constexpr int fewest_rounds = 3, most_rounds = 25;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}
double median_of(const std::vector<double>& values) { return quantile(values, 0.5); }

/// Returns the ratios of a candidate's times to the times of the first one in the same rounds. This cancels variations
/// of the machine's speed.
std::vector<double> ratios_of(const std::vector<double>& candidate, const std::vector<double>& plain) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < candidate.size(); ++round) ratios.push_back(candidate[round] / plain[round]);
  return ratios;
}

/// Returns a pseudo-random delay of this rank in a round, 0 to 1, equal for all candidates.
double delay(int rank, int round) {
  std::uint64_t state = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(1 + rank + 7919 * round);
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((state ^ (state >> 31)) >> 11) * 0x1p-53;
}

/// Collective. Returns the time from a barrier until the last rank has finished.
double timed(const Communicator& comm, const Candidate& candidate, const TrialConditions& conditions, double late) {
  check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const double start = conditions.clock();
  while (conditions.clock() - start < late) {
  }
  candidate.run();
  return maximum(comm, conditions.clock() - start);
}

}  // namespace

void add_request(EqualArguments& same, const TuneRequest& request) {
  require_sound(request);
  same.add_options(request).add("skew", request.skew);
}

std::string in_words(const Settings& settings, const Settings& plain) {
  std::string words = settings.at("algorithm");
  for (const auto& [name, value] : settings) {
    if (name != "algorithm" && plain.at(name) != value) words += formatted(", {} {}", name, value);
  }
  return words;
}

std::size_t fastest(const std::vector<std::vector<double>>& seconds) {
  std::size_t best = 0;
  double least = 1 - gain_to_switch;
  for (std::size_t c = 1; c < seconds.size(); ++c) {
    const auto ratios = ratios_of(seconds[c], seconds[0]);
    if (median_of(ratios) > least || quantile(ratios, 0.75) >= 1) continue;
    best = c;
    least = median_of(ratios);
  }
  return best;
}

Verdict choose(const Communicator& comm, const std::vector<Candidate>& candidates, const TrialConditions& conditions) {
  const double start = conditions.clock();
  std::vector<std::vector<double>> seconds(candidates.size());
  std::vector<double> medians(candidates.size(), 0);
  std::vector<bool> dropped(candidates.size(), false);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (dropped[c]) continue;
      if (round == 0 || medians[c] < short_run) candidates[c].run();  // warms up plans and caches
      seconds[c].push_back(timed(comm, candidates[c], conditions, conditions.skew * delay(comm.rank(), round)));
      medians[c] = median_of(seconds[c]);
      if (conditions.on_progress) {
        const double rounds = static_cast<double>(round) / most_rounds;
        conditions.on_progress(std::clamp((conditions.clock() - start) / conditions.budget, rounds, 1.0));
      }
    }
    const double best = *std::min_element(medians.begin(), medians.end());
    for (std::size_t c = 1; round + 1 >= fewest_rounds && c < candidates.size(); ++c) {
      // compares the best round, so that a disturbance of the machine drops no candidate
      dropped[c] = dropped[c] || *std::min_element(seconds[c].begin(), seconds[c].end()) > hopeless * best;
    }
    const bool over = maximum(comm, conditions.clock() - start) > conditions.budget;
    if (over && round + 1 >= fewest_rounds) break;
  }
  Verdict verdict;
  verdict.seconds = medians;
  for (const auto& one : seconds) verdict.rounds.push_back(static_cast<int>(one.size()));
  verdict.best = fastest(seconds);
  return verdict;
}

}  // namespace seiche
