// SPDX-License-Identifier: BSD-3-Clause
/// \file  Potentials and densities of bands, their redistribution between the caller's layout and the plan's, and
/// streams.
#include <complex>
#include <string>
#include <tuple>

#include "py_pending.hpp"
#include "py_sphere_plan.hpp"

namespace seiche::python {

namespace {

/// Values of a potential or a density: one grid, or four for spinors with magnetism.
template <class T>
std::span<T> on_grid(const SpherePlan& plan, const Array& array, const char* name) {
  const Extents grid = extents_of(plan.box);
  const bool is_magnetic = plan.components == 2 && shape_of(array, name, plan.on_device).size() == 4;
  return span_of<T>(array, name, is_magnetic ? joined({4}, grid) : grid, plan.on_device);
}

template <bool starts>
auto apply_potential(const SpherePlan& plan, const Array& psi, const Array& potential, Array out, bool add) {
  return with_call(plan, [&](auto call) {
    const auto arrays = [&] {
      const auto in = call.given(psi, "psi");
      const auto into = call.wanted(out, "out", add);
      return std::tuple(in, into, on_grid<const double>(plan, potential, "potential"));
    };
    const auto work = [&](auto& of) {
      const auto& [in, into, factors] = of;
      if constexpr (starts) return call.fft.start_apply_potential(in, into, call.bands.number, factors, result_of(add));
      if constexpr (!starts) call.fft.apply_potential(in, into, call.bands.number, factors, result_of(add));
    };
    return answer_on_bands<starts>(plan.held, arrays, work, out, psi, potential);
  });
}

template <bool starts>
auto add_density(const SpherePlan& plan, const Array& psi, const Array& weights, const Array& density) {
  return with_call(plan, [&](auto call) {
    const auto arrays = [&] {
      const auto in = call.given(psi, "psi");
      const auto of_bands = span_of<const double>(weights, "weights", {call.bands.number});
      return std::tuple(in, of_bands, on_grid<double>(plan, density, "density"));
    };
    const auto work = [&](auto& of) {
      const auto& [in, of_bands, sum] = of;
      if constexpr (starts) return call.fft.start_add_density(in, of_bands, call.bands.number, sum);
      if constexpr (!starts) call.fft.add_density(in, of_bands, call.bands.number, sum);
    };
    return answer_on_bands<starts>(plan.held, arrays, work, density, psi, weights);
  });
}

/// The plan for `Value` in `plan`. \throws Error for another kind
template <class Value>
SphereFft<Value>& same_kind(const SpherePlan& plan) {
  auto* typed = std::get_if<SphereFft<Value>>(&plan.held.peek());
  if (typed == nullptr) throw BadArgument("the plans have different dtypes: create both with one dtype");
  return *typed;
}
/// Coefficients on the waves of another plan, for the bands of a call.
template <class Complex, class Call>
Coefficients<Complex> on_waves_of(const SpherePlan& plan, const Call& call, const Array& array, const char* name) {
  const Extents shape = joined(call.bands.axis, band_extents(plan.components, plan.waves));
  return coefficients_of<Complex>(array, name, shape, plan.on_device);
}

template <bool starts>
auto apply_perturbation(const SpherePlan& plan, const SpherePlan& target, const Array& psi, const Array& potential,
                        Array out, bool add) {
  return with_call(plan, [&](auto call) {
    using Complex = typename decltype(call)::Complex;
    const auto arrays = [&] {
      auto& to = same_kind<typename decltype(call)::Value>(target);
      const auto in = call.given(psi, "psi");
      if (add && out.is_none()) throw BadArgument("add needs an array to add to: pass out");
      if (out.is_none()) {
        const Extents one = band_extents(target.components, target.waves);
        out = empty(nb::dtype<Complex>(), joined(call.bands.axis, one));
      }
      const auto into = on_waves_of<Complex>(target, call, out, "out");
      return std::tuple(&to, in, into, on_grid<const std::complex<double>>(plan, potential, "potential"));
    };
    const auto work = [&](auto& of) {
      const auto& [to, in, into, factors] = of;
      const std::int64_t bands = call.bands.number;
      if constexpr (starts) return call.fft.start_apply_perturbation(*to, in, into, bands, factors, result_of(add));
      if constexpr (!starts) call.fft.apply_perturbation(*to, in, into, bands, factors, result_of(add));
    };
    return answer_on_bands<starts>(plan.held, arrays, work, out, psi, potential);
  });
}

template <bool starts>
auto add_products(const SpherePlan& plan, const SpherePlan& other, const Array& left, const Array& right,
                  const Array& weights, const Array& density) {
  return with_call(plan, [&](auto call) {
    using Complex = typename decltype(call)::Complex;
    const auto arrays = [&] {
      auto& others = same_kind<typename decltype(call)::Value>(other);
      const auto psi = call.given(left, "left");
      const auto phi = on_waves_of<const Complex>(other, call, right, "right");
      const auto of_bands = span_of<const double>(weights, "weights", {call.bands.number});
      return std::tuple(&others, psi, phi, of_bands, on_grid<std::complex<double>>(plan, density, "density"));
    };
    const auto work = [&](auto& of) {
      const auto& [others, psi, phi, of_bands, sum] = of;
      if constexpr (starts) return call.fft.start_add_products(*others, psi, phi, of_bands, call.bands.number, sum);
      if constexpr (!starts) call.fft.add_products(*others, psi, phi, of_bands, call.bands.number, sum);
    };
    return answer_on_bands<starts>(plan.held, arrays, work, density, left, right, weights);
  });
}

/// Calls work(double or complex) by the dtype of the array. span_of reports other types.
template <class Work>
void with_real_or_complex(const Array& array, const Work& work) {
  if (nb::hasattr(array, "dtype") && nb::cast<std::string>(array.attr("dtype").attr("kind")) == "c") {
    work(std::complex<double>{});
  } else {
    work(double{});
  }
}

/// Leading axis of an array of several fields.
Extents fields_of(const Array& array, const char* name) {
  const Extents shape = shape_of(array, name);
  return shape.size() == 4 ? Extents{shape[0]} : Extents{};
}

/// One field on a box, or several.
template <class T>
std::span<T> on_box(const Box& box, const Array& array, const char* name) {
  return span_of<T>(array, name, joined(fields_of(array, name), extents_of(box)));
}

Array spread(const SpherePlan& plan, const Box& box, const Array& values, Array here) {
  with_real_or_complex(values, [&](auto kind) {
    using Value = decltype(kind);
    const auto arrays = [&] {
      const auto from = on_box<const Value>(box, values, "values");
      const Extents shape = joined(fields_of(values, "values"), extents_of(plan.box));
      if (here.is_none()) here = empty(nb::dtype<Value>(), shape);
      return std::pair(from, span_of<Value>(here, "here", shape));
    };
    collective(plan.held, arrays,
               [&](auto& any, auto& of) { std::visit([&](auto& fft) { fft.spread(box, of.first, of.second); }, any); });
  });
  return here;
}

Array collect(const SpherePlan& plan, const Array& here, const Box& box, const Array& values) {
  with_real_or_complex(values, [&](auto kind) {
    using Value = decltype(kind);
    const auto arrays = [&] {
      const auto from = on_box<const Value>(plan.box, here, "here");
      return std::pair(from, on_box<Value>(box, values, "values"));
    };
    collective(plan.held, arrays, [&](auto& any, auto& of) {
      std::visit([&](auto& fft) { fft.collect(of.first, box, of.second); }, any);
    });
  });
  return values;
}

/// Shape of grid values of all bands on a box.
template <class Call>
Extents bands_on_box(const Call& call, const Box& box) {
  return joined(call.plan.components == 1 ? call.bands.axis : joined(call.bands.axis, {call.plan.components}),
                extents_of(box));
}

Array backward_to_boxes(const SpherePlan& plan, const Array& psi, const Box& box, Array values) {
  with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      const auto in = call.given(psi, "psi");
      const Extents shape = bands_on_box(call, box);
      if (values.is_none()) values = empty(nb::dtype<Value>(), shape);
      return std::pair(in, span_of<Value>(values, "values", shape));
    };
    on_bands(plan.held, arrays,
             [&](auto& of) { call.fft.backward_to_boxes(of.first, box, of.second, call.bands.number); });
  });
  return values;
}

