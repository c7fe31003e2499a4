// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <exception>

namespace seiche::python {

namespace {

/// The classes are Python's own: see errors.py.
nb::object instance_of(const Error& error) {
  const bool of_type = error.fault() == wrong_type;
  const Fault fault = of_type ? Fault::bad_argument : error.fault();
  return nb::module_::import_("seiche.errors").attr("_error")(static_cast<int>(fault), error.what(), of_type);
}

void set_error(const Error& error, nb::handle cause) {
  const nb::object instance = instance_of(error);
  if (cause) PyException_SetCause(instance.ptr(), nb::borrow(cause).release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instance.ptr())), instance.ptr());
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

}  // namespace seiche::python
