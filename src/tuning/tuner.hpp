// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of the fastest candidate by timing, with the arrival skew of the program.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "comm/equal_arguments.hpp"
#include "pipeline/arrival_skew.hpp"
#include "seiche/communicator.hpp"
#include "seiche/tuning.hpp"
#include "trace/timeline.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {

/// A candidate; run() is collective. The first candidate is the reference.
struct Candidate {
  std::string name;
  std::function<void()> run;
};

struct TrialConditions {
  double budget = 5;                               ///< seconds for all trials, exceeded by one round at most
  double skew = 0;                                 ///< largest delay of ranks, seconds; each round has its own delays
  std::function<double()> clock = timeline::now;   ///< time in seconds
  std::function<void(double done)> on_progress{};  ///< called after each round of each candidate, 0 to 1
};

struct Verdict {
  std::size_t best = 0;
  std::vector<double> seconds;  ///< median of each candidate, including delays
  std::vector<int> rounds;
};

/// Returns the candidate with the smallest median ratio to the first one. It must gain at least 2 % and be faster in
/// three of four rounds; otherwise the first candidate is returned. Candidates may have fewer rounds than the first.
std::size_t fastest(const std::vector<std::vector<double>>& seconds);

/// Collective. Times all candidates in rounds. Candidates whose best round is 15 % slower than the best median are
/// dropped after three rounds. The result is fastest().
Verdict choose(const Communicator& comm, const std::vector<Candidate>& candidates, const TrialConditions& conditions);

/// Work with several settings.
template <class Options>
struct Tunable {
  std::string tuned_case;
  std::vector<Options> first;  ///< first candidates; the first one is the reference
  std::function<std::vector<Options>(const Options& winner)> variations;  ///< winner with one setting changed
  std::function<std::function<void()>(const Options&)> make_run;          ///< Collective, and so is its result
  /// Winner with other distributions of the data. They are reported, and not written to the tuning file.
  std::function<std::vector<Options>(const Options& winner)> layouts = nullptr;
};

/// Checks a request, and adds it to the arguments that must be equal on all ranks. \throws Error for invalid values
void add_request(EqualArguments& same, const TuneRequest& request);

/// Returns the algorithm, and other settings that differ from `plain`.
std::string in_words(const Settings& settings, const Settings& plain);

/// Collective. Times the first candidates, then the winner and its variations, then other layouts. Writes the fastest
/// settings of the first two stages to the tuning file. \throws Error(unwritable) if the file cannot be written
template <class Options>
TuneReport<Options> tune(const Communicator& comm, const Tunable<Options>& work, const TuneRequest& request,
                         const std::function<double()>& clock = timeline::now) {
  TuneReport<Options> report{
      work.tuned_case, request.skew.value_or(kept_on<ArrivalSkew>(comm).skew()), work.first.front(), {}};
  const Settings plain = settings_of(report.options);
  Settings written = plain;
  const int stages = work.layouts ? 3 : 2;
  for (int stage = 0; stage < stages; ++stage) {
    std::vector<Options> all = work.first;
    if (stage > 0) {
      all = stage == 1 ? work.variations(report.options) : work.layouts(report.options);
      all.insert(all.begin(), report.options);
    }
    const auto shown = [&](double done) {
      if (request.on_progress) together(comm, [&] { request.on_progress((stage + done) / stages); });
    };
    if (stage > 0 && all.size() == 1) {  // nothing to compare
      shown(1);
      continue;
    }
    std::vector<Candidate> candidates;
    for (const Options& one : all) candidates.push_back({in_words(settings_of(one), plain), work.make_run(one)});
    const Verdict verdict = choose(comm, candidates, {request.budget / stages, report.skew, clock, shown});
    for (std::size_t c = 0; c < all.size(); ++c) {
      report.trials.push_back({candidates[c].name, verdict.seconds[c], verdict.rounds[c]});
    }
    report.options = all[verdict.best];
    if (stage < 2) written = settings_of(report.options);
  }
  on_root(comm, [&] { write_tuning(tuning_path(), report.tuned_case, written); });
  return report;
}

}  // namespace seiche
