// SPDX-License-Identifier: BSD-3-Clause
/// \file  A Python callable in the library's hands, which knows nothing of Python's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <utility>

namespace seiche::python {

namespace nb = nanobind;

/// Copies share the callable; the last one lets go of it with Python's lock.
class Callback {
 public:
  explicit Callback(nb::object function)
      : function_(new nb::object(std::move(function)), [](nb::object* held) {
          const nb::gil_scoped_acquire locked;
          delete held;
        }) {}
  const nb::object& get() const { return *function_; }  ///< With Python's lock.

 private:
  std::shared_ptr<nb::object> function_;
};

/// on_progress: what it raises is reported as Python does for exceptions that nobody can catch.
inline std::function<void(double)> progress_function(nb::handle given) {
  if (given.is_none()) return nullptr;
  const Callback function{nb::borrow(given)};
  return [function](double done) {
    const nb::gil_scoped_acquire locked;
    try {
      function.get()(done);
    } catch (nb::python_error& raised) {
      raised.discard_as_unraisable(function.get());
    }
  };
}

}  // namespace seiche::python
