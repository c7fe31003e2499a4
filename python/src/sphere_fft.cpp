// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of spheres of plane waves, many bands in a call.
#include <optional>

#include "sphere_plan.hpp"

namespace seiche::python {

namespace {

SpherePlan make_plan(const Shape& shape, const Array& waves, const Dtype& dtype, const Comm& comm,
                     const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  PlanRequest asked;
  std::span<const Miller> mine;
  auto held = held_of<OfAnyKind<SphereFft>>(
      "SphereFft", own,
      [&] {
        asked = request_of(shape, dtype, options);
        mine = waves_of(waves, "waves");
      },
      [&] { return of_kind<SphereFft>(asked.kind, own, asked.shape, mine, asked.options); });
  const Box box = std::visit([](const auto& fft) { return fft.grid_box(); }, held.peek());
  return {asked.shape, std::ssize(mine), asked.options.components, asked.kind, box, std::move(held)};
}

Array backward(const SpherePlan& plan, const Array& waves, Array grid) {
  with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      const auto in = call.given(waves, "waves");
      if (grid.is_none()) grid = empty(nb::dtype<Value>(), call.grid());
      return std::pair(in, span_of<Value>(grid, "grid", call.grid()));
    };
    on_bands(plan.held, arrays, [&](auto& of) { call.fft.backward(of.first, of.second, call.bands.number); });
  });
  return grid;
}

Array forward(const SpherePlan& plan, const Array& grid, Array waves, std::optional<std::int64_t> bands) {
  with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      if (!waves.is_none()) {
        call.bands = bands_of(waves, "waves", call.one().size());
      } else if (bands) {
        call.bands = {*bands, {*bands}};
      } else {
        call.bands = bands_of(grid, "grid", plan.components == 1 ? 3 : 4);
      }
      const auto out = call.wanted(waves, "waves");
      return std::pair(span_of<const Value>(grid, "grid", call.grid()), out);
    };
    on_bands(plan.held, arrays, [&](auto& of) { call.fft.forward(of.first, of.second, call.bands.number); });
  });
  return waves;
}

/// Collective. work(call, arrays) with a function on the grid, whose exception becomes the cause of what is raised.
template <class Arrays, class Work>
void with_function(const SpherePlan& plan, const GridFunction& function, const Arrays& arrays, const Work& work) {
  with_call(plan, [&](auto call) {
    try {
      on_bands(
          plan.held, [&] { return arrays(call); }, [&](auto& of) { work(call, of); });
    } catch (const Error& error) {
      function.raise(error);
    }
  });
}

Array round_trip(const SpherePlan& plan, const Array& waves, nb::callable function, Array out, bool add) {
  const GridFunction called(std::move(function));
  with_function(
      plan, called,
      [&](auto& call) {
        const auto in = call.given(waves, "waves");
        return std::pair(in, call.wanted(out, "out", add));
      },
      [&](auto& call, auto& of) {
        using Value = typename std::remove_cvref_t<decltype(call)>::Value;
        call.fft.round_trip_spinors(of.first, of.second, call.bands.number, for_components<Value>(called),
                                    result_of(add));
      });
  return out;
}

void to_grid(const SpherePlan& plan, const Array& waves, nb::callable function) {
  const GridFunction called(std::move(function));
  with_function(
      plan, called, [&](auto& call) { return call.given(waves, "waves"); },
      [&](auto& call, auto& in) {
        using Value = typename std::remove_cvref_t<decltype(call)>::Value;
        call.fft.to_grid_spinors(in, call.bands.number, for_components<Value>(called));
      });
}

void exchange_only(const SpherePlan& plan, std::int64_t bands, bool asleep) {
  collective(plan.held, [&](auto& any) { std::visit([&](auto& fft) { fft.exchange_only(bands, asleep); }, any); });
}

std::int64_t bands_here(const SpherePlan& plan, std::int64_t bands) {
  return std::visit([&](const auto& fft) { return fft.bands_here(bands); }, plan.any());
}

nb::str plan_text(const SpherePlan& plan) {
  if (plan.held.closed()) return nb::str("<seiche.SphereFft, closed>");
  const auto report = std::visit([](const auto& fft) { return fft.report(); }, plan.any());
  return text("<seiche.SphereFft of {} points, {}: {} on {} ranks, here {} waves and {}>", tuple_of(plan.shape),
              name_of(plan.kind), report.decomposition, plan.held.comm().size(), plan.waves,
              text_of(extents_of(plan.box)));
}

