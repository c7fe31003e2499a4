// SPDX-License-Identifier: BSD-3-Clause
/// \file  Communicators of mpi4py as the library's own.
#pragma once

#include <nanobind/nanobind.h>
#include <seiche/communicator.hpp>

namespace seiche::python {

namespace nb = nanobind;

/// An argument `comm`: an mpi4py communicator, or None for all processes.
class Comm : public nb::object {
  static bool anything(PyObject*) { return true; }

 public:
  NB_OBJECT_DEFAULT(Comm, nb::object, "mpi4py.MPI.Comm | None", anything)
};

/// Collective over `comm`. Starts MPI where nobody has yet. \throws Error for what is no communicator, one of another
/// MPI library, or none any more
Communicator communicator(const Comm& comm);

void bind_mpi(nb::module_& module);

}  // namespace seiche::python
