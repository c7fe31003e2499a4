// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of spheres of plane waves.
#include <optional>

#include "py_pending.hpp"
#include "py_sphere_plan.hpp"

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
  return {
      asked.shape,    std::ssize(mine), asked.options.components, asked.kind, box, asked.options.space == Space::cuda,
      std::move(held)};
}

template <bool starts>
auto backward(const SpherePlan& plan, const Array& psi, Array grid) {
  return with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      const auto in = call.given(psi, "psi");
      if (grid.is_none()) grid = call.fresh(nb::dtype<Value>(), call.grid());
      return std::pair(in, span_of<Value>(grid, "grid", call.grid(), plan.on_device));
    };
    const auto work = [&](auto& of) {
      if constexpr (starts) return call.fft.start_backward(of.first, of.second, call.bands.number);
      if constexpr (!starts) call.fft.backward(of.first, of.second, call.bands.number);
    };
    return answer_on_bands<starts>(plan.held, arrays, work, grid, psi);
  });
}

template <bool starts>
auto forward(const SpherePlan& plan, const Array& grid, Array psi, std::optional<std::int64_t> bands) {
  return with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    const auto arrays = [&] {
      if (!psi.is_none()) {
        call.bands = bands_of(psi, "psi", call.one().size(), plan.on_device);
      } else if (bands) {
        call.bands = {*bands, {*bands}};
      } else {
        call.bands = bands_of(grid, "grid", plan.components == 1 ? 3 : 4, plan.on_device);
      }
      call.model = grid;
      const auto out = call.wanted(psi, "psi");
      return std::pair(span_of<const Value>(grid, "grid", call.grid(), plan.on_device), out);
    };
    const auto work = [&](auto& of) {
      if constexpr (starts) return call.fft.start_forward(of.first, of.second, call.bands.number);
      if constexpr (!starts) call.fft.forward(of.first, of.second, call.bands.number);
    };
    return answer_on_bands<starts>(plan.held, arrays, work, psi, grid);
  });
}

/// Collective. Calls work(call, arrays) with a callback on the grid. Its exception becomes the cause of the Error.
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

/// Checked arguments of round_trip(). Creates `out` if it is None.
template <class Call>
auto arrays_of_round_trip(Call& call, const Array& psi, Array& out, bool add) {
  const auto in = call.given(psi, "psi");
  return std::pair(in, call.wanted(out, "out", add));
}

/// Converts a callback for a device, or for all components of a band.
template <bool on_device, class Call>
auto callback_of(const Call&, const GridFunction& function) {
  if constexpr (on_device) {
    return for_device<typename Call::Value>(function);
  } else {
    return for_components<typename Call::Value>(function);
  }
}

template <bool on_device>
Array round_trip(const SpherePlan& plan, const Array& psi, nb::callable function, Array out, bool add) {
  const GridFunction called(std::move(function));
  with_function(
      plan, called, [&](auto& call) { return arrays_of_round_trip(call, psi, out, add); },
      [&](auto& call, auto& of) {
        call.fft.round_trip(of.first, of.second, call.bands.number, callback_of<on_device>(call, called),
                            result_of(add));
      });
  return out;
}

template <bool on_device>
void to_grid(const SpherePlan& plan, const Array& psi, nb::callable function) {
  const GridFunction called(std::move(function));
  with_function(
      plan, called, [&](auto& call) { return call.given(psi, "psi"); },
      [&](auto& call, auto& in) { call.fft.to_grid(in, call.bands.number, callback_of<on_device>(call, called)); });
}

PendingCall start_round_trip(const SpherePlan& plan, const Array& psi, nb::callable function, Array out, bool add) {
  const GridFunction called(std::move(function));
  return with_call(plan, [&](auto call) {
    using Value = typename decltype(call)::Value;
    auto pending = start_with(
        plan.held, [&] { return arrays_of_round_trip(call, psi, out, add); },
        [&](auto& of) {
          return call.fft.start_round_trip(of.first, of.second, call.bands.number, for_components<Value>(called),
                                           result_of(add));
        });
    return pending_call(plan.held.comm(), std::move(pending), out, nb::make_tuple(psi, out),
                        [called](const Error& error) { called.raise(error); });
  });
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
    Number of points (nx, ny, nz). Arrays on the grid are [z, y, x]; x is the fastest axis.
waves : int32 array, (n, 3)
    Waves of this rank, in any order; n may be 0.
dtype : dtype, default complex128
    Type of grid values: complex128 or complex64 for full spheres, float64 or float32 for half spheres. A half sphere
    has one of each pair G and -G, with c(-G) = conj c(G).
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
options : keywords
    See below.

Coefficients are arrays (bands, n), or (n,) for one band. With two components they are (bands, 2, n). Grid values are
(bands, nz, ny, nx) on grid_box, for the bands of this rank's group. Arrays are not copied; an array of another dtype, shape
or order is refused. Rows of coefficients may be padded: psi[:, :n] of an array with longer rows is not copied either. With space="cuda", arrays on the device are accepted: DeviceArray, and those of libraries with
DLPack, such as CuPy and PyTorch. New arrays are then of the same library. Raises seiche.Error on all ranks or on none. It is a context manager; leaving it is collective. One
thread at a time may use the plan and its communicator; other threads get seiche.BadArgument.)";

