// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bindings of functions whose arguments are converted inside the call, so that all ranks agree on wrong ones.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "py_communicators.hpp"

namespace seiche::python {

/// Name and type of a parameter in a signature.
struct Parameter {
  std::string name, type;
};
using Parameters = std::vector<Parameter>;
/// Returns the parameters of a signature "def name(self, shape: tuple[int, int, int], *, window: int = 0) -> ...".
Parameters parameters_of(std::string_view signature);
/// Returns the signature of `name`, from nanobind's docstring "probe(...) -> ...".
std::string signature_from(const char* name, const nb::object& probe);
/// Stores a text for the lifetime of the module, because nanobind stores pointers.
const char* kept_text(std::string text);
/// \throws TypeError "name has an invalid value ...: pass a value of type ..."
[[noreturn]] void refuse_argument(const Parameter& parameter, nb::handle given);

/// An argument of type A, converted from a Python object. Objects of bound classes are not copied.
template <class A>
class Converted {
  using Bare = std::remove_cvref_t<A>;
  static constexpr bool is_bound = nb::detail::is_base_caster_v<nb::detail::make_caster<Bare>>;

 public:
  using Python = nb::object;  ///< type in the function that nanobind calls
  void read(const Parameter& parameter, const nb::object& given) {
    try {
      if constexpr (is_bound) {
        if (!given.is_none()) value_ = &nb::cast<Bare&>(given);
      } else {
        value_.emplace(nb::cast<Bare>(given));
      }
    } catch (const std::bad_cast&) {
    } catch (const nb::python_error&) {
    }
    if (!value_) refuse_argument(parameter, given);
  }
  bool is_read() const { return static_cast<bool>(value_); }
  Bare& get() { return *value_; }
  A take() {
    if constexpr (std::is_lvalue_reference_v<A> || is_bound) {
      return *value_;
    } else {
      return std::move(*value_);
    }
  }

 private:
  std::conditional_t<is_bound, Bare*, std::optional<Bare>> value_{};
};
/// Keywords, which the function reads itself, and the object that a constructor makes.
template <class A>
class Unchanged {
 public:
  using Python = A;
  void read(const Parameter&, A given) { value_ = &given; }
  bool is_read() const { return false; }  // has no communicator
  A& get() { return *value_; }
  A take() { return *value_; }

 private:
  std::remove_reference_t<A>* value_ = nullptr;
};
template <class Made>
class Unchanged<Made*> {
 public:
  using Python = Made*;
  void read(const Parameter&, Made* given) { value_ = given; }
  bool is_read() const { return false; }
  Made* get() { return value_; }
  Made* take() { return value_; }

 private:
  Made* value_ = nullptr;
};
template <class A>
using Reads = std::conditional_t<std::is_pointer_v<A> || std::is_same_v<std::remove_cvref_t<A>, nb::kwargs>,
                                 Unchanged<A>, Converted<A>>;

/// Returns the communicator of an argument: of a plan, a matrix, a file ..., or none for other types.
template <class T>
std::optional<Communicator> communicator_of(const T& given) {
  if constexpr (requires { given.held.comm(); }) {
    return given.held.comm();
  } else if constexpr (requires { given.shared->comm; }) {
    return given.shared->comm;
  } else if constexpr (requires { given.comm().get(); }) {
    return given.comm();
  } else if constexpr (requires { given.comm.get(); }) {
    return given.comm;
  } else {
    return std::nullopt;
  }
}
inline std::optional<Communicator> communicator_of(const Comm& given) { return communicator(given); }

/// Collective. Reports a wrong argument of this rank in place of a call, whose first step is an agreement of the ranks.
struct InCalls {
  static void report(const Communicator& comm, const Error& problem) {
    collective(
        comm, [&] { throw Error(problem); }, [] {});
  }
};
/// Same for calls of SphereFft on bands.
struct InCallsOnBands {
  static void report(const Communicator& comm, const Error& problem) {
    on_bands(
        comm, [&] { throw Error(problem); }, [] {});
  }
};

/// The arguments of a call.
template <class... A>
class Arguments {
 public:
  /// Converts the arguments. Returns the error of the first wrong one.
  std::optional<Error> read(const Parameters& parameters, typename Reads<A>::Python... given) {
    std::optional<Error> first;
    std::size_t i = 0;
    const auto one = [&](auto& argument, auto&& value) {
      const Parameter& parameter = parameters.at(i++);
      auto problem = problem_of([&] { argument.read(parameter, value); });
      if (problem && !first) first = std::move(problem);
    };
    std::apply([&](auto&... arguments) { (one(arguments, given), ...); }, all_);
    return first;
  }
  /// Returns the communicator of the call: of an argument `comm`, or of the first argument that has one.
  std::optional<Communicator> comm() {
    std::optional<Communicator> found;
    const auto ask = [&](auto& argument, bool named) {
      using T = std::remove_cvref_t<decltype(argument.get())>;
      if (found || std::is_same_v<T, Comm> != named || !argument.is_read()) return;
      found = communicator_of(argument.get());
    };
    std::apply([&](auto&... arguments) { (ask(arguments, true), ...); }, all_);
    std::apply([&](auto&... arguments) { (ask(arguments, false), ...); }, all_);
    return found;
  }
  template <class Function>
  decltype(auto) call(const Function& function) {
    return std::apply([&](auto&... arguments) -> decltype(auto) { return function(arguments.take()...); }, all_);
  }

