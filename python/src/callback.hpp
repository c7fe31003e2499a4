// SPDX-License-Identifier: BSD-3-Clause
/// \file  A Python callable in the library's hands, which knows nothing of Python's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <utility>

namespace seiche::python {

namespace nb = nanobind;

/// Copies share the object; the last one lets go of it with Python's lock.
template <class Object>
std::shared_ptr<Object> shared_with_lock(Object object) {
  return {new Object(std::move(object)), [](Object* held) {
            const nb::gil_scoped_acquire locked;
            delete held;
          }};
}

/// Calls made of a Python callable or None. What it raises is reported as Python does for exceptions that nobody can
/// catch.
template <class... Arguments>
std::function<void(Arguments...)> reporting_function(nb::handle given) {
  if (given.is_none()) return nullptr;
  const auto function = shared_with_lock(nb::borrow(given));
  return [function](Arguments... arguments) {
    const nb::gil_scoped_acquire locked;
    try {
      (*function)(arguments...);
    } catch (nb::python_error& raised) {
      raised.discard_as_unraisable(*function);
    }
  };
}
inline std::function<void(double)> progress_function(nb::handle given) { return reporting_function<double>(given); }

}  // namespace seiche::python
