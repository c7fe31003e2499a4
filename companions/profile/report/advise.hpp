// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the program's all-to-alls would cost in other ways: measured on its ranks, after it.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "replay/plan.hpp"
#include "report/launch.hpp"
#include "report/model.hpp"

namespace seiche::profile {

/// The all-to-alls of one place that move the same.
struct Exchanged {
  int row = 0;
  double calls = 0;    ///< of a rank
  double seconds = 0;  ///< of a call in the run, from the last rank's arrival to the last one's leaving
  Batch groups;
};

/// Seconds of a call, of the rounds that were measured.
struct Timed {
  std::string way;
  std::array<double, 4> spread;  ///< least, lower quartile, median, upper quartile
  double least() const { return spread[0]; }
  double lower() const { return spread[1]; }
  double median() const { return spread[2]; }
  double upper() const { return spread[3]; }
};

/// What was replayed in which ways, least median first.
struct Advice {
  Exchanged what;
  std::vector<Timed> ways;
  std::vector<std::pair<std::string, std::string>> obstacles;
  const Timed& as_it_is() const;
  const Timed& best() const { return ways.front(); }
  /// Whether the best way is a tenth faster, at its least and in three rounds of four: on a busy machine a median alone
  /// may say who had a core.
  bool is_told() const;
  double saves() const;  ///< seconds of the run, by the best way; 0 where it is not told to be better
};

/// Those with most time in them, at most so many.
std::vector<Exchanged> exchanges_of(const Run& run, std::size_t most);
/// Replays them by the program's launcher, with records in `launch.directory`. \throws Error where that fails
std::vector<Advice> advise(const Run& run, const Launch& launch);
/// One sentence for each.
std::vector<std::string> sentences(const Run& run, const std::vector<Advice>& all);
std::string table(const Run& run, const std::vector<Advice>& all);
/// A page's data with the advice in them.
std::string with_advice(const std::string& data, const Run& run, const std::vector<Advice>& all);

}  // namespace seiche::profile
