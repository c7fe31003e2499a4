// SPDX-License-Identifier: BSD-3-Clause
/// \file  State shared by all simulated processes: one disk, the rates of the machine, and the queues of unexpected
/// messages. It is a separate library, because each simulated process has a copy of all other code.
#pragma once

#include <cstdint>

namespace seiche::simulation {

/// The numbers of the machine in the environment variable SEICHE_MACHINE ("flops=1e9 disk=144e6 copy=5e9 queue=0"),
/// which must contain all of them.
struct Machine {
  double flops;  ///< of one process in 1D FFTs: operations per second
  double disk;   ///< bytes per second of all processes together
  double copy;   ///< bytes per second of one process that packs
  double queue;  ///< seconds per message that a receive checks before its own
};
const Machine& machine();

/// Returns the time at which the disk has moved these bytes, in the order of requests.
double disk_until(double not_before, std::int64_t bytes);

/// Adds a sent message, which waits for its receive.
void arrives(int receiver, int sender);
/// Removes the first message from `sender`. Returns the number of messages that the receiver checks before it, or 0 if
/// it is not there.
std::int64_t match(int receiver, int sender);

}  // namespace seiche::simulation
