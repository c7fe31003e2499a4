// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which of two ways runs a plan, found out while the program uses it: its first executions take turns.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace seiche::fftw_mpi {

/// SEICHE_FFTW_MPI=always: ours runs whatever is served, without a trial.
inline bool always_ours() {
  const char* text = std::getenv("SEICHE_FFTW_MPI");
  return text != nullptr && std::string_view(text) == "always";
}

class Trial {
 public:
  /// Collective over `comm`.
  explicit Trial(MPI_Comm comm) : over_(always_ours()) {
    if (!over_) MPI_Comm_dup(comm, &comm_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() { leave(); }

  bool over() const { return over_; }
  /// Whether the next execution is ours.
  bool ours() const { return over_ ? ours_ : turns_ % 2 == 0; }

  /// Collective, after each execution until the trial is over. The first ones of both make what they keep, and are not
  /// counted; then the way is taken whose turns took less on the slowest rank.
  void took(double seconds) {
    if (turns_ >= 2) seconds_[turns_ % 2] += seconds;
    if (++turns_ < last_turn) return;
    MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), 2, MPI_DOUBLE, MPI_MAX, comm_);
    ours_ = seconds_[0] <= seconds_[1];
    over_ = true;
    leave();
  }

 private:
  static constexpr std::size_t last_turn = 10;

  /// A program may destroy its plans after MPI.
  void leave() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (comm_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&comm_);
  }

  bool over_ = false, ours_ = true;
  std::size_t turns_ = 0;
  std::array<double, 2> seconds_{};  // of ours, of FFTW's
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace seiche::fftw_mpi
