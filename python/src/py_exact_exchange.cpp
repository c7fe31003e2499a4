// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exact exchange.
#include <seiche/exact_exchange.hpp>

#include <optional>
#include <tuple>
#include <variant>

#include "interface/exact_exchange_members.hpp"
#include "py_pending.hpp"
#include "py_sphere_plan.hpp"

namespace seiche::python {

namespace {

template <template <class> class Of>
using RealOrComplex = std::variant<Of<double>, Of<std::complex<double>>>;

struct Occupied {
  RealOrComplex<OccupiedOrbitals> orbitals;
};

struct ExactPlan {
  GridShape shape;
  std::int64_t waves, density_waves;
  int components;
  Kind kind;
  Box box;
  bool on_device;  ///< accepts arrays in device memory
  Held<RealOrComplex<ExactExchange>> held;
};

/// Keywords of the operator: those of FFTs, and `batch`.
struct ExchangeRequest {
  GridShape shape;
  Kind kind;
  ExactExchangeOptions options;
};

ExchangeRequest request_for_exchange(const Shape& shape, const Dtype& dtype, const nb::kwargs& given, int batch) {
  const Kind kind = kind_of(dtype);
  if (kind != Kind::float64 && kind != Kind::complex128) {
    throw BadArgument("exact exchange does not support " + name_of(kind) + ": use float64 or complex128");
  }
  return {grid_shape_of(shape), kind, {.fft = options_of<FftOptions>(given), .batch = batch}};
}

ExactPlan make_exchange(const Shape& shape, const Array& waves, const Array& density_waves, const Dtype& dtype,
                        const Comm& comm, int batch, const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  ExchangeRequest asked;
  std::span<const Miller> mine, of_density;
  auto held = held_of<RealOrComplex<ExactExchange>>(
      "ExactExchange", own,
      [&] {
        asked = request_for_exchange(shape, dtype, options, batch);
        mine = waves_of(waves, "waves");
        of_density = waves_of(density_waves, "density_waves");
      },
      [&]() -> RealOrComplex<ExactExchange> {
        if (asked.kind == Kind::float64) {
          return ExactExchange<double>(own, asked.shape, mine, of_density, asked.options);
        }
        return ExactExchange<std::complex<double>>(own, asked.shape, mine, of_density, asked.options);
      });
  const Box box = std::visit([](const auto& one) { return one.grid_box(); }, held.peek());
  return {asked.shape,
          std::ssize(mine),
          std::ssize(of_density),
          asked.options.fft.components,
          asked.kind,
          box,
          asked.options.fft.space == Space::cuda,
          std::move(held)};
}

/// Coefficients (bands, n), (bands, 2, n), or one band.
template <class T>
Coefficients<T> coefficients(const ExactPlan& exchange, const Array& array, const char* name, std::int64_t waves) {
  const Extents one = band_extents(exchange.components, waves);
  const Extents bands = bands_of(array, name, one.size(), exchange.on_device).axis;
  return coefficients_of<T>(array, name, joined(bands, one), exchange.on_device);
}

std::span<const double> kernel_of(const ExactPlan& exchange, const Array& kernel) {
  return span_of<const double>(kernel, "kernel", {exchange.density_waves}, exchange.on_device);
}
std::span<const double> weights_of(const Array& weights) {
  return span_of<const double>(weights, "weights", {any_extent});
}

Occupied occupied(const ExactPlan& exchange, const Array& orbitals, const Array& weights, const Array& waves) {
  const auto arrays = [&] {
    const bool others = !waves.is_none();
    const auto of_others = others ? waves_of(waves, "waves") : std::span<const Miller>();
    const auto in = coefficients<const std::complex<double>>(exchange, orbitals, "orbitals",
                                                             others ? std::ssize(of_others) : exchange.waves);
    return std::tuple(others, of_others, in, weights_of(weights));
  };
  return collective(exchange.held, arrays, [&](auto& any, auto& of) {
    const auto& [others, of_others, in, factors] = of;
    return std::visit(
        [&](auto& one) -> Occupied {
          return {others ? one.occupied(of_others, in, factors) : one.occupied(in, factors)};
        },
        any);
  });
}

Occupied occupied_on_grid(const ExactPlan& exchange, const Array& values, const Array& weights) {
  return std::visit(
      [&](auto& one) {
        using Value = ValueOf<decltype(one)>;
        const auto arrays = [&] {
          const Extents given = shape_of(values, "values", exchange.on_device);
          const Extents number = given.empty() ? Extents{} : Extents{given[0]};
          const Extents components = exchange.components == 1 ? Extents{} : Extents{exchange.components};
          const Extents shape = joined(joined(number, components), extents_of(exchange.box));
          return std::pair(span_of<const Value>(values, "values", shape, exchange.on_device), weights_of(weights));
        };
        return collective(exchange.held, arrays,
                          [&](auto&, auto& of) { return Occupied{one.occupied_on_grid(of.first, of.second)}; });
      },
      exchange.held.peek());
}

/// Collective. Calls work(operator, occupied orbitals, result of checks) with their common type.
template <class Checks, class Work>
auto with_occupied(const ExactPlan& exchange, const Occupied& occupied, const Checks& checks, const Work& work) {
  const auto all_checks = [&] {
    if (exchange.held.peek().index() != occupied.orbitals.index()) {
      throw BadArgument(
          "the occupied orbitals have another dtype: create them with an ExactExchange of the same dtype");
    }
    return checks();
  };
  return collective(exchange.held, all_checks, [&](auto& any, auto& of) {
    return std::visit(
        [&](auto& one) {
          using Value = ValueOf<decltype(one)>;
          return work(one, std::get<OccupiedOrbitals<Value>>(occupied.orbitals), of);
        },
        any);
  });
}

/// Checks the array of results. Creates it in the same memory as `model` if it is None.
Coefficients<std::complex<double>> wanted(const ExactPlan& exchange, Array& out, const Extents& shape,
                                          const Array& model, bool add) {
  if (add && out.is_none()) throw BadArgument("add needs an array to add to: pass out");
  if (out.is_none()) out = empty_beside(model, nb::dtype<std::complex<double>>(), shape, exchange.on_device);
  return coefficients_of<std::complex<double>>(out, "out", shape, exchange.on_device);
}

template <bool starts>
auto apply(const ExactPlan& exchange, const Occupied& occupied, const Array& kernel, const Array& psi, Array out,
           bool add) {
  const auto arrays = [&] {
    const Extents one = band_extents(exchange.components, exchange.waves);
    const Bands bands = bands_of(psi, "psi", one.size(), exchange.on_device);
    const Extents shape = joined(bands.axis, one);
    const auto factors = kernel_of(exchange, kernel);
    const auto in = coefficients_of<const std::complex<double>>(psi, "psi", shape, exchange.on_device);
    return std::tuple(factors, in, wanted(exchange, out, shape, psi, add), bands.number);
  };
  const auto work = [&](auto& one, const auto& orbitals, auto& of) {
    const auto& [factors, in, into, bands] = of;
    if constexpr (starts) return one.start_apply(orbitals, factors, in, into, bands, result_of(add));
    if constexpr (!starts) one.apply(orbitals, factors, in, into, bands, result_of(add));
  };
  const auto make = [&] { return with_occupied(exchange, occupied, arrays, work); };
  return answer(exchange.held.comm(), make, out, kernel, psi);
}

Array apply_to_occupied(const ExactPlan& exchange, const Occupied& occupied, const Array& kernel, Array out, bool add) {
  const auto arrays = [&] {
    const std::int64_t count = std::visit([](const auto& one) { return one.count(); }, occupied.orbitals);
    const Extents shape = joined({count}, band_extents(exchange.components, exchange.waves));
    const auto factors = kernel_of(exchange, kernel);
    return std::pair(factors, wanted(exchange, out, shape, kernel, add));
  };
  with_occupied(exchange, occupied, arrays, [&](auto& one, const auto& orbitals, auto& of) {
    one.apply_to_occupied(orbitals, of.first, of.second, result_of(add));
  });
  return out;
}

double energy(const ExactPlan& exchange, const Occupied& occupied, const Array& kernel, const Array& psi,
              const Array& weights) {
  const auto arrays = [&] {
    return std::tuple(kernel_of(exchange, kernel),
                      coefficients<const std::complex<double>>(exchange, psi, "psi", exchange.waves),
                      weights_of(weights));
  };
  return with_occupied(exchange, occupied, arrays, [&](auto& one, const auto& orbitals, auto& of) {
    const auto& [factors, in, of_bands] = of;
    return one.energy(orbitals, factors, in, of_bands);
  });
}

nb::str exchange_text(const ExactPlan& exchange) {
  if (exchange.held.closed()) return nb::str("<seiche.ExactExchange, closed>");
  return text("<seiche.ExactExchange of {} points, {}, on {} ranks, here {} waves and {} density waves>",
              tuple_of(exchange.shape), name_of(exchange.kind), exchange.held.comm().size(), exchange.waves,
              exchange.density_waves);
}

template <class Ask>
auto asks_exchange(const Ask& ask) {
  return [ask](const ExactPlan& self) { return std::visit(ask, self.held.peek()); };
}

constexpr const char* doc_of_exchange = R"(Applies exact exchange to target orbitals of one k-point and spin.

(V_x psi_i)(r) = -sum_j f_j psi_j(r) v_ij(r). v_ij has the coefficients K(G) rho_ij(G), and rho_ij(G) are those of
conj(psi_j(r)) psi_i(r), summed over components. For electrons in hartree, K(G) = 4 pi / (volume |G + q|^2).

Parameters
----------
shape : tuple of int
    Number of points (nx, ny, nz). The grid must contain all waves.
waves : int32 array, (n, 3)
    Waves of this rank of target orbitals.
density_waves : int32 array, (m, 3)
    Waves of this rank on which the kernel is defined; elsewhere it is 0.
dtype : dtype, default complex128
    complex128 for full spheres, float64 for half spheres.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
batch : int, default 0
    Target orbitals of a band group that are on the grid at once (0: 8).
options : keywords
    See below.

Coefficients are complex128 arrays (bands, n), or (bands, 2, n) for spinors. With space="cuda", arrays may be in device
memory, except waves and weights. It is a context manager; leaving it is
collective. One thread at a time may use it and its communicator.)";

}  // namespace

