// SPDX-License-Identifier: BSD-3-Clause
#include "time.hpp"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <algorithm>

#include "machine.hpp"

namespace seiche::simulation {

namespace {
BackgroundJob* current = nullptr;
std::int64_t calls = 0;  // of compute() and copy()
}  // namespace

BackgroundJob::BackgroundJob(double not_before)
    : now_(std::max(not_before, current ? current->now_ : now())), outer_(current) {
  current = this;
}
BackgroundJob::~BackgroundJob() { current = outer_; }

double now() { return simgrid_get_clock(); }

void wait_until(double time) {
  if (current) {
    current->now_ = std::max(current->now_, time);
  } else if (time > now()) {
    sg_actor_sleep_for(time - now());
  }
}

std::int64_t work_done() { return calls; }

void compute(double seconds) {
  ++calls;
  if (current) {
    current->now_ += seconds;
  } else {
    sg_actor_sleep_for(seconds);  // each process has a core; SimGrid needs more time for computing actors
  }
}

void use_disk(std::int64_t bytes) {
  if (bytes > 0) wait_until(disk_until(current ? current->now_ : now(), bytes));
}

void copy(std::int64_t bytes) {
  constexpr double least = 1e-6;
  static double owed = 0;
  ++calls;
  owed += static_cast<double>(bytes) / machine().copy;
  if (owed < least) return;
  compute(owed);
  owed = 0;
}

}  // namespace seiche::simulation
