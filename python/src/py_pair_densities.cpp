// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pair densities.
#include <seiche/pair_densities.hpp>

#include <tuple>
#include <variant>

#include "interface/pair_densities_members.hpp"
#include "py_pending.hpp"
#include "py_sphere_plan.hpp"

namespace seiche::python {

namespace {

struct OnGrid {
  OfAnyKind<GridOrbitals> orbitals;
};

struct PairPlan {
  GridShape shape;
  std::int64_t density_waves;
  int components;
  Kind kind;
  bool on_device;  ///< accepts arrays in device memory
  Held<OfAnyKind<PairDensities>> held;

  const auto& any() const { return held.peek(); }
};

PairPlan make_densities(const Shape& shape, const Array& density_waves, const Dtype& dtype, const Comm& comm, int block,
                        const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  PlanRequest asked;
  std::span<const Miller> mine;
  auto held = held_of<OfAnyKind<PairDensities>>(
      "PairDensities", own,
      [&] {
        asked = request_of(shape, dtype, options);
        mine = waves_of(density_waves, "density_waves");
      },
      [&] {
        const PairDensityOptions all{.fft = asked.options, .block = block};
        return of_kind<PairDensities>(asked.kind, own, asked.shape, mine, all);
      });
  return {asked.shape,    std::ssize(mine), asked.options.components, asked.kind, asked.options.space == Space::cuda,
          std::move(held)};
}

OnGrid orbitals(const PairPlan& plan, const Array& waves, const Array& coefficients) {
  return std::visit(
      [&](auto& one) {
        using Complex = typename ComplexOf<ValueOf<decltype(one)>>::type;
        const auto arrays = [&] {
          const auto mine = waves_of(waves, "waves");
          const Extents band = band_extents(plan.components, std::ssize(mine));
          const Bands bands = bands_of(coefficients, "coefficients", band.size(), plan.on_device);
          const Extents shape = joined(bands.axis, band);
          const auto given = coefficients_of<const Complex>(coefficients, "coefficients", shape, plan.on_device);
          return std::tuple(mine, given, bands.number);
        };
        return collective(plan.held, arrays, [&](auto&, auto& of) {
          const auto& [mine, given, number] = of;
          return OnGrid{one.orbitals(mine, given, number)};
        });
      },
      plan.held.peek());
}

/// Collective. Calls work(plan, left, right, result of checks) with their common type.
template <class Checks, class Work>
auto with_orbitals(const PairPlan& plan, const OnGrid& left, const OnGrid& right, const Checks& checks,
                   const Work& work) {
  return std::visit(
      [&](auto& one) {
        using Value = ValueOf<decltype(one)>;
        const auto all_checks = [&] {
          const auto* i = std::get_if<GridOrbitals<Value>>(&left.orbitals);
          const auto* j = std::get_if<GridOrbitals<Value>>(&right.orbitals);
          if (i == nullptr || j == nullptr) {
            throw BadArgument("the orbitals have another dtype: create them with a PairDensities of the same dtype");
          }
          return std::tuple(i, j, checks(one, *i, *j));
        };
        return collective(plan.held, all_checks, [&](auto&, auto& of) {
          auto& [i, j, checked] = of;
          return work(one, *i, *j, checked);
        });
      },
      plan.held.peek());
}
constexpr auto no_checks = [](auto&, auto&, auto&) { return 0; };

/// Converts a callback for pairs.
template <class Plan>
auto for_pairs(const Plan&, const GridFunction& function) {
  return [function](const PairBlock<typename Plan::Complex>& block) { function(block); };
}

void compute(const PairPlan& plan, const OnGrid& left, const OnGrid& right, nb::callable function) {
  const GridFunction called(std::move(function));
  try {
    with_orbitals(plan, left, right, no_checks,
                  [&](auto& one, const auto& i, const auto& j, int) { one.compute(i, j, for_pairs(one, called)); });
  } catch (const Error& error) {
    called.raise(error);
  }
}
PendingCall start_compute(const PairPlan& plan, const OnGrid& left, const OnGrid& right, nb::callable function) {
  const GridFunction called(std::move(function));
  auto pending = with_orbitals(plan, left, right, no_checks, [&](auto& one, const auto& i, const auto& j, int) {
    return one.start_compute(i, j, for_pairs(one, called));
  });
  return pending_call(plan.held.comm(), std::move(pending), nb::none(), nb::none(),
                      [called](const Error& error) { called.raise(error); });
}

Array sum(const PairPlan& plan, const OnGrid& left, const OnGrid& right, const Array& coefficients, Array out) {
  const auto arrays = [&](auto& one, const auto& i, const auto& j) {
    using Value = ValueOf<decltype(one)>;
    using Complex = typename ComplexOf<Value>::type;
    const Extents given = shape_of(coefficients, "coefficients");
    const Extents axis = given.size() == 3 ? Extents{given[0]} : Extents{}, shape = joined(axis, {plan.density_waves});
    const auto factors = span_of<const Value>(coefficients, "coefficients", joined(axis, {i.count(), j.count()}));
    if (out.is_none()) out = empty(nb::dtype<Complex>(), shape);
    return std::tuple(factors, coefficients_of<Complex>(out, "out", shape, false), axis.empty() ? 1 : axis[0]);
  };
  with_orbitals(plan, left, right, arrays, [&](auto& one, const auto& i, const auto& j, auto& of) {
    const auto& [factors, into, sums] = of;
    one.sum(i, j, factors, into, sums);
  });
  return out;
}

nb::str densities_text(const PairPlan& plan) {
  if (plan.held.closed()) return nb::str("<seiche.PairDensities, closed>");
  return text("<seiche.PairDensities of {} points, {}, on {} ranks, here {} density waves>", tuple_of(plan.shape),
              name_of(plan.kind), plan.held.comm().size(), plan.density_waves);
}

constexpr const char* doc_of_densities = R"(Computes densities of pairs of orbitals on a sphere of waves.

rho_ij(G) = 1/N sum_r conj(psi_i(r)) psi_j(r) exp(-i G.r), with N grid points r. With i at k and j at k + q, it is the
matrix element <i|exp(-i (G + q).r)|j>. If j is stored at k + q + G0, add G0 to each of its waves.

Parameters
----------
shape : tuple of int
    Number of points (nx, ny, nz). The grid is large enough if each exceeds the sum of the largest indices of i, of j
    and of G.
density_waves : int32 array, (m, 3)
    Waves G of this rank. The ranks of a band group share the sphere. The same ranks of all groups pass the same waves.
dtype : dtype, default complex128
    complex128 or complex64 for full spheres, float64 or float32 for half spheres.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
block : int, default 0
    Pairs that the function receives at a time (0: 64).
options : keywords
    See below. With band_groups=comm.size, each rank has all waves of its pairs.

Each pair belongs to the band group of its orbital j: group g of n has the orbitals g, g + n, and so on. It is a context
manager; leaving it is collective. One thread at a time may use it and its communicator.)";

}  // namespace

