// SPDX-License-Identifier: BSD-3-Clause
/// \file  A group of processes that talk to each other: always the library's own duplicate of the caller's.
///
/// Threads: one thread at a time may use a communicator and the objects that lie on it: plans, fields, multipliers,
/// matrices, files, orbitals, densities. Threads that work at the same time need MPI_THREAD_MULTIPLE and communicators
/// of their own (MPI_Comm_dup by one thread, before). With one thread MPI_THREAD_SINGLE suffices; OpenMP threads of a
/// plan or product need MPI_THREAD_FUNNELED, and Progress::thread needs MPI_THREAD_SERIALIZED.
#pragma once

#include <mpi.h>

#include <memory>

namespace seiche {

struct CommunicatorBody;

/// A communicator that the library owns. Copies share it. Duplicates and splits are cached on the caller's
/// communicator, and freed with it: any number of plans makes one duplicate and one of each different split. Where
/// functions take one, an MPI_Comm serves as well.
class Communicator {
 public:
  /// Collective over `theirs`, which stays the caller's. \throws Error for MPI_COMM_NULL, and while MPI is not running
  Communicator(MPI_Comm theirs);  // NOLINT(google-explicit-constructor)

  /// Collective. Ranks with the same `color` form a group, ordered by rank. Cached: the same split made again costs
  /// one small reduction and makes no communicator.
  Communicator split(int color) const;
  /// Collective. The ranks that share this rank's memory (one node).
  Communicator node() const;
  /// Collective. Whether that is all ranks.
  bool on_one_node() const { return node().size() == size(); }

  int rank() const noexcept;
  int size() const noexcept;
  MPI_Comm get() const noexcept;  ///< For MPI calls; never free it.

 private:
  explicit Communicator(std::shared_ptr<CommunicatorBody> body);
  friend CommunicatorBody& body_of(const Communicator& comm) noexcept;
  std::shared_ptr<CommunicatorBody> body_;
};

}  // namespace seiche