constexpr const char* doc_of_round_trip =
    R"(Transforms each band to the grid, calls `function`, and transforms it back. Collective.

Parameters
----------
psi : complex array, (bands, n)
function : callable
    function(band, box, values) is called for parts of each band and may change `values`. This is an array (z, y, x) on
    the seiche.Box `box`, or (component, z, y, x) with two components. Its memory belongs to the plan; copy data to keep
    it. An exception on one rank raises seiche.Error on all ranks. Do not call the plan or collective functions in it.
out : complex array, (bands, n), optional
    May be `psi`. Default: a new array.
add : bool
    Add the result to `out`.

Returns
-------
out)";

constexpr const char* doc_of_round_trip_on_device =
    R"(Transforms bands to the grid, calls `function`, and transforms the values back after the kernels that it starts.

Collective. For plans on a device.

Parameters
----------
psi : complex array, (bands, n)
function : callable
    function(bands, box, values, stream) is called for some bands at a time. It starts kernels in the CUDA stream with the
    handle `stream`, and returns without waiting for them. `bands` is a range of band numbers, and `box` is grid_box.
    `values` is a seiche.DeviceArray (band, z, y, x), or (band, component, z, y, x) with two components, which the kernels
    may change. Its memory belongs to the plan. For CuPy, use cupy.asarray(values) in cupy.cuda.ExternalStream(stream). A
    rank without grid points is not called. An exception on one rank raises seiche.Error on all ranks. Do not call the
    plan or collective functions in it.
out : complex array, (bands, n), optional
    May be `psi`. Default: a new array.
add : bool
    Add the result to `out`.

Returns
-------
out)";

void bind_transforms(nb::class_<SpherePlan>& plan) {
  def_with<FftOptions>(plan, "__init__", init(&make_plan), "shape"_a, "waves"_a, "dtype"_a = "complex128",
                       "comm"_a = nb::none());
  calls_on_bands(plan)
      .def("backward", &backward<false>, "psi"_a, "grid"_a = nb::none(),
           "Transforms coefficients (bands, n) to grid values (bands, nz, ny, nx), in `grid` or a new array. "
           "Collective.")
      .def("forward", &forward<false>, "grid"_a, "psi"_a = nb::none(), "bands"_a = nb::none(),
           R"(Transforms grid values to coefficients, in `psi` or a new array. Scales by 1/(nx ny nz). Collective.

With several band groups, `bands` is the number of bands of all groups together. It is not needed if `psi` is given.)")
      .def("to_grid", &to_grid<false>, "psi"_a, "function"_a,
           "Transforms each band to the grid and calls `function`, as round_trip() does. Collective.")
      .def("to_grid_on_device", &to_grid<true>, "psi"_a, "function"_a,
           "Transforms bands to the grid and calls `function`, as round_trip_on_device() does. Collective.")
      .def("round_trip", &round_trip<false>, "psi"_a, "function"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, doc_of_round_trip)
      .def("round_trip_on_device", &round_trip<true>, "psi"_a, "function"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, doc_of_round_trip_on_device);
  Calls(plan)
      .def("start_backward", &backward<true>, "psi"_a, "grid"_a = nb::none(),
           "Starts backward(). Returns a seiche.Pending. Collective.")
      .def("start_forward", &forward<true>, "grid"_a, "psi"_a = nb::none(), "bands"_a = nb::none(),
           "Starts forward(). Returns a seiche.Pending. Collective.")
      .def("start_round_trip", &start_round_trip, "psi"_a, "function"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false, "Starts round_trip(). Returns a seiche.Pending. Collective.");
}

void bind_properties(nb::class_<SpherePlan>& plan) {
  plan.def("bands_here", &bands_here, "bands"_a,
           "Returns how many of `bands` bands this rank's group transforms. Local.")
      .def_prop_ro("first_band_here", asks<SpherePlan>([](const auto& fft) { return fft.first_band_here(); }),
                   "First band that this rank's group transforms; every band_groups-th band follows. Local.")
      .def_ro("waves_here", &SpherePlan::waves, "Number of waves of this rank. Local.")
      .def_ro("components", &SpherePlan::components, "Number of components of a band. Local.")
      .def_prop_ro("grid_box", asks<SpherePlan>([](const auto& fft) { return fft.grid_box(); }),
                   "This rank's part of the grid. Rows along x are whole. Local.");
  bind_reports(plan);
}

}  // namespace

void bind_sphere_fft(nb::module_& module) {
  nb::class_<SpherePlan> plan(module, "SphereFft", doc_with<FftOptions>(doc_of_plan));
  bind_transforms(plan);
  bind_sphere_operators(plan);
  bind_sphere_stream(module, plan);
  bind_properties(plan);
  bind_end(plan, "Frees the plan's memory. Collective.");
  plan.def("__repr__", &plan_text);
}

}  // namespace seiche::python
