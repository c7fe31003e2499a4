// SPDX-License-Identifier: BSD-3-Clause
/// \file  Communicators: duplicates of the caller's communicator that belong to the library.
///
/// Collective functions must be called by all ranks of the communicator. They throw on all ranks or on none. Local
/// functions do not communicate. Functions without either mark are local.
///
/// Threads: one thread at a time may use a communicator and its objects (plans, fields, multipliers, matrices, files,
/// orbitals, densities). Threads that run at the same time need MPI_THREAD_MULTIPLE and a communicator each. Create
/// them beforehand with MPI_Comm_dup in one thread. A single thread needs MPI_THREAD_SINGLE. OpenMP threads of a plan
/// or product need MPI_THREAD_FUNNELED. Progress::thread needs MPI_THREAD_SERIALIZED.
#pragma once

#include <mpi.h>

#include <memory>

#include "seiche/cxx20.hpp"

namespace seiche {

struct CommunicatorBody;

/// A communicator that the library owns. An MPI_Comm converts to it. Copies share one MPI communicator. Duplicates and
/// splits are cached on the caller's communicator and freed with it. One duplicate and one of each different split
/// serve any number of plans.
class Communicator {
 public:
  /// Collective over `theirs`. The caller keeps the ownership of `theirs`.
  /// \throws Error for MPI_COMM_NULL, and if MPI is not running
  Communicator(MPI_Comm theirs);  // NOLINT(google-explicit-constructor)

  /// Collective. Returns the communicator of the ranks with the same `color`, ordered by rank. Results are cached: the
  /// same split needs one small reduction and no new communicator.
  Communicator split(int color) const;
  /// Collective. Returns the communicator of the ranks on the same node, which can share memory.
  Communicator node() const;
  /// Collective. Tells whether all ranks are on one node.
  bool on_one_node() const { return node().size() == size(); }

  int rank() const noexcept;      ///< Rank of this process.
  int size() const noexcept;      ///< Number of ranks.
  MPI_Comm get() const noexcept;  ///< Handle for MPI calls. Do not free it.

 private:
  explicit Communicator(std::shared_ptr<CommunicatorBody> body);
  friend CommunicatorBody& body_of(const Communicator& comm) noexcept;
  std::shared_ptr<CommunicatorBody> body_;
};

}  // namespace seiche
