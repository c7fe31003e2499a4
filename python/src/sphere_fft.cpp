// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of spheres of plane waves, many bands in a call.
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "communicators.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "sphere_plan.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

SpherePlan make_plan(nb::handle shape, const Array& waves, nb::handle dtype, const Comm& comm,
                     const nb::kwargs& keywords) {
  const Communicator own = communicator(comm);
  GridShape grid;
  Kind kind{};
  FftOptions options;
  std::span<const Miller> mine;
  auto held = held_of<OfAnyKind<SphereFft>>(
      "SphereFft", own,
      [&] {
        grid = grid_shape_of(shape);
        kind = kind_of(dtype);
        options = fft_options(keywords);
        mine = waves_of(waves, "waves");
      },
      [&](auto& made) {
        with_kind(kind, [&](auto value) { made.emplace(SphereFft<decltype(value)>(own, grid, mine, options)); });
      });
  const Box box = std::visit([](const auto& fft) { return fft.grid_box(); }, held.peek());
  return {grid, static_cast<std::int64_t>(mine.size()), options.components, kind, box, std::move(held)};
}

Array backward(const SpherePlan& plan, const Array& waves, Array grid) {
  with_call(plan, [&](auto call) {
    using Value = typename ValueOf<std::remove_cvref_t<decltype(call.fft)>>::type;
    std::span<const typename decltype(call)::Complex> in;
    std::span<Value> values;
    on_bands(
        plan.held,
        [&] {
          in = call.given(waves, "waves");
          if (grid.is_none()) grid = empty(nb::dtype<Value>(), call.grid());
          values = span_of<Value>(grid, "grid", call.grid());
        },
        [&] { call.fft.backward(in, values, call.bands.number); });
  });
  return grid;
}

Array forward(const SpherePlan& plan, const Array& grid, Array waves, std::optional<std::int64_t> bands) {
  with_call(plan, [&](auto call) {
    using Value = typename ValueOf<std::remove_cvref_t<decltype(call.fft)>>::type;
    std::span<const Value> values;
    std::span<typename decltype(call)::Complex> out;
    on_bands(
        plan.held,
        [&] {
          if (!waves.is_none())
            call.bands = bands_of(waves, "waves", call.one().size());
          else if (bands)
            call.bands = {*bands, {*bands}};
          else
            call.bands = bands_of(grid, "grid", plan.components == 1 ? 3 : 4);
          out = call.wanted(waves, "waves");
          values = span_of<const Value>(grid, "grid", call.grid());
        },
        [&] { call.fft.forward(values, out, call.bands.number); });
  });
  return waves;
}

Array round_trip(const SpherePlan& plan, const Array& waves, nb::callable function, Array out, bool add) {
  const GridFunction called(std::move(function));
  with_call(plan, [&](auto call) {
    using Value = typename ValueOf<std::remove_cvref_t<decltype(call.fft)>>::type;
    std::span<const typename decltype(call)::Complex> in;
    std::span<typename decltype(call)::Complex> into;
    try {
      on_bands(
          plan.held,
          [&] {
            in = call.given(waves, "waves");
            into = call.wanted(out, "out", add);
          },
          [&] {
            call.fft.round_trip_spinors(in, into, call.bands.number, for_components<Value>(called), result_of(add));
          });
    } catch (const Error& error) {
      called.raise(error);
    }
  });
  return out;
}

void to_grid(const SpherePlan& plan, const Array& waves, nb::callable function) {
  const GridFunction called(std::move(function));
  with_call(plan, [&](auto call) {
    using Value = typename ValueOf<std::remove_cvref_t<decltype(call.fft)>>::type;
    std::span<const typename decltype(call)::Complex> in;
    try {
      on_bands(
          plan.held, [&] { in = call.given(waves, "waves"); },
          [&] { call.fft.to_grid_spinors(in, call.bands.number, for_components<Value>(called)); });
    } catch (const Error& error) {
      called.raise(error);
    }
  });
}

