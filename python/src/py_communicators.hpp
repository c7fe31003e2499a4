// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of communicators of Python packages.
#pragma once

#include <nanobind/stl/filesystem.h>
#include <seiche/communicator.hpp>

#include <filesystem>
#include <string>

#include "py_arrays.hpp"
#include "py_errors.hpp"

namespace seiche::python {

/// An argument `comm`: None for all processes, or any handle of a communicator.
using Comm = Argument<"mpi4py.MPI.Comm | int | ctypes.c_void_p">;
using Path = std::filesystem::path;

/// Collective over `comm`. Starts MPI if necessary. \throws Error for an invalid or freed communicator, or one of
/// another MPI library
Communicator communicator(const Comm& comm);

/// Collective. Calls work(communicator of `comm`).
template <class Work>
auto on(const Comm& comm, const Work& work) {
  const Communicator own = communicator(comm);
  return collective(own, [&] { return work(own); });
}
/// Converts f(comm, path) to a Python function of (path, comm).
template <class Made>
auto by_path(Made (*function)(const Communicator&, const std::string&)) {
  return [function](const Path& path, const Comm& comm) {
    return on(comm, [&](const Communicator& own) { return function(own, path); });
  };
}

void bind_mpi(nb::module_& module);

}  // namespace seiche::python
