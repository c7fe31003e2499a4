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

namespace seiche::python {

namespace nb = nanobind;

/// An argument of the wrong type, which Python tells from one of a wrong value.
class TypeError : public Error {
 public:
  explicit TypeError(const std::string& sentence) : Error(Fault::bad_argument, sentence) {}
};

/// Raises `error` as an instance of seiche.Error, with `cause` (or none) as its cause. Never returns.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});
/// From here on whatever the library throws reaches Python as a seiche.Error.
void translate_errors();

/// What a Python exception says: "KeyError: 'x'".
std::string sentence_of(const nb::python_error& raised);

/// What is wrong with a rank's arguments.
struct Problem {
  bool of_type = false;
  int fault = 0;
  std::string sentence;
};

/// Collective. All ranks throw the problem of the lowest rank that has one, or complain that `alike`, of which there is
/// one number on all ranks, is not the same.
void agree(const Communicator& comm, const std::optional<Problem>& mine, std::int64_t alike = 0);

/// What `checks` throws. Local.
template <class Checks>
std::optional<Problem> problem_of(const Checks& checks) {
  try {
    checks();
    return std::nullopt;
  } catch (const TypeError& error) {
    return Problem{true, static_cast<int>(error.fault()), error.what()};
  } catch (const Error& error) {
    return Problem{false, static_cast<int>(error.fault()), error.what()};
  } catch (const nb::python_error& error) {
    return Problem{error.matches(PyExc_TypeError), static_cast<int>(Fault::bad_argument), sentence_of(error)};
  } catch (const nb::cast_error&) {
    return Problem{true, static_cast<int>(Fault::bad_argument), "an argument is of the wrong type"};
  }
}

/// Collective. Runs `checks` with Python at hand, agrees on what they threw, and does `work` without Python's lock.
/// `alike`: a number, such as that of bands, that `checks` finds and that must be the same on all ranks.
template <class Checks, class Work>
void collective(const Communicator& comm, const Checks& checks, const Work& work, const std::int64_t* alike = nullptr) {
  require_mpi();
  const auto problem = problem_of(checks);
  const nb::gil_scoped_release released;
  agree(comm, problem, alike ? *alike : 0);
  work();
}

}  // namespace seiche::python
