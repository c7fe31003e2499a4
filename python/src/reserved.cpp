// SPDX-License-Identifier: BSD-3-Clause
#include "reserved.hpp"

#include <seiche/error.hpp>

#include <map>
#include <thread>

namespace seiche::python {

namespace {

struct Owner {
  std::thread::id thread;
  int calls = 0;  // more than one where a function that a call calls makes calls of its own
};

/// Guarded by Python's lock. Never freed, since threads may be in calls when the process ends.
std::map<MPI_Comm, Owner>& owners() {
  static auto* all = new std::map<MPI_Comm, Owner>;
  return *all;
}

void require_free(MPI_Comm comm) {
  const auto found = owners().find(comm);
  if (found == owners().end() || found->second.thread == std::this_thread::get_id()) return;
  throw Error(Fault::bad_argument,
              "python: another thread is in a call on this communicator; give each thread a communicator of its own "
              "(comm.Dup()), or let threads take turns");
}

}  // namespace

Reserved::Reserved(MPI_Comm comm) : comm_(comm) {
  require_free(comm);
  Owner& owner = owners()[comm];
  owner.thread = std::this_thread::get_id();
  ++owner.calls;
}

Reserved::~Reserved() {
  const auto found = owners().find(comm_);
  if (--found->second.calls == 0) owners().erase(found);
}

void require_free(const Communicator& comm) { require_free(comm.get()); }

}  // namespace seiche::python
