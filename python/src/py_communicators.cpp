// SPDX-License-Identifier: BSD-3-Clause
#include "py_communicators.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

namespace seiche::python {

namespace {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

/// Starts MPI if mpi4py does not. If mpi4py is imported later, it does not finalize MPI.
void start_mpi() {
  if (mpi_state() != MpiState::not_started) return;
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
    throw Error(Fault::mpi, "python: MPI could not be initialized: run `mpiexec -n 1 true` to see the cause");
  }
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    if (mpi_state() == MpiState::running) MPI_Finalize();
  }));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\n\t")); }

void require_same_library(const nb::object& mpi4py) {
  const auto theirs = nb::cast<std::string>(mpi4py.attr("Get_library_version")());
  if (theirs == library_version()) return;
  throw Error(Fault::unsupported, "python: comm belongs to " + first_line(theirs) + " (from mpi4py), but seiche uses " +
                                      first_line(library_version()) +
                                      "; install both for one MPI library, e.g. with MPI4PY_MPIABI or LD_LIBRARY_PATH");
}

/// MPI_Comm is a pointer or an int, depending on the MPI library.
MPI_Comm of_address(std::uintptr_t value) { return (MPI_Comm)value; }

#ifdef MPI_ABI  // its mpi.h has no functions for Fortran handles
using FortranHandle = int;
MPI_Comm of_fortran(FortranHandle value) { return MPI_Comm_fromint(value); }
#else
using FortranHandle = MPI_Fint;
MPI_Comm of_fortran(FortranHandle value) { return MPI_Comm_f2c(value); }
#endif

/// Converts Fortran's handle. An integer too large for it is an MPI_Comm. \throws TypeError for other types
MPI_Comm of_integer(nb::handle given) {
  const auto value = nb::cast<std::intptr_t>(given);
  using Limits = std::numeric_limits<FortranHandle>;
  const bool is_fortran = value >= Limits::min() && value <= Limits::max();
  return is_fortran ? of_fortran(static_cast<FortranHandle>(value)) : of_address(static_cast<std::uintptr_t>(value));
}

/// Converts an MPI_Comm given as an integer, or as None for a null pointer.
MPI_Comm of_value(nb::handle given) {
  return of_address(given.is_none() ? 0 : static_cast<std::uintptr_t>(nb::cast<std::intptr_t>(given)));
}

bool is_one_of_mpi4py(const Comm& comm) {
  const nb::object loaded = nb::module_::import_("sys").attr("modules").attr("get")("mpi4py.MPI");
  if (loaded.is_none() || !nb::isinstance(comm, loaded.attr("Comm"))) return false;
  require_same_library(loaded);
  return true;
}

MPI_Comm of_mpi4py(const Comm& comm) {
  const nb::object address = nb::module_::import_("mpi4py.MPI").attr("_addressof")(comm);
  return *reinterpret_cast<MPI_Comm*>(nb::cast<std::uintptr_t>(address));
}

MPI_Comm of_others(const Comm& comm) {
  try {
    if (nb::isinstance<nb::int_>(comm)) return of_integer(comm);
    if (nb::hasattr(comm, "py2f")) return of_integer(comm.attr("py2f")());
    if (nb::hasattr(comm, "handle")) return of_value(comm.attr("handle"));
    if (nb::isinstance(comm, nb::module_::import_("ctypes").attr("_SimpleCData"))) return of_value(comm.attr("value"));
  } catch (const nb::cast_error&) {  // not an integer
  }
  throw TypeError(
      "comm must be an mpi4py communicator, or None for all processes, not " + type_name_of(comm) +
      "; others are accepted as an object with py2f() or `handle`, as Fortran's integer, or as MPI_Comm in ctypes");
}

/// Returns the MPI handle. Starts MPI if necessary.
MPI_Comm raw_communicator(const Comm& comm) {
  if (comm.is_none()) {
    start_mpi();
    require_mpi();
    return MPI_COMM_WORLD;
  }
  const bool one_of_mpi4py = is_one_of_mpi4py(comm);
  require_mpi();
  const MPI_Comm raw = one_of_mpi4py ? of_mpi4py(comm) : of_others(comm);
  if (raw == MPI_COMM_NULL || raw == MPI_Comm{}) {
    throw BadArgument("comm is COMM_NULL: pass a valid communicator, and only on its members");
  }
  int between_groups = 0;
  MPI_Comm_test_inter(raw, &between_groups);
  if (between_groups) throw BadArgument("comm is an intercommunicator: call Merge() first");
  return raw;
}

}  // namespace

Communicator communicator(const Comm& comm) {
  const MPI_Comm raw = raw_communicator(comm);
  const Reserved reserved(raw);
  const nb::gil_scoped_release released;
  return Communicator(raw);
}

void bind_mpi(nb::module_& module) {
  module.def("mpi_library", &library_version,
             R"(Returns the version string of the MPI library that seiche uses. Local.)");
}

}  // namespace seiche::python
