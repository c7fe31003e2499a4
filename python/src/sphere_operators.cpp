// SPDX-License-Identifier: BSD-3-Clause
/// \file  Potentials and densities of bands, and their ways between a caller's boxes of the grid and a plan's.
#include <complex>
#include <string>

#include "sphere_plan.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

/// Of a potential or a density: the grid, or four of them for spinors with magnetism.
Extents grid_extents(const SpherePlan& plan, const Array& array, const char* name) {
  const Extents grid = extents_of(plan.box);
  return plan.components == 2 && shape_of(array, name).size() == 4 ? joined({4}, grid) : grid;
}

Array apply_potential(const SpherePlan& plan, const Array& waves, const Array& potential, Array out, bool add) {
  with_call(plan, [&](auto call) {
    std::span<const typename decltype(call)::Complex> in;
    std::span<typename decltype(call)::Complex> into;
    std::span<const double> factors;
    on_bands(
        plan.held,
        [&] {
          in = call.given(waves, "waves");
          into = call.wanted(out, "out", add);
          factors = span_of<const double>(potential, "potential", grid_extents(plan, potential, "potential"));
        },
        [&] { call.fft.apply_potential(in, into, call.bands.number, factors, result_of(add)); });
  });
  return out;
}

Array add_density(const SpherePlan& plan, const Array& waves, const Array& weights, const Array& density) {
  with_call(plan, [&](auto call) {
    std::span<const typename decltype(call)::Complex> in;
    std::span<const double> of_bands;
    std::span<double> sum;
    on_bands(
        plan.held,
        [&] {
          in = call.given(waves, "waves");
          of_bands = span_of<const double>(weights, "weights", {call.bands.number});
          sum = span_of<double>(density, "density", grid_extents(plan, density, "density"));
        },
        [&] { call.fft.add_density(in, of_bands, call.bands.number, sum); });
  });
  return density;
}

/// Whether an array has complex values; of anything else span_of says what is wrong.
bool is_complex(const Array& array) {
  if (!nb::hasattr(array, "dtype")) return false;
  return nb::cast<std::string>(array.attr("dtype").attr("kind")) == "c";
}

/// One field on a box, or several.
Extents field_extents(const Box& box, const Array& array, const char* name) {
  const Extents shape = shape_of(array, name);
  return shape.size() == 4 ? joined({shape[0]}, extents_of(box)) : extents_of(box);
}

template <class Value>
Array spread_of(const SpherePlan& plan, const Box& box, const Array& values, Array here) {
  with_call(plan, [&](auto call) {
    std::span<const Value> from;
    std::span<Value> to;
    collective(
        plan.held,
        [&] {
          from = span_of<const Value>(values, "values", field_extents(box, values, "values"));
          const Extents shape = shape_of(values, "values");
          const Extents fields(shape.begin(), shape.end() - 3);
          if (here.is_none()) here = empty(nb::dtype<Value>(), joined(fields, extents_of(plan.box)));
          to = span_of<Value>(here, "here", joined(fields, extents_of(plan.box)));
        },
        [&](auto&) { call.fft.spread(box, from, to); });
  });
  return here;
}

Array spread(const SpherePlan& plan, const Box& box, const Array& values, const Array& here) {
  return is_complex(values) ? spread_of<std::complex<double>>(plan, box, values, here)
                            : spread_of<double>(plan, box, values, here);
}

template <class Value>
Array collect_of(const SpherePlan& plan, const Array& here, const Box& box, const Array& values) {
  with_call(plan, [&](auto call) {
    std::span<const Value> from;
    std::span<Value> to;
    collective(
        plan.held,
        [&] {
          from = span_of<const Value>(here, "here", field_extents(plan.box, here, "here"));
          to = span_of<Value>(values, "values", field_extents(box, values, "values"));
        },
        [&](auto&) { call.fft.collect(from, box, to); });
  });
  return values;
}

Array collect(const SpherePlan& plan, const Array& here, const Box& box, const Array& values) {
  return is_complex(values) ? collect_of<std::complex<double>>(plan, here, box, values)
                            : collect_of<double>(plan, here, box, values);
}

}  // namespace

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