Array forward_from_boxes(const SpherePlan& plan, const Box& box, const Array& values, Array psi) {
  with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      call.bands = bands_of(values, "values", plan.components == 1 ? 3 : 4, false);
      const auto out = call.wanted(psi, "psi");
      return std::pair(span_of<const Value>(values, "values", bands_on_box(call, box)), out);
    };
    on_bands(plan.held, arrays,
             [&](auto& of) { call.fft.forward_from_boxes(box, of.first, of.second, call.bands.number); });
  });
  return psi;
}

template <class Value>
using StreamOf = typename SphereFft<Value>::Stream;
using Flow =
    std::variant<StreamOf<double>, StreamOf<float>, StreamOf<std::complex<double>>, StreamOf<std::complex<float>>>;

struct SphereStream {
  Extents one;                           // shape of a band's coefficients
  bool on_device;                        // accepts arrays in device memory
  std::optional<GridFunction> function;  // released by finish(), because it may refer to this stream
  Held<Flow> held;
};

void add(const SphereStream& stream, const Array& psi) {
  const auto add_to = [&]<class Stream>(Stream& flowing) {
    using Complex = std::conditional_t<std::is_same_v<Stream, StreamOf<float>> ||
                                           std::is_same_v<Stream, StreamOf<std::complex<float>>>,
                                       std::complex<float>, std::complex<double>>;
    Bands bands;
    const Held<Flow>::Busy busy(stream.held);
    checked(
        stream.held.comm(),
        [&] {
          bands = bands_of(psi, "psi", stream.one.size(), stream.on_device);
          return coefficients_of<const Complex>(psi, "psi", joined(bands.axis, stream.one), stream.on_device);
        },
        [&](const auto& problem) { agree_on_bands(stream.held.comm(), bands.number, problem); },  // not done by add()
        [&](auto& in) { flowing.add(in, bands.number); });
  };
  std::visit(add_to, stream.held.peek());
}