std::string plan_text(const SpherePlan& plan) {
  if (plan.held.closed()) return "<seiche.SphereFft, closed>";
  const auto report = std::visit([](const auto& fft) { return fft.report(); }, plan.held.peek());
  return "<seiche.SphereFft of " + text_of({plan.shape.nx, plan.shape.ny, plan.shape.nz}) + " points, " +
         name_of(plan.kind) + ": " + report.decomposition + " on " + std::to_string(plan.held.comm().size()) +
         " ranks, here " + std::to_string(plan.waves) + " waves and " + text_of(extents_of(plan.box)) + ">";
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
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.
algorithm, decomposition, library, threads, reproducible, progress, window, memory,
band_groups, rounded_exchange, components, space
    As in the C++ `FftOptions`: see docs/fft.md and docs/exchange.md.

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
  plan.def(
          "__init__",
          [](SpherePlan* self, nb::handle shape, const Array& waves, nb::handle dtype, const Comm& comm,
             const nb::kwargs& options) { new (self) SpherePlan(make_plan(shape, waves, dtype, comm, options)); },
          "shape"_a, "waves"_a.none(), "dtype"_a = "complex128", "comm"_a = nb::none(), "options"_a,
          signature<FftOptions>("def __init__(self, shape: tuple[int, int, int], waves: numpy.ndarray, dtype: "
                                "numpy.typing.DTypeLike = 'complex128', comm: mpi4py.MPI.Comm | None = None, *, ",
                                ") -> None"))
      .def("backward", &backward, "waves"_a.none(), "grid"_a = nb::none(),
           R"(Coefficients (bands, n) to grid values (bands, nz, ny, nx), in `grid` or a new array. Collective.)")
      .def("forward", &forward, "grid"_a.none(), "waves"_a = nb::none(), "bands"_a = nb::none(),
           R"(Grid values to coefficients, in `waves` or a new array; the inverse of backward. Collective.

With several band groups say how many bands all groups have together, unless `waves` says so.)")
      .def("round_trip", &round_trip, "waves"_a.none(), "function"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, doc_of_round_trip)
      .def("to_grid", &to_grid, "waves"_a.none(), "function"_a,
           R"(For each band: to the grid and `function`, as in round_trip; nothing comes back. Collective.)");
}

void bind_more(nb::class_<SpherePlan>& plan) {
  plan.def("stream", &make_stream, "function"_a,
           nb::sig(
               "def stream(self, function: collections.abc.Callable[[int, Box, numpy.ndarray], None]) -> SphereStream"),
           R"(A SphereStream, which takes bands as they come and calls `function` for them on the grid. Collective.)")
      .def(
          "exchange_only",
          [](const SpherePlan& self, std::int64_t bands, bool asleep) {
            collective(
                self.held, [] {},
                [&](auto& any) { std::visit([&](auto& fft) { fft.exchange_only(bands, asleep); }, any); });
          },
          "bands"_a = 1, "asleep"_a = false, R"(Moves what a round trip would move, and computes nothing. Collective.)")
      .def(
          "bands_here",
          [](const SpherePlan& self, std::int64_t bands) {
            return std::visit([&](const auto& fft) { return fft.bands_here(bands); }, self.held.peek());
          },
          "bands"_a, "How many of so many bands this rank's group transforms. Local.");
}

void bind_properties(nb::class_<SpherePlan>& plan) {
  plan.def_prop_ro(
          "first_band_here",
          [](const SpherePlan& self) {
            return std::visit([](const auto& fft) { return fft.first_band_here(); }, self.held.peek());
          },
          "The first band that this rank's group transforms; then every band_groups-th. Local.")
      .def_prop_ro(
          "shape", [](const SpherePlan& self) { return tuple_of(self.shape); }, "Points (nx, ny, nz). Local.")
      .def_prop_ro(
          "dtype", [](const SpherePlan& self) { return name_of(self.kind); }, "Of grid values. Local.")
      .def_prop_ro(
          "waves_here", [](const SpherePlan& self) { return self.waves; },
          "How many waves' coefficients this rank holds. Local.")
      .def_prop_ro(
          "components", [](const SpherePlan& self) { return self.components; }, "Of a band. Local.")
      .def_prop_ro(
          "grid_box", [](const SpherePlan& self) { return self.held.peek(), self.box; },
          "The part of the grid that this rank holds: rows along x are whole. Local.");
  bind_reports(plan);
}

}  // namespace

void bind_sphere_fft(nb::module_& module) {
  bind_sphere_stream(module);
  nb::class_<SpherePlan> plan(module, "SphereFft", doc_of_plan);
  bind_transforms(plan);
  bind_sphere_operators(plan);
  bind_more(plan);
  bind_properties(plan);
  bind_end(plan, "Frees the plan's windows and buffers. Collective.");
  plan.def("__repr__", &plan_text);
}

}  // namespace seiche::python
