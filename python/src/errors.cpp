// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <mpi.h>

#include <nanobind/stl/string.h>

#include <array>
#include <exception>

namespace seiche::python {

namespace {

/// The classes are Python's own: see errors.py.
nb::object instance_of(const Error& error) {
  const bool of_type = dynamic_cast<const TypeError*>(&error) != nullptr;
  return nb::module_::import_("seiche.errors").attr("_error")(static_cast<int>(error.fault()), error.what(), of_type);
}

void set_error(const Error& error, nb::handle cause) {
  const nb::object instance = instance_of(error);
  if (cause) PyException_SetCause(instance.ptr(), nb::borrow(cause).release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instance.ptr())), instance.ptr());
}

void check_mpi(int code) {
  if (code != MPI_SUCCESS) throw Error(Fault::mpi, "python: MPI could not agree on the ranks' arguments");
}

}  // namespace

void raise(const Error& error, nb::handle cause) {
  set_error(error, cause);
  throw nb::python_error();
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_error(error, {});
    }
  });
}

std::string sentence_of(const nb::python_error& raised) {
  const nb::object name = raised.type().attr("__name__"), value = nb::borrow(raised.value());
  return nb::cast<std::string>(nb::str(name)) + ": " + nb::cast<std::string>(nb::str(value));
}

void agree(const Communicator& comm, const std::optional<Problem>& mine, std::int64_t alike) {
  const int rank = comm.rank(), size = comm.size();
  std::array<std::int64_t, 3> voice{mine ? rank : size, mine ? INT64_MAX : alike, mine ? INT64_MAX : -alike};
  std::array<std::int64_t, 3> least = voice;
  if (size > 1) check_mpi(MPI_Allreduce(voice.data(), least.data(), 3, MPI_INT64_T, MPI_MIN, comm.get()));
  const int first = static_cast<int>(least[0]);
  if (first == size) {
    if (least[1] == -least[2]) return;
    throw Error(Fault::bad_argument, "python: arrays of " + std::to_string(least[1]) + " bands on one rank, of " +
                                         std::to_string(-least[2]) + " on another; give all ranks equally many");
  }
  std::array<int, 3> about{};
  std::string sentence;
  if (mine) {
    sentence = mine->sentence;
    about = {mine->of_type, mine->fault, static_cast<int>(sentence.size())};
  }
  check_mpi(MPI_Bcast(about.data(), 3, MPI_INT, first, comm.get()));
  sentence.resize(static_cast<std::size_t>(about[2]));
  check_mpi(MPI_Bcast(sentence.data(), about[2], MPI_CHAR, first, comm.get()));
  if (about[0]) throw TypeError(sentence);
  throw Error(static_cast<Fault>(about[1]), sentence);
}

}  // namespace seiche::python