void finish(SphereStream& stream) {
  if (stream.held.closed()) return;
  const auto fault = collective(stream.held, [](auto& flowing) {
    return fault_of([&] { std::visit([](auto& one) { one.finish(); }, flowing); });
  });
  stream.held.close();
  const GridFunction function = *std::exchange(stream.function, std::nullopt);
  if (fault) function.raise(*fault);
}

using OfGrid = nb::typed<nb::callable, void(int, Box, Array)>;
SphereStream make_stream(const SpherePlan& plan, OfGrid function) {
  GridFunction called(std::move(function));
  return with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const Held<OfAnyKind<SphereFft>>::Busy busy(plan.held);
    auto held = held_of<Flow>(
        "stream", plan.held.comm(), [&] { plan.held.peek(); },
        [&]() -> Flow { return call.fft.open_stream(for_components<Value>(called)); });
    return SphereStream{call.one(), plan.on_device, called, std::move(held)};
  });
}

}  // namespace

void bind_sphere_stream(nb::module_& module, nb::class_<SpherePlan>& plan) {
  nb::class_<SphereStream> stream(
      module, "SphereStream",
      R"(Transforms bands to the grid as they become available. SphereFft.stream() creates it.

It is a context manager; leaving it calls finish(). One thread at a time may use a stream and its communicator.)");
  calls_on_bands(stream).def(
      "add", &add, "psi"_a, "Adds bands, an array (bands, n), which may be changed when the call returns. Collective.");
  stream.def("finish", &finish, "Completes all bands. Raises the first error of any rank. Collective.")
      .def("__repr__", [](const SphereStream& self) {
        return self.held.closed() ? "<seiche.SphereStream, finished>" : "<seiche.SphereStream>";
      });
  bind_with(stream, [](SphereStream& self, const nb::args& exception) {
    if (is_raised(exception)) return self.held.leave(exception);
    finish(self);
  });
  Calls(plan).def("stream", &make_stream, "function"_a,
                  "Opens a SphereStream, which calls `function` for each band on the grid. Collective.");
}

