// SPDX-License-Identifier: BSD-3-Clause
/// \file  MPI's own functions behind ours. The library is not linked to MPI: it is preloaded into programs whose MPI
/// library may come late (a module of Python) and from anywhere, and into scripts that have none.
#pragma once

#include <mpi.h>

#include <atomic>

namespace seiche::profile {

/// The next definition of a name after ours; ends the program with a sentence where there is none.
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

/// MPI's function, without a reference to it that the linker would have to resolve.
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