void bind_exact_exchange(nb::module_& module) {
  bind_members<ExactExchangeReport>(module, "ExactExchangeReport", "Settings and costs of exact exchange.");
  nb::class_<Occupied>(module, "OccupiedOrbitals", R"(Occupied orbitals on the grid, with their weights.

ExactExchange.occupied() creates them. Objects with the same communicator, grid and options may use them.)")
      .def_prop_ro(
          "count",
          [](const Occupied& self) { return std::visit([](const auto& one) { return one.count(); }, self.orbitals); },
          "Number of orbitals whose weight is not 0. Local.")
      .def_prop_ro(
          "memory",
          [](const Occupied& self) { return std::visit([](const auto& one) { return one.memory(); }, self.orbitals); },
          "Bytes of memory on this rank. Local.");
  nb::class_<ExactPlan> exchange(module, "ExactExchange", doc_with<FftOptions>(doc_of_exchange));
  def_with<FftOptions>(exchange, "__init__", init(&make_exchange), "shape"_a, "waves"_a, "density_waves"_a,
                       "dtype"_a = "complex128", "comm"_a = nb::none(), "batch"_a = 0);
  Calls(exchange)
      .def("occupied", &occupied, "orbitals"_a, "weights"_a, "waves"_a = nb::none(),
           R"(Transforms occupied orbitals to the grid and stores them as OccupiedOrbitals. Collective.

`weights` has one float64 per orbital, the same on all ranks. `waves`: waves of the orbitals of this rank, for example of
another k-point (default: those of this object).)")
      .def("occupied_on_grid", &occupied_on_grid, "values"_a, "weights"_a,
           R"(Stores occupied orbitals that are on the grid already. Collective.

`values` is an array (orbitals of this rank's group, nz, ny, nx) on grid_box, with an axis of components for spinors.)")
      .def("apply", &apply<false>, "occupied"_a, "kernel"_a, "psi"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false,
           R"(Computes V_x of target orbitals, in `out` (which may be `psi`) or a new array. Collective.

`kernel` has one float64 for each density wave of this rank. With `add` the result is added to `out`.)")
      .def("start_apply", &apply<true>, "occupied"_a, "kernel"_a, "psi"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false,
           R"(Starts apply(). Returns a Pending, whose finish() returns `out`. Collective.

Up to finish(), the pairs of the first report.batch targets of each band group make progress. Other targets are computed
in finish(): set `batch` to have all in one set.)")
      .def("apply_to_occupied", &apply_to_occupied, "occupied"_a, "kernel"_a, "out"_a = nb::none(), nb::kw_only(),
           "add"_a = false,
           R"(Computes V_x of the occupied orbitals themselves, in `out` or a new array. Collective.

Rows are in the order of the orbitals, without those of weight 0. The kernel must have K(-G) = K(G), as it does for one
k-point (q = 0). With one band group on the host, and without `reproducible`, the call takes about half of the time of
apply(). It then needs as much memory as the occupied orbitals. With `add` the result is added to `out`.)")
      .def("energy", &energy, "occupied"_a, "kernel"_a, "psi"_a, "weights"_a,
           "Returns 1/2 sum_i weights[i] <psi_i|V_x psi_i> of target orbitals. Collective.");
  exchange
      .def(
          "bands_here",
          [](const ExactPlan& self, std::int64_t bands) {
            return std::visit([&](const auto& one) { return one.bands_here(bands); }, self.held.peek());
          },
          "bands"_a, "Returns how many of `bands` orbitals this rank's group has. Local.")
      .def_ro("grid_box", &ExactPlan::box, nb::rv_policy::copy, "This rank's part of the grid. Local.")
      .def_prop_ro("report", asks_exchange([](const auto& one) { return one.report(); }),
                   "Settings and costs, an ExactExchangeReport. Local.")
      .def_prop_ro("progress", asks_exchange([](const auto& one) { return one.progress(); }),
                   "Use of this rank's time in calls, a ProgressReport. Local.");
  bind_end(exchange, "Frees the memory, but no occupied orbitals. Collective.");
  exchange.def("__repr__", &exchange_text);
}

}  // namespace seiche::python
