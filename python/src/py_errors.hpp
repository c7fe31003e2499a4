// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of exceptions, exclusive use of communicators by threads, and collective checks of arguments.
#pragma once

#include <nanobind/nanobind.h>
#include <seiche/communicator.hpp>
#include <seiche/error.hpp>
#include <seiche/presence.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

namespace seiche::python {

namespace nb = nanobind;

/// Fault of an argument of the wrong type. Python distinguishes it from a wrong value.
inline constexpr auto wrong_type = static_cast<Fault>(-1);
struct TypeError : Error {
  explicit TypeError(const std::string& sentence) : Error(wrong_type, "python: " + sentence) {}
};
struct BadArgument : Error {
  explicit BadArgument(const std::string& sentence) : Error(Fault::bad_argument, "python: " + sentence) {}
};

/// Raises `error` as an instance of seiche.Error, with `cause` (or none) as its cause. A cause that ends programs is
/// raised instead. Never returns.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});
/// Registers the conversion of the library's exceptions to seiche.Error.
void translate_errors();

/// Returns the text of a Python exception, e.g. "KeyError: 'x'". An exception that ends programs (KeyboardInterrupt,
/// SystemExit) is kept, and raised by this thread instead of the next seiche.Error.
std::string sentence_of(const nb::python_error& raised);
/// Returns whether an exception ends programs: whether it is not an instance of Exception.
bool ends_program(nb::handle raised);
/// Returns the name of an object's type, e.g. "int".
std::string type_name_of(nb::handle object);

/// Reserves a communicator for the calling thread during its lifetime. Collective calls on a communicator must have the
/// same order on all ranks, and its objects share cached data. Created and destroyed with the GIL. The same thread may
/// reserve it again. \throws Error on this rank only, if another thread has reserved it
class Reserved {
 public:
  explicit Reserved(MPI_Comm comm);
  explicit Reserved(const Communicator& comm) : Reserved(comm.get()) {}
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

 private:
  MPI_Comm comm_;
};
/// Needs the GIL. \throws Error on this rank only, if another thread is in a call on `comm`
void require_free(const Communicator& comm);

/// Local. Calls `checks` and returns its exception as an Error.
template <class Checks>
std::optional<Error> problem_of(const Checks& checks) {
  return fault_of([&] {
    try {
      checks();
    } catch (const nb::python_error& error) {
      throw Error(error.matches(PyExc_TypeError) ? wrong_type : Fault::bad_argument, sentence_of(error));
    } catch (const nb::cast_error&) {
      throw TypeError("an argument has the wrong type");
    }
  });
}

/// Result of checks, stored until the call.
template <class Given>
struct Found {
  using Kept = std::conditional_t<std::is_reference_v<Given>, std::reference_wrapper<std::remove_reference_t<Given>>,
                                  std::remove_reference_t<Given>>;
  std::optional<Kept> kept;
};

/// Collective. Calls `checks` with the GIL. Then, without it, calls agree_on(error of the checks) and returns
/// work(result of the checks). \throws Error on this rank only, if another thread is in a call on `comm`
template <class Checks, class AgreeOn, class Work>
auto checked(const Communicator& comm, const Checks& checks, const AgreeOn& agree_on, const Work& work) {
  using Given = std::invoke_result_t<const Checks&>;
  if constexpr (std::is_void_v<Given>) {
    const auto nothing = [&] { return checks(), nullptr; };
    return checked(comm, nothing, agree_on, [&](const auto&) { return work(); });
  } else {
    const Reserved reserved(comm);
    require_mpi();
    Found<Given> found;
    const auto problem = problem_of([&] { found.kept.emplace(checks()); });
    const nb::gil_scoped_release released;
    agree_on(problem);
    return work(static_cast<Given&>(*found.kept));
  }
}

/// Collective. All ranks agree on errors of `checks` before any rank calls `work`.
template <class Checks, class Work>
auto collective(const Communicator& comm, const Checks& checks, const Work& work) {
  return checked(
      comm, checks, [&](const std::optional<Error>& problem) { agree(comm, problem); }, work);
}
/// Collective. Calls `work` without checks.
template <class Work>
auto collective(const Communicator& comm, const Work& work) {
  return collective(
      comm, [] {}, work);
}
/// Collective. Returns the result of `checks` after all ranks have agreed.
template <class Checks>
auto agreed(const Communicator& comm, const Checks& checks) {
  return collective(comm, checks, [](auto& found) { return std::move(found); });
}

/// Collective. Checks before a call of SphereFft on bands, which makes its own agreement.
template <class Checks, class Work>
auto on_bands(const Communicator& comm, const Checks& checks, const Work& work) {
  return checked(
      comm, checks,
      [&](const std::optional<Error>& problem) {
        if (problem) agree(comm, problem);
      },
      work);
}

}  // namespace seiche::python
