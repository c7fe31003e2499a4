// SPDX-License-Identifier: BSD-3-Clause
/// \file  The library's exception as Python's; which thread is in a call on which communicator; checks of arguments
/// that fail on all ranks or on none.
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

/// An argument of the wrong type, which Python tells from one of a wrong value.
inline constexpr auto wrong_type = static_cast<Fault>(-1);
struct TypeError : Error {
  explicit TypeError(const std::string& sentence) : Error(wrong_type, "python: " + sentence) {}
};
struct BadArgument : Error {
  explicit BadArgument(const std::string& sentence) : Error(Fault::bad_argument, "python: " + sentence) {}
};

/// Raises `error` as an instance of seiche.Error, with `cause` (or none) as its cause. Never returns.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});
/// From here on whatever the library throws reaches Python as a seiche.Error.
void translate_errors();

/// What a Python exception says: "KeyError: 'x'".
std::string sentence_of(const nb::python_error& raised);
/// "int"
std::string type_name_of(nb::handle object);

/// Reserves a communicator for the calling thread while it lives: ranks match collective calls by their order, and
/// objects on one communicator share what the library caches there. Made and destroyed with Python's lock. The same
/// thread may reserve it again. \throws Error on this rank alone while another thread has it
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
/// With Python's lock. \throws Error on this rank alone while another thread is in a call on `comm`
void require_free(const Communicator& comm);

/// Returns what `checks` throws, of any type. Local.
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

/// What checks return, until a call passes it on.
template <class Given>
struct Found {
  using Kept = std::conditional_t<std::is_reference_v<Given>, std::reference_wrapper<std::remove_reference_t<Given>>,
                                  std::remove_reference_t<Given>>;
  std::optional<Kept> kept;
};

/// Collective. Runs `checks` with Python's lock; without it, agree_on(what they threw), and returns work(what they
/// returned). \throws Error on this rank alone while another thread is in a call on `comm`
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

/// Collective. All ranks agree on what `checks` threw before any of them works.
template <class Checks, class Work>
auto collective(const Communicator& comm, const Checks& checks, const Work& work) {
  return checked(
      comm, checks, [&](const std::optional<Error>& problem) { agree(comm, problem); }, work);
}
/// Collective. Work without checks.
template <class Work>
auto collective(const Communicator& comm, const Work& work) {
  return collective(
      comm, [] {}, work);
}
/// Collective. What `checks` return, once all ranks have agreed on it.
template <class Checks>
auto agreed(const Communicator& comm, const Checks& checks) {
  return collective(comm, checks, [](auto& found) { return std::move(found); });
}

/// Collective. Checks for `work` that is a call of SphereFft on bands, which agrees on them itself.
template <class Checks, class Work>
auto on_bands(const Communicator& comm, const Checks& checks, const Work& work) {
  return checked(
      comm, checks,
      [&](const std::optional<Error>& problem) {
        if (problem) agree_on_bands(comm, 0, problem);
      },
      work);
}

}  // namespace seiche::python
