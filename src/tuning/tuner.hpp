// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chooses among ways to do the same work by doing it, under the arrival skew of the program that will do it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "trace/timeline.hpp"

namespace seiche {

/// One way to do the work; run() is collective. The first candidate is the plain one, which others have to beat.
struct Candidate {
  std::string name;
  std::function<void()> run;
};

struct TrialConditions {
  double budget = 5;  ///< seconds for all trials together, kept within one round
  double skew = 0;    ///< seconds by which ranks arrive apart, at most; each round draws its own delays
  std::function<double()> clock = timeline::now;  ///< in seconds
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

}  // namespace seiche
