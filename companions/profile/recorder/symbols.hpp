// SPDX-License-Identifier: BSD-3-Clause
/// \file  The MPI functions behind the wrappers. The recorder is not linked to MPI: it is preloaded into programs whose
/// MPI library may be loaded later (a Python module) and from any path, and into scripts without MPI.
#pragma once

#include <mpi.h>

#include <atomic>

namespace seiche::profile {

/// Returns the next definition of a name after the wrapper; aborts with a message if there is none.
void* resolve(const char* name);

class Symbol {
 public:
  explicit constexpr Symbol(const char* name) : name_(name) {}
  void* get() {
    void* known = address_.load(std::memory_order_relaxed);
    if (known == nullptr) address_.store(known = resolve(name_), std::memory_order_relaxed);
    return known;
  }

 private:
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

/// The MPI function, without a reference that the linker must resolve.
#define REAL(name)                                                    \
  (reinterpret_cast<decltype(&PMPI_##name)>([]() {                    \
    static constinit ::seiche::profile::Symbol symbol("PMPI_" #name); \
    return symbol.get();                                              \
  }()))

MPI_Comm world();
MPI_Comm no_communicator();
MPI_Request no_request();
MPI_Datatype no_type();
MPI_Datatype byte_type();
MPI_Comm comm_from_fortran(MPI_Fint handle);
MPI_Datatype type_from_fortran(MPI_Fint handle);
MPI_Fint no_request_in_fortran();
bool is_in_place_of_fortran(const void* buffer);
bool is_ignored_status_of_fortran(const void* status);

}  // namespace seiche::profile
