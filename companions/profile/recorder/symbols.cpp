// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/symbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace seiche::profile {

namespace {

struct Search {
  const char* name;
  void* found;
};

/// RTLD_NEXT does not find libraries that a module has loaded privately.
int look_into(dl_phdr_info* info, std::size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* base = std::strrchr(info->dlpi_name, '/');
  if (base == nullptr || std::strncmp(base, "/libmpi", 7) != 0) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  search->found = dlsym(library, search->name);
  dlclose(library);  // the library was loaded before and stays loaded
  return search->found != nullptr ? 1 : 0;
}

void* find_anywhere(const char* name) {
  Search search{name, nullptr};
  dl_iterate_phdr(look_into, &search);
  return search.found;
}

}  // namespace

static void* find(const char* name) {
  if (void* next = dlsym(RTLD_NEXT, name)) return next;
  return find_anywhere(name);
}

/// A program may hold its own copy of a library's variable, which all modules then use.
static void* find_variable(const char* name) {
  if (void* first = dlsym(RTLD_DEFAULT, name)) return first;
  return find_anywhere(name);
}

void* resolve(const char* name) {
  void* found = find(name);
  if (found == nullptr) {
    std::fprintf(stderr, "seiche profile: the MPI library has no %s: check that it is the library of --mpi\n", name);
    std::abort();
  }
  return found;
}

#ifdef OPEN_MPI
namespace {
template <class Handle>
Handle constant(const char* name) {
  return reinterpret_cast<Handle>(find_variable(name));
}
}  // namespace
MPI_Comm world() { return constant<MPI_Comm>("ompi_mpi_comm_world"); }
MPI_Comm no_communicator() {
  static const auto value = constant<MPI_Comm>("ompi_mpi_comm_null");
  return value;
}
MPI_Request no_request() {
  static const auto value = constant<MPI_Request>("ompi_request_null");
  return value;
}
MPI_Datatype no_type() {
  static const auto value = constant<MPI_Datatype>("ompi_mpi_datatype_null");
  return value;
}
MPI_Datatype byte_type() { return constant<MPI_Datatype>("ompi_mpi_byte"); }
MPI_Comm comm_from_fortran(MPI_Fint handle) { return REAL(Comm_f2c)(handle); }
MPI_Datatype type_from_fortran(MPI_Fint handle) { return REAL(Type_f2c)(handle); }
MPI_Fint no_request_in_fortran() {
  static const MPI_Fint value = REAL(Request_c2f)(no_request());
  return value;
}
bool is_in_place_of_fortran(const void* buffer) {
  static const void* const here = find_variable("mpi_fortran_in_place_");
  return here != nullptr && buffer == here;
}
bool is_ignored_status_of_fortran(const void* status) {
  static const void* const here = find_variable("mpi_fortran_status_ignore_");
  return status == nullptr || status == here;
}
#else
MPI_Comm world() { return MPI_COMM_WORLD; }
MPI_Comm no_communicator() { return MPI_COMM_NULL; }
MPI_Request no_request() { return MPI_REQUEST_NULL; }
MPI_Datatype no_type() { return MPI_DATATYPE_NULL; }
MPI_Datatype byte_type() { return MPI_BYTE; }
MPI_Comm comm_from_fortran(MPI_Fint handle) { return handle; }
MPI_Datatype type_from_fortran(MPI_Fint handle) { return handle; }
MPI_Fint no_request_in_fortran() { return MPI_REQUEST_NULL; }
namespace {
/// MPICH stores the addresses of Fortran constants in its own variables.
bool is_at(const char* variable, const void* address) {
  auto* const place = static_cast<void**>(find_variable(variable));
  return place != nullptr && *place == address;
}
}  // namespace
bool is_in_place_of_fortran(const void* buffer) {
  return is_at("MPIR_F_MPI_IN_PLACE", buffer) || buffer == find_variable("MPIR_F08_MPI_IN_PLACE");
}
bool is_ignored_status_of_fortran(const void* status) {
  return is_at("MPI_F_STATUS_IGNORE", status) || status == find_variable("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
}
#endif

}  // namespace seiche::profile
