// SPDX-License-Identifier: BSD-3-Clause
/// \file  Python objects of sphere plans, callbacks on the grid, and conversion of array arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <seiche/pair_densities.hpp>

#include "py_bind.hpp"
#include "py_device_array.hpp"

namespace seiche::python {

/// A callback on the grid, or for pairs of orbitals. It holds the GIL only while the Python function runs. An exception
/// becomes an Error on all ranks, with the exception as its cause on this rank. This rank raises KeyboardInterrupt and
/// SystemExit as they are.
class GridFunction {
 public:
  explicit GridFunction(nb::object function) : state_(shared_with_lock(State{std::move(function), {}})) {}

  template <class Value>
  void operator()(std::int64_t band, const Box& box, std::span<const View<Value>> components) const {
    call([&] {
      const nb::object values = array_of_tile(components);
      state_->function(band, box, values);
      require_let_go(values, "keep values.copy()");
    });
  }
  template <class Value>
  void operator()(const DeviceBands<Value>& on) const {
    call([&] {
      const nb::handle range(reinterpret_cast<PyObject*>(&PyRange_Type));
      const nb::object values = array_of_bands(on);
      state_->function(range(on.first, on.first + on.count * on.step, on.step), on.box, values, on.stream);
      require_let_go(values, "keep a copy");
    });
  }

  template <class Number>
  void operator()(const PairBlock<Number>& block) const {
    call([&] {
      const auto count = std::ssize(block.pairs);
      const auto numbers_of = [](const OrbitalPair& pair) { return std::array{pair.i, pair.j}; };
      const nb::object densities =
          array_on(block.densities.data(), {count, std::ssize(block.densities) / count}, nb::none());
      state_->function(array_of(block.pairs, numbers_of), densities);
      require_let_go(densities, "keep a copy");
    });
  }

  /// Raises `error` with the exception of the function as its cause. Needs the GIL.
  [[noreturn]] void raise(const Error& error) const {
    const nb::object cause = std::move(state_->raised);
    state_->raised = nb::object();
    python::raise(error, cause);
  }

 private:
  struct State {
    nb::object function, raised;
  };

  /// Calls `work` with the GIL, and keeps an exception of the function.
  template <class Work>
  void call(const Work& work) const {
    const nb::gil_scoped_acquire locked;
    try {
      work();
    } catch (nb::python_error& raised) {
      const Error error = BadArgument("the callback raised " + sentence_of(raised));
      if (!state_->raised.is_valid()) state_->raised = nb::borrow(raised.value());
      throw error;
    }
  }
  /// Creates a DeviceArray (band, z, y, x), or (band, component, z, y, x) for two components.
  template <class Value>
  static nb::object array_of_bands(const DeviceBands<Value>& on) {
    const Extents components = on.components == 1 ? Extents{} : Extents{on.components};
    const Extents shape = joined(joined({on.count}, components), extents_of(on.box));
    return device_view(on.values, nb::dtype<Value>(), shape, on.stream);
  }
  /// Creates an array (z, y, x), or (component, z, y, x) for two components, which have equal distances in memory.
  template <class Value>
  static nb::object array_of_tile(std::span<const View<Value>> components) {
    const View<Value>& first = components[0];
    if (components.size() == 1) return array_of_view(first, nb::none());
    return array_on(first.data,
                    {static_cast<std::int64_t>(components.size()), first.shape[2], first.shape[1], first.shape[0]},
                    nb::none(), {components[1].data - first.data, first.stride[2], first.stride[1], first.stride[0]});
  }
  /// Refuses references to the array that outlive the call, because the memory is reused.
  static void require_let_go(const nb::object& values, const std::string& advice) {
    if (Py_REFCNT(values.ptr()) == 1) return;
    throw BadArgument("the callback kept a reference to its values, whose memory belongs to the plan: " + advice);
  }

  std::shared_ptr<State> state_;
};

struct SpherePlan {
  GridShape shape;
  std::int64_t waves;
  int components;
  Kind kind;
  Box box;
  bool on_device;  ///< accepts arrays in device memory
  Held<OfAnyKind<SphereFft>> held;

  const auto& any() const { return held.peek(); }
};

/// Shape of one band's coefficients: (waves) or (components, waves).
inline Extents band_extents(int components, std::int64_t waves) {
  return components == 1 ? Extents{waves} : Extents{components, waves};
}

/// Number of bands of a call, from the shape of the coefficients. A single band has no band axis.
struct Bands {
  std::int64_t number = 0;
  Extents axis;
};
inline Bands bands_of(const Array& array, const char* name, std::size_t axes_of_one, bool device_too) {
  const Extents shape = shape_of(array, name, device_too);
  if (shape.size() <= axes_of_one) return {1, {}};
  return {shape[0], {shape[0]}};
}

/// Checked arguments of a call of a plan for `Value`.
template <class Value_>
struct Call {
  using Value = Value_;
  using Complex = typename ComplexOf<Value>::type;
  SphereFft<Value>& fft;
  const SpherePlan& plan;
  Bands bands{};
  Array model{};  ///< input of the call

  Extents one() const { return band_extents(plan.components, plan.waves); }
  /// Checks input coefficients, which determine the number of bands.
  Coefficients<const Complex> given(const Array& array, const char* name) {
    bands = bands_of(array, name, one().size(), plan.on_device);
    model = array;
    return coefficients_of<const Complex>(array, name, joined(bands.axis, one()), plan.on_device);
  }
  /// Creates an array in the same memory as the input.
  Array fresh(nb::dlpack::dtype dtype, const Extents& shape) const {
    return empty_beside(model, dtype, shape, plan.on_device);
  }
  /// Checks output coefficients in `out`, or creates an array if it is None. \throws Error if `add` is set without an
  /// array
  Coefficients<Complex> wanted(Array& out, const char* name, bool add = false) {
    const Extents shape = joined(bands.axis, one());
    if (add && out.is_none()) throw BadArgument("add needs an array to add to: pass " + std::string(name));
    if (out.is_none()) out = fresh(nb::dtype<Complex>(), shape);
    return coefficients_of<Complex>(out, name, shape, plan.on_device);
  }
  /// Shape of grid values of this rank's bands.
  Extents grid() const {
    Extents before = bands.axis;
    if (!before.empty()) before[0] = fft.bands_here(bands.number);
    if (before.empty() && fft.bands_here(1) == 0) before.push_back(0);
    if (plan.components > 1) before.push_back(plan.components);
    return joined(before, extents_of(plan.box));
  }
};

/// Calls work(call) for the plan's kind of value.
template <class Work>
auto with_call(const SpherePlan& plan, const Work& work) {
  return std::visit([&](auto& fft) { return work(Call<ValueOf<decltype(fft)>>{fft, plan}); }, plan.held.peek());
}

/// Converts a callback for all components of a band.
template <class Value>
typename SphereFft<Value>::SpinorSpace for_components(const GridFunction& function) {
  return [function](std::int64_t band, const Box& box, std::span<const View<Value>> values) {
    function(band, box, values);
  };
}

/// Converts a callback on a device.
template <class Value>
typename SphereFft<Value>::OnDevice for_device(const GridFunction& function) {
  return [function](const DeviceBands<Value>& on) { function(on); };
}

inline Result result_of(bool add) { return add ? Result::adds : Result::replaces; }

/// Binds potentials and densities.
void bind_sphere_operators(nb::class_<SpherePlan>& plan);
/// Binds streams of bands.
void bind_sphere_stream(nb::module_& module, nb::class_<SpherePlan>& plan);

}  // namespace seiche::python