 private:
  std::tuple<Reads<A>...> all_;
};

template <class R, class... A>
struct Signature {};
template <class R, class... A>
Signature<R, A...> signature_of(R (*)(A...));
template <class F, class R, class... A>
Signature<R, A...> signature_of_call(R (F::*)(A...) const);
template <class F>
decltype(signature_of_call(&F::operator())) signature_of(const F&);

/// Converts a function to one that takes any objects and converts them. An argument that is wrong on one rank is an
/// error on all ranks of the communicator in the other arguments.
template <class Protocol, class Function, class R, class... A>
auto reading(const Function& function, Parameters parameters, Signature<R, A...>) {
  return [function, known = std::move(parameters)](typename Reads<A>::Python... given) -> R {
    Arguments<A...> arguments;
    if (const auto problem = arguments.read(known, given...)) {
      const auto comm = arguments.comm();
      if (!comm) throw nb::next_overload();  // for another type of the object with the communicator
      Protocol::report(*comm, *problem);
    }
    return arguments.call(function);
  };
}

/// Returns an annotation of an argument that lets nanobind pass None, which the function refuses itself.
template <class Extra>
auto with_none(const Extra& extra) {
  if constexpr (requires { extra.name_, extra.value; }) {
    return nb::arg(extra.name_).none() = nb::object(extra.value);
  } else if constexpr (requires { extra.name_; }) {
    return nb::arg(extra.name_).none();
  } else {
    return extra;
  }
}

/// Binds functions of a module or a class whose arguments are read inside the call.
template <class Scope, class Protocol = InCalls>
class Calls {
 public:
  explicit Calls(Scope& scope) : scope_(scope) {}
  template <class Function, class... Extra>
  Calls& def(const char* name, const Function& function, const Extra&... extra) {
    return def_as(name, function, signature_from(name, probe(function, extra...)), extra...);
  }
  /// Same with a given signature.
  template <class Function, class... Extra>
  Calls& def_as(const char* name, const Function& function, std::string signature, const Extra&... extra) {
    const char* text = kept_text(std::move(signature));
    scope_.def(name, read_by(function, text), with_none(extra)..., nb::sig(text));
    return *this;
  }
  template <class Function, class... Extra>
  void def_static_as(const char* name, const Function& function, std::string signature, const Extra&... extra) {
    const char* text = kept_text(std::move(signature));
    scope_.def_static(name, read_by(function, text), with_none(extra)..., nb::sig(text));
  }

 private:
  template <class Function>
  static auto read_by(const Function& function, const char* signature) {
    return reading<Protocol>(function, parameters_of(signature), decltype(signature_of(function))());
  }
  template <class Function, class... Extra>
  static nb::object probe(const Function& function, const Extra&... extra) {
    if constexpr (std::is_same_v<Scope, nb::module_>) {
      return nb::cpp_function(function, nb::name("probe"), extra...);
    } else {
      return nb::cpp_function(function, nb::name("probe"), nb::is_method(), extra...);
    }
  }
  Scope& scope_;
};
template <class Scope>
Calls<Scope, InCallsOnBands> calls_on_bands(Scope& scope) {
  return Calls<Scope, InCallsOnBands>(scope);
}

}  // namespace seiche::python
