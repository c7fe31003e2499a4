// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

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

/// Without mpi4py nobody else does it. mpi4py, imported later, finds MPI started and leaves its end to us.
void start_mpi() {
  if (mpi_state() != MpiState::not_started) return;
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
    throw Error(Fault::mpi, "python: MPI could not be started; run `mpiexec -n 1 true` to see what it misses");
  }
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    if (mpi_state() == MpiState::running) MPI_Finalize();
  }));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\n\t")); }

void require_same_library(const nb::object& mpi4py) {
  const auto theirs = nb::cast<std::string>(mpi4py.attr("Get_library_version")());
  if (theirs == library_version()) return;
  throw Error(Fault::unsupported, "python: comm is one of " + first_line(theirs) +
                                      ", which mpi4py found, but seiche uses " + first_line(library_version()) +
                                      "; install both for one MPI library, e.g. with MPI4PY_MPIABI or LD_LIBRARY_PATH");
}

/// MPI_Comm is a pointer or an int, as the MPI library has it.
MPI_Comm of_address(std::uintptr_t value) { return (MPI_Comm)value; }

#ifdef MPI_ABI  // its mpi.h has no functions for Fortran handles
using FortranHandle = int;
MPI_Comm of_fortran(FortranHandle value) { return MPI_Comm_fromint(value); }
#else
using FortranHandle = MPI_Fint;
MPI_Comm of_fortran(FortranHandle value) { return MPI_Comm_f2c(value); }
#endif

/// Fortran's handle; what is too large for one can only be an MPI_Comm. \throws TypeError for no integer
MPI_Comm of_integer(nb::handle given) {
  const auto value = nb::cast<std::intptr_t>(given);
  using Limits = std::numeric_limits<FortranHandle>;
  const bool is_fortran = value >= Limits::min() && value <= Limits::max();
  return is_fortran ? of_fortran(static_cast<FortranHandle>(value)) : of_address(static_cast<std::uintptr_t>(value));
}

/// An MPI_Comm as an integer, or as None where it is a null pointer.
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
  } catch (const nb::cast_error&) {  // no integer where there should be one
  }
  throw TypeError(
      "comm must be an mpi4py communicator, or None for all processes, not " + type_name_of(comm) +
      "; others are accepted as an object with py2f() or `handle`, as Fortran's integer, or as MPI_Comm in ctypes");
}

/// MPI's own handle. Starts MPI where nobody has yet.
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
    throw BadArgument("comm is COMM_NULL: freed, or of ranks that are no part of it");
  }
  int between_groups = 0;
  MPI_Comm_test_inter(raw, &between_groups);
  if (between_groups) throw BadArgument("comm joins two groups; Merge() it first");
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
  module.def("mpi_library", &library_version, R"(The MPI library that seiche uses, in its own words. Local.)");
}

}  // namespace seiche::python
