// SPDX-License-Identifier: BSD-3-Clause
/// \file  Python callables as callbacks of the library, which does not hold the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <utility>

namespace seiche::python {

namespace nb = nanobind;

/// A shared reference to a Python object. The last copy releases it with the GIL.
template <class Object>
std::shared_ptr<Object> shared_with_lock(Object object) {
  return {new Object(std::move(object)), [](Object* held) {
            const nb::gil_scoped_acquire locked;
            delete held;
          }};
}

/// Converts a Python callable, or None, to a callback. Its exceptions are reported as unraisable, except
/// KeyboardInterrupt, which Python raises after the call.
template <class... Arguments>
std::function<void(Arguments...)> reporting_function(nb::handle given) {
  if (given.is_none()) return nullptr;
  const auto function = shared_with_lock(nb::borrow(given));
  return [function](Arguments... arguments) {
    const nb::gil_scoped_acquire locked;
    try {
      (*function)(arguments...);
    } catch (nb::python_error& raised) {
      if (raised.matches(PyExc_KeyboardInterrupt)) return PyErr_SetInterrupt();
      raised.discard_as_unraisable(*function);
    }
  };
}
inline std::function<void(double)> progress_function(nb::handle given) { return reporting_function<double>(given); }

}  // namespace seiche::python
