// SPDX-License-Identifier: BSD-3-Clause
#include "py_errors.hpp"

#include <nanobind/stl/string.h>

#include <exception>
#include <map>
#include <thread>
#include <utility>

namespace seiche::python {

namespace {

/// An exception of a function of the user that ends programs, until the collective call has failed on all ranks.
thread_local PyObject* kept_exit = nullptr;

void keep_exit(nb::handle raised) {
  if (kept_exit == nullptr && ends_program(raised)) kept_exit = nb::borrow(raised).release().ptr();
}

/// Sets the kept exception, and returns whether there is one.
bool set_kept_exit() {
  const nb::object raised = nb::steal(std::exchange(kept_exit, nullptr));
  if (!raised.is_valid()) return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  return true;
}

/// The exception classes are in errors.py.
void set_error(const Error& error, nb::handle cause) {
  if (cause) keep_exit(cause);
  if (set_kept_exit()) return;
  const bool of_type = error.fault() == wrong_type;
  const Fault fault = of_type ? Fault::bad_argument : error.fault();
  const nb::object instance =
      nb::module_::import_("seiche.errors").attr("_error")(static_cast<int>(fault), error.what(), of_type);
  if (cause) PyException_SetCause(instance.ptr(), nb::borrow(cause).release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instance.ptr())), instance.ptr());
}

struct Owner {
  std::thread::id thread;
  int calls = 0;  // more than one if a callback makes calls
};

/// Protected by the GIL. Never freed, because threads may be in calls when the process exits.
std::map<MPI_Comm, Owner>& owners() {
  static auto* all = new std::map<MPI_Comm, Owner>;
  return *all;
}

void refuse_other_threads(MPI_Comm comm) {
  const auto found = owners().find(comm);
  if (found == owners().end() || found->second.thread == std::this_thread::get_id()) return;
  throw BadArgument(
      "another thread is in a call on this communicator: use one communicator per thread (comm.Dup()), or a lock");
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
    } catch (const std::bad_alloc&) {
      set_error(*fault_of([&] { std::rethrow_exception(thrown); }), {});
    }
  });
}

std::string type_name_of(nb::handle object) { return nb::cast<std::string>(object.type().attr("__name__")); }

std::string sentence_of(const nb::python_error& raised) {
  const nb::object value = nb::borrow(raised.value());
  keep_exit(value);
  const auto text = nb::cast<std::string>(nb::str(value));
  return type_name_of(value) + (text.empty() ? "" : ": " + text);
}

bool ends_program(nb::handle raised) { return PyObject_IsInstance(raised.ptr(), PyExc_Exception) == 0; }

Reserved::Reserved(MPI_Comm comm) : comm_(comm) {
  refuse_other_threads(comm);
  Owner& owner = owners()[comm];
  owner.thread = std::this_thread::get_id();
  ++owner.calls;
}

Reserved::~Reserved() {
  const auto found = owners().find(comm_);
  if (--found->second.calls == 0) owners().erase(found);
}

void require_free(const Communicator& comm) { refuse_other_threads(comm.get()); }

}  // namespace seiche::python
