// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string>

#include "errors.hpp"

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

/// mpi4py's module where it has been imported, as it must have been by who has a communicator of it.
nb::object mpi4py() {
  const nb::object loaded = nb::module_::import_("sys").attr("modules").attr("get")("mpi4py.MPI");
  if (loaded.is_none()) throw TypeError("python: comm must be an mpi4py communicator, or None for all processes");
  return loaded;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\n\t")); }

void require_same_library(const nb::object& mpi4py) {
  const auto theirs = nb::cast<std::string>(mpi4py.attr("Get_library_version")());
  if (theirs == library_version()) return;
  throw Error(Fault::unsupported, "python: comm is one of " + first_line(theirs) +
                                      ", which mpi4py found, but seiche uses " + first_line(library_version()) +
                                      "; install both for one MPI library, e.g. with MPI4PY_MPIABI or LD_LIBRARY_PATH");
}

/// MPI's own handle. Starts MPI where nobody has yet.
MPI_Comm raw_communicator(const Comm& comm) {
  if (comm.is_none()) {
    start_mpi();
    require_mpi();
    return MPI_COMM_WORLD;
  }
  const nb::object module = mpi4py();
  if (!nb::isinstance(comm, module.attr("Comm"))) {
    throw TypeError("python: comm must be an mpi4py communicator, or None for all processes, not " +
                    nb::cast<std::string>(nb::str(comm.type().attr("__name__"))));
  }
  require_same_library(module);
  require_mpi();
  const MPI_Comm raw = *reinterpret_cast<MPI_Comm*>(nb::cast<std::uintptr_t>(module.attr("_addressof")(comm)));
  if (raw == MPI_COMM_NULL) {
    throw Error(Fault::bad_argument, "python: comm is COMM_NULL: freed, or of ranks that are no part of it");
  }
  int between_groups = 0;
  MPI_Comm_test_inter(raw, &between_groups);
  if (between_groups) throw Error(Fault::bad_argument, "python: comm joins two groups; Merge() it first");
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
