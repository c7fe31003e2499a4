// SPDX-License-Identifier: BSD-3-Clause
/// \file  The library's exception as Python's, and checks of arguments that fail on all ranks or on none.
#pragma once

#include <nanobind/nanobind.h>
#include <seiche/communicator.hpp>
#include <seiche/error.hpp>
#include <seiche/presence.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "reserved.hpp"

namespace seiche::python {

namespace nb = nanobind;

/// An argument of the wrong type, which Python tells from one of a wrong value.
inline constexpr auto wrong_type = static_cast<Fault>(-1);
class TypeError : public Error {
 public:
  explicit TypeError(const std::string& sentence) : Error(wrong_type, sentence) {}
};

/// Raises `error` as an instance of seiche.Error, with `cause` (or none) as its cause. Never returns.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});
/// From here on whatever the library throws reaches Python as a seiche.Error.
void translate_errors();

/// What a Python exception says: "KeyError: 'x'".
std::string sentence_of(const nb::python_error& raised);

/// Returns what `checks` throws, of any type. Local.
template <class Checks>
std::optional<Error> problem_of(const Checks& checks) {
  return fault_of([&] {
    try {
      checks();
    } catch (const nb::python_error& error) {
      throw Error(error.matches(PyExc_TypeError) ? wrong_type : Fault::bad_argument, sentence_of(error));
    } catch (const nb::cast_error&) {
      throw TypeError("an argument is of the wrong type");
    }
  });
}

/// Collective. Runs `checks` with Python's lock, agrees on what they threw, and does `work` without Python's lock.
/// \throws Error on this rank alone while another thread is in a call on `comm`
template <class Checks, class Work>
void collective(const Communicator& comm, const Checks& checks, const Work& work) {
  const Reserved reserved(comm);
  require_mpi();
  const auto problem = problem_of(checks);
  const nb::gil_scoped_release released;
  agree(comm, problem);
  work();
}

/// Collective. The same where `work` is a call of SphereFft on bands, which agrees on them itself.
template <class Checks, class Work>
void on_bands(const Communicator& comm, const Checks& checks, const Work& work) {
  const Reserved reserved(comm);
  require_mpi();
  const auto problem = problem_of(checks);
  const nb::gil_scoped_release released;
  if (problem) agree_on_bands(comm, 0, problem);
  work();
}

}  // namespace seiche::python
