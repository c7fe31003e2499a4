// SPDX-License-Identifier: BSD-3-Clause
/// \file  A Python function of real space, called by the library for parts of bands.
#pragma once

#include <seiche/fft.hpp>

#include <memory>
#include <string>

#include "arrays.hpp"
#include "callback.hpp"
#include "errors.hpp"

namespace seiche::python {

/// Python's lock is taken only while the function runs. What it raises, the library throws on all ranks as an Error;
/// here it becomes the cause of that.
class GridFunction {
 public:
  explicit GridFunction(nb::object function) : state_(shared_with_lock(State{std::move(function), {}})) {}

  template <class Value>
  void operator()(std::int64_t band, const Box& box, std::span<const View<Value>> components) const {
    const nb::gil_scoped_acquire locked;
    try {
      nb::object values = array_of_tile(components);
      state_->function(band, box, values);
      require_let_go(values);
    } catch (nb::python_error& raised) {
      const Error error = BadArgument("the function on the grid raised " + sentence_of(raised));
      if (!state_->raised.is_valid()) state_->raised = nb::borrow(raised.value());
      throw error;
    }
  }

  /// With Python's lock: what the library threw, with what the function raised as its cause.
  [[noreturn]] void raise(const Error& error) const {
    const nb::object cause = std::move(state_->raised);
    state_->raised = nb::object();
    python::raise(error, cause);
  }

 private:
  struct State {
    nb::object function, raised;
  };

  /// (z, y, x), or (component, z, y, x) where there are two; components lie equally far apart.
  template <class Value>
  static nb::object array_of_tile(std::span<const View<Value>> components) {
    const View<Value>& first = components[0];
    if (components.size() == 1) return array_of_view(first, nb::none());
    return array_on(first.data,
                    {static_cast<std::int64_t>(components.size()), first.shape[2], first.shape[1], first.shape[0]},
                    nb::none(), {components[1].data - first.data, first.stride[2], first.stride[1], first.stride[0]});
  }
  /// The memory is gone when the function has returned.
  static void require_let_go(const nb::object& values) {
    if (Py_REFCNT(values.ptr()) == 1) return;
    throw BadArgument("the function on the grid keeps its values, whose memory is the plan's; keep values.copy()");
  }

  std::shared_ptr<State> state_;
};

}  // namespace seiche::python
