// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chooses between Seiche and the code that it replaces, by measurement in the running program. The original
/// runs first, because a plan of Seiche takes time to create, and because a program with few executions cannot regain
/// the turns of the slower code. Then both run alternately.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace seiche::integrations {

/// Which code runs: the original, the faster one by a trial, or Seiche.
enum class Use { never, trial, always };

/// Collective. Returns the value of the environment variable of an integration: "never" or "always". Every other value
/// is a trial. The smallest value of all ranks counts.
inline Use use_of(const char* variable, MPI_Comm comm) {
  const char* text = std::getenv(variable);
  const std::string_view value = text ? text : "";
  int use = static_cast<int>(value == "never" ? Use::never : value == "always" ? Use::always : Use::trial);
  MPI_Allreduce(MPI_IN_PLACE, &use, 1, MPI_INT, MPI_MIN, comm);
  return static_cast<Use>(use);
}

class Trial {
 public:
  /// Collective. Call it after each execution by the original until it returns true: then both take turns. `seconds` is
  /// the time of the last execution. Ranks agree after 32, 64, 128 ... executions.
  bool begins(double seconds, MPI_Comm comm) {
    waited_ += seconds;
    if (!std::has_single_bit(++executions_) || executions_ < first_executions) return false;
    double slowest = 0;
    MPI_Allreduce(&waited_, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest >= original_seconds;
  }

  /// Tells whether all turns were taken.
  bool over() const { return turns_ == last_turn; }
  /// Tells whether Seiche runs next. After the last turn, the result is final.
  bool ours() const { return over() ? seconds_[0] <= seconds_[1] : turns_ % 2 == 0; }

  /// Collective. Call it after each turn. The first turns of both are not counted, because they allocate memory. The
  /// way whose turns took less time on the slowest rank is chosen.
  void took(double seconds, MPI_Comm comm) {
    if (turns_ >= 2) seconds_[turns_ % 2] += seconds;
    if (++turns_ == last_turn) MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), 2, MPI_DOUBLE, MPI_MAX, comm);
  }

 private:
  static constexpr std::size_t last_turn = 10;
  // The original runs so long and so often before the turns begin. As many executions are expected to follow.
  static constexpr double original_seconds = 1;
  static constexpr std::size_t first_executions = 2 * last_turn;

  std::size_t executions_ = 0, turns_ = 0;
  double waited_ = 0;
  std::array<double, 2> seconds_{};  // of Seiche, of the original
};

}  // namespace seiche::integrations
