// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/tuner.hpp"

#include <algorithm>
#include <cstdint>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "trace/timeline.hpp"

namespace seiche {

namespace {

constexpr double hopeless = 1.15;  // times the best
constexpr double gain_to_switch = 0.02;
constexpr int fewest_rounds = 3, most_rounds = 25;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The delay of this rank in a round, the same for all candidates: 0 to 1, spread as by throwing dice.
double delay(int rank, int round) {
  std::uint64_t state = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(1 + rank + 7919 * round);
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((state ^ (state >> 31)) >> 11) * 0x1p-53;
}

/// Collective. From the moment at which all are ready until the last has finished.
double timed(const Communicator& comm, const Candidate& candidate, double late) {
  check(MPI_Barrier(comm.get()), "MPI_Barrier");
  const double start = trace::now();
  while (trace::now() - start < late) {
  }
  candidate.run();
  return maximum(comm, trace::now() - start);
}

}  // namespace

Verdict choose(const Communicator& comm, const std::vector<Candidate>& candidates, const TrialConditions& conditions) {
  const double start = trace::now();
  std::vector<std::vector<double>> seconds(candidates.size());
  std::vector<double> medians(candidates.size(), 0);
  std::vector<bool> dropped(candidates.size(), false);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (dropped[c]) continue;
      candidates[c].run();  // what it needs is open and in cache
      seconds[c].push_back(timed(comm, candidates[c], conditions.skew * delay(comm.rank(), round)));
      medians[c] = median_of(seconds[c]);
    }
    const double best = *std::min_element(medians.begin(), medians.end());
    for (std::size_t c = 1; round + 1 >= fewest_rounds && c < candidates.size(); ++c) {
      // by its luckiest round, so that a hiccup of the machine drops nobody
      dropped[c] = dropped[c] || *std::min_element(seconds[c].begin(), seconds[c].end()) > hopeless * best;
    }
    const bool over = maximum(comm, trace::now() - start) > conditions.budget;
    if (over && round + 1 >= fewest_rounds) break;
  }
  Verdict verdict;
  verdict.seconds = medians;
  for (const auto& one : seconds) verdict.rounds.push_back(static_cast<int>(one.size()));
  const auto best = static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  verdict.best = medians[best] <= (1 - gain_to_switch) * medians[0] ? best : 0;
  return verdict;
}

}  // namespace seiche
