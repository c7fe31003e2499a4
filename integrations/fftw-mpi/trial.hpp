// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which of two ways runs a plan, found out while the program uses it. FFTW's own runs until its executions have
/// taken a second, since ours costs its making; then ten executions take turns.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>

namespace seiche::fftw_mpi {

class Trial {
 public:
  /// Collective, after each execution by FFTW's until the turns begin: whether they begin now. `seconds`: of the last
  /// execution. Processes agree after 1, 2, 4, 8 ... executions.
  bool begins(double seconds, MPI_Comm comm) {
    waited_ += seconds;
    if (!std::has_single_bit(++executions_)) return false;
    double slowest = 0;
    MPI_Allreduce(&waited_, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest >= worth_a_trial;
  }

  bool over() const { return turns_ == last_turn; }
  /// Of the next turn; when all were taken, the verdict.
  bool ours() const { return over() ? seconds_[0] <= seconds_[1] : turns_ % 2 == 0; }

  /// Collective, after each turn. The first ones of both make what they keep, and are not counted; the verdict is for
  /// the way whose turns took less on the slowest rank.
  void took(double seconds, MPI_Comm comm) {
    if (turns_ >= 2) seconds_[turns_ % 2] += seconds;
    if (++turns_ == last_turn) MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), 2, MPI_DOUBLE, MPI_MAX, comm);
  }

 private:
  static constexpr std::size_t last_turn = 10;
  static constexpr double worth_a_trial = 1;  // seconds: what takes less gets back too little

  std::size_t executions_ = 0, turns_ = 0;
  double waited_ = 0;
  std::array<double, 2> seconds_{};  // of ours, of FFTW's
};

}  // namespace seiche::fftw_mpi
