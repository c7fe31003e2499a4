// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cost of the program's all-to-alls with other exchange algorithms, measured on its ranks after the run.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "replay/replay_plan.hpp"
#include "report/launch_program.hpp"
#include "report/model.hpp"

namespace seiche::profile {

/// The all-to-alls of one call site that exchange the same sizes.
struct Exchanged {
  int row = 0;
  double calls = 0;    ///< per rank
  double seconds = 0;  ///< per call in the run, from the last arrival to the last return
  Batch groups;
};

/// Seconds per call, of the measured rounds.
struct Timed {
  std::string algorithm;
  std::array<double, 4> spread;  ///< minimum, lower quartile, median, upper quartile
  double least() const { return spread[0]; }
  double lower() const { return spread[1]; }
  double median() const { return spread[2]; }
  double upper() const { return spread[3]; }
};

/// The replay of an exchange with all methods, sorted by median.
struct Advice {
  Exchanged what;
  std::vector<Timed> algorithms;
  std::vector<std::pair<std::string, std::string>> obstacles;
  const Timed& as_it_is() const;
  const Timed& best() const { return algorithms.front(); }
  /// Returns whether the best method is a tenth faster, at its minimum and in three of four rounds. On a busy machine
  /// the median alone may depend on the scheduling of cores.
  bool is_told() const;
  double saves() const;  ///< seconds of the run saved by the best method; 0 if it is not recommended
};

/// Returns the all-to-alls with the most time, at most `most`.
std::vector<Exchanged> exchanges_of(const Run& run, std::size_t most);
/// Replays them with the launcher of the program, with records in `launch.directory`. \throws Error on failure
std::vector<Advice> advise(const Run& run, const Launch& launch);
/// Returns one sentence for each.
std::vector<std::string> sentences(const Run& run, const std::vector<Advice>& all);
std::string table(const Run& run, const std::vector<Advice>& all);
/// Returns the data of a page with the advice added.
std::string with_advice(const std::string& data, const Run& run, const std::vector<Advice>& all);

}  // namespace seiche::profile