void bind_sphere_operators(nb::class_<SpherePlan>& plan) {
  calls_on_bands(plan)
      .def("apply_potential", &apply_potential<false>, "psi"_a, "potential"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false,
           R"(Multiplies each band by a real potential on the grid and transforms it back. Collective.

`potential` is a float64 array (nz, ny, nx) on grid_box. For spinors it may be (4, nz, ny, nx) with v, bx, by, bz, which
applies v + b.sigma. Returns `out` (which may be `psi`) or a new array. With `add` the result is added to `out`, as in
h_psi += V psi.)")
      .def("add_density", &add_density<false>, "psi"_a, "weights"_a, "density"_a,
           R"(Adds sum_b weights[b] |psi_b(r)|^2 to `density`, a float64 array (nz, ny, nx) on grid_box. Collective.

For spinors it may be (4, nz, ny, nx) with n, mx, my, mz. Only bands of this rank's group contribute; collect() sums over
groups.)")
      .def("apply_perturbation", &apply_perturbation<false>, "target"_a, "psi"_a, "potential"_a, "out"_a = nb::none(),
           nb::kw_only(), "add"_a = false,
           R"(Multiplies bands by a complex potential and transforms them to the waves of the plan `target`. Collective.

Linear response needs it with spheres of k and k + q: dpsi = dV psi. Both plans have full spheres, and the same
communicator, shape and options, on the host. They may be the same plan. `psi` is on the waves of this plan, `out` on the
waves of `target`. `potential` is a complex128 array (nz, ny, nx) on grid_box, or (4, nz, ny, nx) as for apply_potential(). Returns
`out` or a new array. With `add` the result is added to `out`.)")
      .def("add_products", &add_products<false>, "other"_a, "left"_a, "right"_a, "weights"_a, "density"_a,
           R"(Adds sum_b weights[b] conj(psi_b(r)) phi_b(r) to `density`, a complex128 array (nz, ny, nx). Collective.

The bands psi are `left` on the waves of this plan, and phi are `right` on the waves of `other`. Plans are as for
apply_perturbation(). For spinors `density` may be (4, nz, ny, nx) with n, mx, my, mz, the sums with 1, sigma_x, sigma_y and
sigma_z between both bands. Only bands of this rank's group contribute; collect() sums over groups.)")
      .def(
          "backward_to_boxes", &backward_to_boxes, "psi"_a, "box"_a, "values"_a = nb::none(),
          R"(Transforms coefficients (bands, n) to grid values (bands, nz, ny, nx) on `box`, this rank's part. Collective.

All ranks receive all bands. The boxes of all ranks must cover each grid point once; some may be empty. Returns `values`
or a new array.)")
      .def("forward_from_boxes", &forward_from_boxes, "box"_a, "values"_a, "psi"_a = nb::none(),
           R"(Transforms grid values (bands, nz, ny, nx) on `box` to coefficients. Collective.

Boxes are the same as for backward_to_boxes(). Returns `psi` or a new array.)");
  Calls(plan)
      .def("start_apply_potential", &apply_potential<true>, "psi"_a, "potential"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, "Starts apply_potential(). Returns a seiche.Pending. Collective.")
      .def("start_add_density", &add_density<true>, "psi"_a, "weights"_a, "density"_a,
           "Starts add_density(). Returns a seiche.Pending. Collective.")
      .def("start_apply_perturbation", &apply_perturbation<true>, "target"_a, "psi"_a, "potential"_a,
           "out"_a = nb::none(), nb::kw_only(), "add"_a = false,
           "Starts apply_perturbation(). Returns a seiche.Pending. Collective.")
      .def("start_add_products", &add_products<true>, "other"_a, "left"_a, "right"_a, "weights"_a, "density"_a,
           "Starts add_products(). Returns a seiche.Pending. Collective.")
      .def("spread", &spread, "box"_a, "values"_a, "here"_a = nb::none(),
           R"(Redistributes fields from the caller's layout to `here` or a new array on grid_box. Collective.

`values` is an array (nz, ny, nx) or (fields, nz, ny, nx) on `box`, this rank's part. It is float64 or complex128, the
same on all ranks. The boxes of all ranks must cover each grid point once; some may be empty. Returns `here`.)")
      .def(
          "collect", &collect, "here"_a, "box"_a, "values"_a,
          R"(Redistributes fields from `here` on grid_box, sums them over band groups, and adds them to `values`. Collective.

`values` is on `box`. Arrays and boxes are the same as for spread(). Returns `values`.)");
}

}  // namespace seiche::python