constexpr const char* doc_of_plan = R"(Transforms plane-wave coefficients c(G) of bands to values on a grid, and back.

Parameters
----------
shape : tuple of int
    Points (nx, ny, nz). Arrays on the grid are [z, y, x]: x lies in a row.
waves : int32 array, (n, 3)
    The waves whose coefficients this rank holds, in its own order; n may be 0.
dtype : dtype, default complex128
    Of grid values: complex128 or complex64 for full spheres, float64 or float32 for half ones (real functions, of
    which either of G and -G is given).
comm : mpi4py.MPI.Comm, or another handle (docs/python.md), optional
    Collective over it. Default: all processes.
options : keywords
    See below, docs/fft.md and docs/exchange.md.

Coefficients are arrays (bands, n), or (n,) of one band; with two components (bands, 2, n). Grid values are
(bands, nz, ny, nx) on grid_box, of the bands that this rank's group transforms. Arrays are taken where they lie: one of
another dtype, shape or order is refused. Raises seiche.Error on all ranks or on none. A context manager: its end is
collective. One thread at a time may use the plan and its communicator; another one gets seiche.BadArgument.)";

constexpr const char* doc_of_round_trip = R"(For each band: to the grid, `function`, back to coefficients. Collective.

Parameters
----------
waves : complex array, (bands, n)
function : callable
    function(band, box, values) is called for parts of each band; it may change `values`, an array (z, y, x) on
    the seiche.Box `box` ((component, z, y, x) with two components), whose memory is the plan's: copy what is to be
    kept. What it raises on one rank, all ranks raise as seiche.Error.
out : complex array, (bands, n), optional
    May be `waves`. Default: a new array.
add : bool
    What comes back is added to `out` rather than written over it.

Returns
-------
out)";

void bind_transforms(nb::class_<SpherePlan>& plan) {
  def_with<FftOptions>(plan, "__init__", init(&make_plan), "shape"_a, "waves"_a.none(), "dtype"_a = "complex128",
                       "comm"_a = nb::none());
  plan.def("backward", &backward, "waves"_a.none(), "grid"_a = nb::none(),
           "Coefficients (bands, n) to grid values (bands, nz, ny, nx), in `grid` or a new array. Collective.")
      .def("forward", &forward, "grid"_a.none(), "waves"_a = nb::none(), "bands"_a = nb::none(),
           R"(Grid values to coefficients, in `waves` or a new array; the inverse of backward. Collective.

With several band groups say how many bands all groups have together, unless `waves` says so.)")
      .def("round_trip", &round_trip, "waves"_a.none(), "function"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, doc_of_round_trip)
      .def("to_grid", &to_grid, "waves"_a.none(), "function"_a,
           "For each band: to the grid and `function`, as in round_trip; nothing comes back. Collective.")
      .def("exchange_only", &exchange_only, "bands"_a = 1, "asleep"_a = false,
           "Moves what a round trip would move, and computes nothing. Collective.")
      .def("bands_here", &bands_here, "bands"_a, "How many of so many bands this rank's group transforms. Local.");
}

void bind_properties(nb::class_<SpherePlan>& plan) {
  plan.def_prop_ro("first_band_here", asks<SpherePlan>([](const auto& fft) { return fft.first_band_here(); }),
                   "The first band that this rank's group transforms; then every band_groups-th. Local.")
      .def_ro("waves_here", &SpherePlan::waves, "How many waves' coefficients this rank holds. Local.")
      .def_ro("components", &SpherePlan::components, "Of a band. Local.")
      .def_prop_ro("grid_box", asks<SpherePlan>([](const auto& fft) { return fft.grid_box(); }),
                   "The part of the grid that this rank holds: rows along x are whole. Local.");
  bind_reports(plan);
}

}  // namespace

void bind_sphere_fft(nb::module_& module) {
  nb::class_<SpherePlan> plan(module, "SphereFft", doc_with<FftOptions>(doc_of_plan));
  bind_transforms(plan);
  bind_sphere_operators(plan);
  bind_sphere_stream(module, plan);
  bind_properties(plan);
  bind_end(plan, "Frees the plan's windows and buffers. Collective.");
  plan.def("__repr__", &plan_text);
}

}  // namespace seiche::python
