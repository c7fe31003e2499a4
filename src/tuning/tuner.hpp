// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chooses among ways to do the same work by doing it, under the arrival skew of the program that will do it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "pipeline/arrival_skew.hpp"
#include "seiche/communicator.hpp"
#include "seiche/tuning.hpp"
#include "trace/timeline.hpp"
#include "tuning/tuning_file.hpp"

namespace seiche {

/// One way to do the work; run() is collective. The first candidate is the plain one, which others have to beat.
struct Candidate {
  std::string name;
  std::function<void()> run;
};

struct TrialConditions {
  double budget = 5;  ///< seconds for all trials together, kept within one round
  double skew = 0;    ///< seconds by which ranks arrive apart, at most; each round draws its own delays
  std::function<double()> clock = timeline::now;   ///< in seconds
  std::function<void(double done)> on_progress{};  ///< called after each round of each candidate, 0 to 1
};

struct Verdict {
  std::size_t best = 0;
  std::vector<double> seconds;  ///< median of each candidate, delays included; of few rounds for those soon dropped
  std::vector<int> rounds;
};

/// The candidate with the smallest median of its rounds' ratios to the plain one, the first, if it gains 2 % or more
/// and is faster in three rounds of four; else the plain one. Candidates may have fewer rounds than the plain one.
std::size_t fastest(const std::vector<std::vector<double>>& seconds);

/// Collective. Rounds of all that may still win, in turn; those whose best round is 15 % behind the best are dropped
/// after three. The verdict is that of fastest().
Verdict choose(const Communicator& comm, const std::vector<Candidate>& candidates, const TrialConditions& conditions);

/// Work that can be done in several ways.
template <class Options>
struct Tunable {
  std::string tuned_case;
  std::vector<Options> first;                                             ///< the plain ones before others
  std::function<std::vector<Options>(const Options& winner)> variations;  ///< of the winner, one setting changed
  std::function<std::function<void()>(const Options&)> make_run;          ///< Collective, and so is what it makes
};

/// The algorithm, and the other settings where they are not those of `plain`.
std::string in_words(const Settings& settings, const Settings& plain);

/// Collective. First among all that differ much, then among the winner and its variations; what won is written to the
/// tuning file as settings_of() it. \throws Error(unwritable) when the file cannot be written
template <class Options>
TuneReport<Options> tune(const Communicator& comm, const Tunable<Options>& work, const TuneRequest& request,
                         const std::function<double()>& clock = timeline::now) {
  TuneReport<Options> report{
      work.tuned_case, request.skew.value_or(kept_on<ArrivalSkew>(comm).skew()), work.first.front(), {}};
  const Settings plain = settings_of(report.options);
  for (const double before : {0.0, 0.5}) {
    std::vector<Options> all = work.first;
    if (before > 0) {
      all = work.variations(report.options);
      all.insert(all.begin(), report.options);
    }
    std::vector<Candidate> candidates;
    for (const Options& one : all) candidates.push_back({in_words(settings_of(one), plain), work.make_run(one)});
    const auto shown = [&](double done) {
      if (request.on_progress) request.on_progress(before + done / 2);
    };
    const Verdict verdict = choose(comm, candidates, {request.budget / 2, report.skew, clock, shown});
    for (std::size_t c = 0; c < all.size(); ++c) {
      report.trials.push_back({candidates[c].name, verdict.seconds[c], verdict.rounds[c]});
    }
    report.options = all[verdict.best];
  }
  on_root(comm, [&] { write_tuning(tuning_path(), report.tuned_case, settings_of(report.options)); });
  return report;
}

}  // namespace seiche
