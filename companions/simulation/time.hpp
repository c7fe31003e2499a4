// SPDX-License-Identifier: BSD-3-Clause
/// \file  Time of a simulated process, spent by itself or by a background job.
#pragma once

#include <cstdint>

namespace seiche::simulation {

/// While an object exists, operations take the time of a background job, which starts when the jobs before it have
/// ended. The process itself spends no time.
class BackgroundJob {
 public:
  /// \param not_before  end of the earlier jobs of its thread
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

/// Returns the time of the simulation in seconds since its start.
double now();
void wait_until(double time);
void compute(double seconds);
/// Returns the number of calls of compute() and copy() of this process.
std::int64_t work_done();
/// Reads or writes bytes of the shared disk.
void use_disk(std::int64_t bytes);
/// Copies in memory. The time of small copies is charged in sums.
void copy(std::int64_t bytes);

}  // namespace seiche::simulation
