// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all simulated processes share: one disk, the rates of the machine, and the queues of messages that
/// nobody expected yet. Its own library, since each simulated process has a copy of everything else.
#pragma once

#include <cstdint>

namespace seiche::simulation {

/// A number of the machine from the environment variable SEICHE_MACHINE ("flops=1e9 disk=144e6 copy=5e9 queue=0"),
/// which must name them all.
struct Machine {
  double flops;  ///< of one process, in lines: operations per second
  double disk;   ///< bytes per second, of all processes together
  double copy;   ///< bytes per second, of one process that packs
  double queue;  ///< seconds for each message that a receive looks at before it finds its own
};
const Machine& machine();

/// When the one disk has moved these bytes: what was asked for before comes first.
double disk_until(double not_before, std::int64_t bytes);

/// A message from one process to another has been sent; it waits for its receive.
void arrives(int receiver, int sender);
/// How many messages the receiver looks at to find the first one from `sender`, which is taken away; 0 if it is not
/// there.
std::int64_t match(int receiver, int sender);

}  // namespace seiche::simulation
