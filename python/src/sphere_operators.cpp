// SPDX-License-Identifier: BSD-3-Clause
/// \file  Potentials and densities of bands, their ways between a caller's boxes of the grid and a plan's, and streams.
#include <complex>
#include <string>
#include <tuple>

#include "sphere_plan.hpp"

namespace seiche::python {

namespace {

/// Of a potential or a density: the grid, or four of them for spinors with magnetism.
template <class T>
std::span<T> on_grid(const SpherePlan& plan, const Array& array, const char* name) {
  const Extents grid = extents_of(plan.box);
  const bool is_magnetic = plan.components == 2 && shape_of(array, name).size() == 4;
  return span_of<T>(array, name, is_magnetic ? joined({4}, grid) : grid);
}

Array apply_potential(const SpherePlan& plan, const Array& waves, const Array& potential, Array out, bool add) {
  with_call(plan, [&](auto call) {
    const auto arrays = [&] {
      const auto in = call.given(waves, "waves");
      const auto into = call.wanted(out, "out", add);
      return std::tuple(in, into, on_grid<const double>(plan, potential, "potential"));
    };
    on_bands(plan.held, arrays, [&](auto& of) {
      const auto& [in, into, factors] = of;
      call.fft.apply_potential(in, into, call.bands.number, factors, result_of(add));
    });
  });
  return out;
}

Array add_density(const SpherePlan& plan, const Array& waves, const Array& weights, const Array& density) {
  with_call(plan, [&](auto call) {
    const auto arrays = [&] {
      const auto in = call.given(waves, "waves");
      const auto of_bands = span_of<const double>(weights, "weights", {call.bands.number});
      return std::tuple(in, of_bands, on_grid<double>(plan, density, "density"));
    };
    on_bands(plan.held, arrays, [&](auto& of) {
      const auto& [in, of_bands, sum] = of;
      call.fft.add_density(in, of_bands, call.bands.number, sum);
    });
  });
  return density;
}

/// work(double or complex) by the array's numbers; of anything else span_of says what is wrong.
template <class Work>
void with_real_or_complex(const Array& array, const Work& work) {
  if (nb::hasattr(array, "dtype") && nb::cast<std::string>(array.attr("dtype").attr("kind")) == "c") {
    work(std::complex<double>{});
  } else {
    work(double{});
  }
}

/// Fields before those of one.
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

template <class Value>
using StreamOf = typename SphereFft<Value>::Stream;
using Flow =
    std::variant<StreamOf<double>, StreamOf<float>, StreamOf<std::complex<double>>, StreamOf<std::complex<float>>>;

struct SphereStream {
  Extents one;                           // of a band's coefficients
  std::optional<GridFunction> function;  // until it is finished: it may hold this stream in turn
  Held<Flow> held;
};

void add(const SphereStream& stream, const Array& waves) {
  const auto add_to = [&]<class Stream>(Stream& flowing) {
    using Complex = std::conditional_t<std::is_same_v<Stream, StreamOf<float>> ||
                                           std::is_same_v<Stream, StreamOf<std::complex<float>>>,
                                       std::complex<float>, std::complex<double>>;
    Bands bands;
    const Held<Flow>::Busy busy(stream.held);
    checked(
        stream.held.comm(),
        [&] {
          bands = bands_of(waves, "waves", stream.one.size());
          return span_of<const Complex>(waves, "waves", joined(bands.axis, stream.one));
        },
        [&](const auto& problem) { agree_on_bands(stream.held.comm(), bands.number, problem); },  // add() does not
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
        [&]() -> Flow { return call.fft.stream_spinors(for_components<Value>(called)); });
    return SphereStream{call.one(), called, std::move(held)};
  });
}

}  // namespace

void bind_sphere_stream(nb::module_& module, nb::class_<SpherePlan>& plan) {
  nb::class_<SphereStream> stream(module, "SphereStream",
                                  R"(The way to the grid for bands that come by and by; made by SphereFft.stream().

A context manager, at whose end all that was added has arrived. One thread at a time may use it and its communicator.)");
  stream
      .def("add", &add, "waves"_a.none(),
           "Brings more bands, an array (bands, n); it has been read when this returns. Collective.")
      .def("finish", &finish, "Waits for all that is on its way. Collective. Raises what went wrong on any rank.")
      .def("__repr__", [](const SphereStream& self) {
        return self.held.closed() ? "<seiche.SphereStream, finished>" : "<seiche.SphereStream>";
      });
  bind_with(stream, [](SphereStream& self, const nb::args& exception) {
    if (is_raised(exception)) return self.held.leave(exception);
    finish(self);
  });
  plan.def("stream", &make_stream, "function"_a,
           "A SphereStream, which takes bands as they come and calls `function` for them on the grid. Collective.");
}

void bind_sphere_operators(nb::class_<SpherePlan>& plan) {
  plan.def("apply_potential", &apply_potential, "waves"_a.none(), "potential"_a.none(), "out"_a = nb::none(),
           nb::kw_only(), "add"_a = false,
           R"(A round trip in which each band is multiplied by a real potential. Collective.

`potential` is a float64 array (nz, ny, nx) on grid_box; for spinors also (4, nz, ny, nx), v, bx, by, bz: v + b.sigma.
Returns `out` or a new array, which may be `waves`; with `add` the result is added to `out`, as in h_psi += V psi.)")
      .def("add_density", &add_density, "waves"_a.none(), "weights"_a.none(), "density"_a.none(),
           R"(Adds sum_b weights[b] |psi_b(r)|^2 to `density`, a float64 array (nz, ny, nx) on grid_box. Collective.

For spinors also (4, nz, ny, nx): n, mx, my, mz. With several band groups of this rank's group alone: collect() sums over
groups.)")
      .def("spread", &spread, "box"_a, "values"_a.none(), "here"_a = nb::none(),
           R"(Copies fields from your own layout of the grid to `here` or a new array on grid_box. Collective.

`values` is an array (nz, ny, nx), or (fields, nz, ny, nx), on `box`, this rank's part. It is float64 or complex128, the
same on all ranks. The boxes of all ranks make up the grid, each point once; some may be empty. Returns `here`.)")
      .def("collect", &collect, "here"_a.none(), "box"_a, "values"_a.none(),
           R"(Adds fields in `here` on grid_box, summed over band groups, to `values` on `box`. Collective.

The way back of spread(), by the same rules. Returns `values`.)");
}

}  // namespace seiche::python
