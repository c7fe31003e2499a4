// SPDX-License-Identifier: BSD-3-Clause
/// \file  How a simulated process spends time: its own, or that of a job in the background.
#pragma once

#include <cstdint>

namespace seiche::simulation {

/// While one lives, what is done takes the time of a job in the background, which begins when the jobs before it have
/// ended; the process itself spends none.
class BackgroundJob {
 public:
  /// \param not_before  when its thread is done with what it was given before
  explicit BackgroundJob(double not_before);
  ~BackgroundJob();
  BackgroundJob(const BackgroundJob&) = delete;
  BackgroundJob& operator=(const BackgroundJob&) = delete;
  double end() const { return now_; }

 private:
  friend void wait_until(double time);
  friend void compute(double seconds);
  friend void use_disk(std::int64_t bytes);
  double now_;
  BackgroundJob* outer_;
};

/// Of the simulation, in seconds from its beginning.
double now();
void wait_until(double time);
void compute(double seconds);
/// Reads or writes bytes of the one disk.
void use_disk(std::int64_t bytes);
/// Copies in memory; small ones are charged together.
void copy(std::int64_t bytes);

}  // namespace seiche::simulation
