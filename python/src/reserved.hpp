// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which thread is in a call on which communicator: one thread at a time.
/// Ranks match collective calls by their order, and objects on one communicator share what the library caches there.
#pragma once

#include <seiche/communicator.hpp>

namespace seiche::python {

/// Reserves a communicator for the calling thread while it lives. Made and destroyed with Python's lock. The same
/// thread may reserve it again. \throws Error on this rank alone while another thread has it
class Reserved {
 public:
  explicit Reserved(MPI_Comm comm);
  explicit Reserved(const Communicator& comm) : Reserved(comm.get()) {}
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

 private:
  MPI_Comm comm_;
};

/// With Python's lock. \throws Error on this rank alone while another thread is in a call on `comm`
void require_free(const Communicator& comm);

}  // namespace seiche::python