void bind_pair_densities(nb::module_& module) {
  bind_members<PairDensityReport>(module, "PairDensityReport", "Settings and costs of pair densities.");
  nb::class_<OnGrid>(module, "GridOrbitals", R"(Orbitals on the grid.

PairDensities.orbitals() creates them. Objects with the same communicator, grid and options may use them.)")
      .def_prop_ro(
          "count",
          [](const OnGrid& self) { return std::visit([](const auto& one) { return one.count(); }, self.orbitals); },
          "Number of orbitals on all ranks together. Local.")
      .def_prop_ro(
          "memory",
          [](const OnGrid& self) { return std::visit([](const auto& one) { return one.memory(); }, self.orbitals); },
          "Bytes of memory on this rank. Local.");
  nb::class_<PairPlan> densities(module, "PairDensities", doc_with<FftOptions>(doc_of_densities));
  def_with<FftOptions>(densities, "__init__", init(&make_densities), "shape"_a, "density_waves"_a,
                       "dtype"_a = "complex128", "comm"_a = nb::none(), "block"_a = 0);
  Calls(densities)
      .def("orbitals", &orbitals, "waves"_a, "coefficients"_a,
           R"(Transforms orbitals to the grid and stores them as GridOrbitals. Collective.

`waves`, an int32 array (n, 3), are the waves of the orbitals on this rank. Each occurs on one rank. `coefficients` have
the shape (orbitals, n), or (orbitals, 2, n) for spinors.)")
      .def("compute", &compute, "left"_a, "right"_a, "function"_a,
           R"(Computes the density of each pair of an orbital i of `left` and j of `right`. Collective.

Calls function(pairs, densities) with blocks of the pairs of this rank's band group. `pairs` is an int64 array (n, 2) of
the numbers i and j, from 0. `densities` is an array (n, waves), which exists until the function returns. Do not call
this object, or any collective operation, from inside the function.)")
      .def("start_compute", &start_compute, "left"_a, "right"_a, "function"_a,
           "Starts compute(). Returns a Pending. Its progress() and finish() call the function. Collective.")
      .def(
          "sum", &sum, "left"_a, "right"_a, "coefficients"_a, "out"_a = nb::none(),
          R"(Returns the sums over i and j of coefficients[s, i, j] times rho_ij(G), in `out` or a new array. Collective.

`coefficients` are (sums, left.count, right.count), or without the first axis. They have the dtype of this object, and are
equal on all ranks. The result is (sums, waves) in host memory, the same in all band groups.)");
  densities
      .def_prop_ro("report", asks<PairPlan>([](const auto& one) { return one.report(); }),
                   "Settings and costs, a PairDensityReport. Local.")
      .def_prop_ro("progress", asks<PairPlan>([](const auto& one) { return one.progress(); }),
                   "Use of this rank's time in calls, a ProgressReport. Local.");
  bind_end(densities, "Frees the memory, but no orbitals. Collective.");
  densities.def("__repr__", &densities_text);
}

}  // namespace seiche::python
