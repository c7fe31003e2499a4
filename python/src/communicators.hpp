// SPDX-License-Identifier: BSD-3-Clause
/// \file  MPI communicators of Python's packages as the library's own.
#pragma once

#include <nanobind/stl/filesystem.h>
#include <seiche/communicator.hpp>

#include <filesystem>
#include <string>

#include "arrays.hpp"
#include "errors.hpp"

namespace seiche::python {

/// An argument `comm`: None for all processes, or any handle of a communicator (docs/python.md).
using Comm = Argument<"mpi4py.MPI.Comm | int | ctypes.c_void_p">;
using Path = std::filesystem::path;

/// Collective over `comm`. Starts MPI where nobody has yet. \throws Error for what is no communicator, one of another
/// MPI library, or none any more
Communicator communicator(const Comm& comm);

/// Collective. work(the library's communicator of `comm`)
template <class Work>
auto on(const Comm& comm, const Work& work) {
  const Communicator own = communicator(comm);
  return collective(own, [&] { return work(own); });
}
/// A Python function of f(comm, path).
template <class Made>
auto by_path(Made (*function)(const Communicator&, const std::string&)) {
  return [function](const Path& path, const Comm& comm) {
    return on(comm, [&](const Communicator& own) { return function(own, path); });
  };
}

void bind_mpi(nb::module_& module);

}  // namespace seiche::python
