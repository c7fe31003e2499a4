// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads bands of a file whose header and waves are already known, in steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "files/bands/file_endpoints.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "orbitals/redistribution.hpp"

namespace seiche {

/// Collective. Returns all waves of a task's k-point on the ranks with `wanted`. One rank reads and sends them, because
/// reading the list on hundreds of ranks would take longer than reading the bands. A communicator for each set of ranks
/// would exceed the limit of MPI.
std::vector<Miller> told_plane_waves(const Communicator& comm, const WaveTable& table, const MoveTask& task,
                                     bool wanted);

/// A file that is read into memory whose waves are known, in steps.
class Restart {
 public:
  /// Collective. Checks that the file has the states of `header`.
  Restart(const Communicator& comm, const OrbitalHeader& header, const WaveTable& table, const MoveOptions& options);
  Restart(const Restart&) = delete;
  Restart& operator=(const Restart&) = delete;

  /// Collective. Checks the waves, and starts to read. `tasks` have the holdings of the memory in `from`. `parts` has
  /// one entry per task, null if this rank has no part. `target` stores them.
  void begin(std::vector<MoveTask> tasks, const std::vector<OrbitalPart*>& parts, std::unique_ptr<Endpoint> target);
  bool progress() { return carrier_->progress(); }  ///< Local.
  void complete() { carrier_->complete(); }         ///< Collective.

 private:
  void require_waves(const std::vector<OrbitalPart*>& parts);

  Communicator comm_;
  WaveTable table_;  // a copy, so that the file may be closed
  MoveOptions options_;
  std::vector<MoveTask> tasks_;
  std::optional<FileReader> source_;
  std::unique_ptr<Endpoint> target_;
  std::optional<Carrier> carrier_;
};

}  // namespace seiche
