// SPDX-License-Identifier: BSD-3-Clause
/// \file  Started calls in Python. They keep the arrays that they use.
#pragma once

#include <seiche/pending.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "py_bind.hpp"

namespace seiche::python {

/// A started call, and the Python objects that it uses.
struct Started {
  Pending pending;
  std::shared_ptr<nb::object> used;
};

/// A started call as Python object. It is finished once.
struct PendingCall {
  std::function<nb::object()> result;                ///< called by finish() after the call, also after an error
  std::function<void(const Error&)> raise_for_user;  ///< raises the error of a call with a callback; or empty
  Held<Started> held;
};

/// Collective. Creates the Python object of a started call. `used`: arrays that the call uses.
inline PendingCall pending_call(const Communicator& comm, Pending&& pending, nb::object result, nb::object used,
                                std::function<void(const Error&)> raise_for_user = {}) {
  auto kept = shared_with_lock(std::move(used));
  auto held = held_of<Started>(
      "Pending", comm, [] {},
      [&] {
        return Started{std::move(pending), kept};
      });
  return {[result = std::move(result)] { return result; }, std::move(raise_for_user), std::move(held)};
}

/// Collective. Starts a call with start(result of checks), after all ranks have agreed on the checks.
template <class T, class Checks, class Start>
Pending start_with(const Held<T>& held, const Checks& checks, const Start& start) {
  return collective(held, checks, [&](auto&, auto& of) { return start(of); });
}

/// Collective. Makes a call, whose result is in `out`. Returns `out`, or the Python object of the Pending that make()
/// returns. `used`: other arrays of the call.
template <class Make, class... Used>
auto answer(const Communicator& comm, const Make& make, const Array& out, const Used&... used) {
  if constexpr (std::is_same_v<std::invoke_result_t<Make>, Pending>) {
    Pending pending = make();
    return pending_call(comm, std::move(pending), out, nb::make_tuple(used..., out));
  } else {
    make();
    return out;
  }
}

/// Same for bands: work(result of checks) makes the call, or starts it.
template <bool starts, class T, class Checks, class Work, class... Used>
auto answer_on_bands(const Held<T>& held, const Checks& checks, const Work& work, const Array& out,
                     const Used&... used) {
  const auto make = [&] {
    if constexpr (starts) {
      return start_with(held, checks, work);
    } else {
      on_bands(held, checks, work);
    }
  };
  return answer(held.comm(), make, out, used...);
}

}  // namespace seiche::python
