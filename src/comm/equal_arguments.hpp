// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arguments of a collective call that must be equal on all ranks.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "comm/agree.hpp"
#include "interface/visit.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// Name of a collective call and its arguments that must be equal on all ranks. It allocates no memory. Texts must
/// exist as long as the object.
class EqualArguments {
 public:
  /// `call`: name of the call, or "" within a call.
  explicit EqualArguments(const char* call) : call_(call) {}

  /// Adds a number, an enumerator, a text, an array, or a structure without padding. Arrays that follow each other with
  /// the same name count as one argument.
  template <class T>
  EqualArguments& add(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return put({name, value, text_of_flag});
    } else if constexpr (std::is_integral_v<T>) {
      return put({name, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), text_of_integer});
    } else if constexpr (std::is_enum_v<T>) {
      return put({name, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), text_of_enum<T>});
    } else if constexpr (std::is_floating_point_v<T>) {
      return put({name, std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0), text_of_real});  // -0 becomes 0
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      return add_bytes(name, std::as_bytes(std::span(std::string_view(value))));
    } else if constexpr (requires { std::span(value); }) {
      return add_bytes(name, std::as_bytes(std::span(value)));
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      return add_bytes(name, std::as_bytes(std::span(&value, 1)));
    }
  }
  template <class T>
  EqualArguments& add(const char* name, const std::complex<T>& value) {
    return add(name, value.real()).add(name, value.imag());
  }
  template <class T>
  EqualArguments& add(const char* name, const std::optional<T>& value) {
    add(name, value.has_value());
    return value ? add(name, *value) : *this;
  }
  /// Adds whether there is a function.
  template <class F>
  EqualArguments& add(const char* name, const std::function<F>& function) {
    return add(name, static_cast<bool>(function));
  }
  /// Adds the members of options that may not differ between ranks, according to interface/*.api.
  template <class Options>
  EqualArguments& add_options(const Options& options) {
    Members<Options>::each([&](const Member& member, const auto& place) {
      if (member.same_on_all_ranks) add(member.name, place(options));
    });
    return *this;
  }

  const char* call() const { return call_; }
  std::int64_t digest() const;
  /// Returns one line for the call and one for each argument: name, tab, value.
  std::string text() const;

 private:
  static constexpr std::size_t most = 48;
  struct Argument {
    const char* name;
    std::uint64_t bits;
    std::string (*text)(std::uint64_t bits);  // null: a digest of the value
  };
  EqualArguments& put(const Argument& argument);
  EqualArguments& add_bytes(const char* name, std::span<const std::byte> bytes);
  static std::string text_of_flag(std::uint64_t bits) { return bits != 0 ? "true" : "false"; }
  static std::string text_of_integer(std::uint64_t bits);
  static std::string text_of_real(std::uint64_t bits);
  /// Returns the word of an enumerator, from the header interface/*_members.hpp of its type.
  template <class Enum>
  static std::string text_of_enum(std::uint64_t bits) {
    for (const auto& [word, value] : WordsOf<Enum>::all) {
      if (static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) == bits) return std::string(word);
    }
    return text_of_integer(bits);
  }

  const char* call_;
  std::size_t count_ = 0;
  std::array<Argument, most> arguments_;  // not initialised beyond count_
};

/// Collective. Checks that all ranks make the same call with equal arguments. \param number may differ between ranks
/// \return whether it does not \throws `fault` of the lowest rank that has one, or an Error that names the argument
/// that differs
bool agree_on(const Communicator& comm, const EqualArguments& arguments, const std::optional<Error>& fault,
              std::int64_t number = 0);

/// Collective. Calls work(arguments), which checks the arguments of a call and adds those that must be equal on all
/// ranks. Agrees on its error, and compares the arguments. \pre as together()
template <class Work>
void together(const Communicator& comm, const char* call, const Work& work) {
  EqualArguments arguments(call);
  const auto fault = fault_of([&] { work(arguments); });
  agree_on(comm, arguments, fault);
}

}  // namespace seiche
