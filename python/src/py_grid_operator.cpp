// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operators on dense grids.
#include <seiche/grid_operator.hpp>

#include <nanobind/stl/array.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "interface/grid_operator_members.hpp"
#include "py_dense_plan.hpp"
#include "py_pending.hpp"

namespace seiche::python {

namespace {

using Lattice = std::array<std::array<double, 3>, 3>;

struct Operator {
  Extents box;  // [z, y, x] of the grid
  Kind kind;
  bool on_device;  // accepts arrays in device memory
  Held<OfAnyKind<GridOperator>> held;

  const auto& any() const { return held.peek(); }
};

/// Collective. Creates an operator of a plan with make(fft, result of checks(fft)).
template <class Checks, class Make>
Operator made(const DensePlan& plan, const Checks& checks, const Make& make) {
  return std::visit(
      [&](auto& fft) -> Operator {
        const Held<OfAnyKind<DenseFft>>::Busy busy(plan.held);
        auto held = held_of<OfAnyKind<GridOperator>>(
            "GridOperator", plan.held.comm(), [&] { return checks(fft); },
            [&](const auto& checked) -> OfAnyKind<GridOperator> { return make(fft, checked); });
        return {extents_of(fft.grid_box()), plan.kind, plan.on_device, std::move(held)};
      },
      plan.held.peek());
}

using ArrayLike = Argument<"numpy.typing.ArrayLike">;
using Word = Argument<"str">;
using RealNumber = Argument<"float">;

struct GivenKernel {
  Lattice lattice;
  OperatorKernel kernel;
  double parameter;
};

Operator of_kernel(const DensePlan& plan, const ArrayLike& lattice, const Word& kernel, const RealNumber& parameter) {
  const auto checks = [&](const auto&) {
    return GivenKernel{value_of<Lattice>("lattice", lattice, "an array (3, 3) of numbers"),
                       named<OperatorKernel>("kernel", value_of<std::string>("kernel", kernel)),
                       value_of<double>("parameter", parameter)};
  };
  return made(plan, checks, [&](auto& fft, const GivenKernel& given) {
    return GridOperator<ValueOf<decltype(fft)>>(fft, given.lattice, given.kernel, given.parameter);
  });
}

template <class Complex>
struct GivenFactors {
  std::int64_t outputs, inputs;
  std::span<const Complex> values;
};

Operator of_factors(const DensePlan& plan, const Array& factors) {
  const auto checks = [&](const auto& fft) {
    using Complex = typename ComplexOf<ValueOf<decltype(fft)>>::type;
    Extents given = shape_of(factors, "factors");
    given.resize(2, 1);
    const Extents shape = joined(given, extents_of(fft.spectrum_box()));
    return GivenFactors<Complex>{given[0], given[1], span_of<const Complex>(factors, "factors", shape, false)};
  };
  return made(plan, checks, [&](auto& fft, const auto& given) {
    return GridOperator<ValueOf<decltype(fft)>>(fft, given.inputs, given.outputs, given.values);
  });
}

/// Expected shape of an array of fields. One field has no axis of fields.
Extents fields_on(const Operator& op, std::int64_t fields) { return fields == 1 ? op.box : joined({fields}, op.box); }

/// Collective. Calls work(operator, grid, result), after all ranks have agreed on the arrays.
template <class Work>
auto with_arrays(const Operator& op, const Array& grid, const Array& result, const Work& work) {
  return std::visit(
      [&](auto& one) {
        using Value = ValueOf<decltype(one)>;
        const auto given = [&] {
          return std::pair(span_of<const Value>(grid, "grid", fields_on(op, one.inputs()), op.on_device),
                           span_of<Value>(result, "out", fields_on(op, one.outputs()), op.on_device));
        };
        return collective(op.held, given,
                          [&](auto&, const auto& arrays) { return work(one, arrays.first, arrays.second); });
      },
      op.held.peek());
}

Array apply(const Operator& op, const Array& grid, Array out) {
  if (out.is_none()) {
    std::visit([&](const auto& one) { out = empty(nb::dtype<ValueOf<decltype(one)>>(), fields_on(op, one.outputs())); },
               op.held.peek());
  }
  with_arrays(op, grid, out, [](auto& one, const auto& in, const auto& result) { one.apply(in, result); });
  return out;
}
PendingCall start_apply(const Operator& op, const Array& grid, const Array& out) {
  const auto work = [](auto& one, const auto& in, const auto& result) { return one.start_apply(in, result); };
  return answer(
      op.held.comm(), [&] { return with_arrays(op, grid, out, work); }, out, grid);
}

nb::str operator_text(const Operator& op) {
  if (op.held.closed()) return nb::str("<seiche.GridOperator, closed>");
  const auto [inputs, outputs] =
      std::visit([](const auto& one) { return std::pair(one.inputs(), one.outputs()); }, op.any());
  return text("<seiche.GridOperator of {}, {} inputs, {} outputs, on {} ranks, here {}>", name_of(op.kind), inputs,
              outputs, op.held.comm().size(), text_of(op.box));
}

constexpr const char* doc_of_operator =
    R"(Applies products with functions of G to fields on a dense grid: Poisson's equation, derivatives, filters.

g_o(r) = sum_i sum_G F_oi(G) f_i(G) exp(i G.r), where f_i(G) are the coefficients of the inputs. Each call is one
pipeline: forward, multiply, backward.

Parameters
----------
fft : DenseFft
    Plan of the grid, which the operator keeps. The call is collective.
lattice : array_like, (3, 3)
    a1, a2, a3 as rows, along the axes x, y and z of the grid.
kernel : str
    coulomb: 4 pi / G^2, and 0 for G = 0. screened: 4 pi / (G^2 + p^2). short_range and long_range: of erfc(p r) / r and
    erf(p r) / r. isolated: of 1 / r up to the distance p. slab: the same along a3, for a density that is periodic along
    a1 and a2. gradient: i G, with three outputs. divergence: i G, with three inputs. laplacian: -G^2.
parameter : float, default 0
    p of the kernel. 0 selects a default for two kernels: half of the smallest height of the cell (isolated), half of the
    length of a3 (slab).

Units of `lattice` and `parameter` belong together, such as bohr and 1/bohr. It is a context manager; leaving it is
collective. One thread at a time may use it, its plan and its communicator.)";

}  // namespace

void bind_grid_operator(nb::module_& module) {
  nb::class_<Operator> bound(module, "GridOperator", doc_of_operator);
  bound.def("__init__", init(&of_kernel), "fft"_a, "lattice"_a.none(), "kernel"_a.none(), "parameter"_a.none() = 0.0)
      .def_static("of_factors", &of_factors, "fft"_a, "factors"_a.none(),
                  R"(Creates an operator of any functions of G. Collective.

`factors` are F_oi(G) for the waves of this rank, a complex array (outputs, inputs, z, y, x) on spectrum_box of the plan.
They are copied. For real fields, F(-G) is the conjugate of F(G).)");
  Calls(bound)
      .def("apply", &apply, "grid"_a, "out"_a = nb::none(),
           R"(Computes all outputs from all inputs. Returns them in `out` or a new array. Collective.

Arrays are (fields, z, y, x) on grid_box of the plan, or (z, y, x) for one field. They may overlap.)")
      .def("start_apply", &start_apply, "grid"_a, "out"_a, "Starts apply(). Returns a seiche.Pending. Collective.");
  bound.def_prop_ro("inputs", asks<Operator>([](const auto& one) { return one.inputs(); }), "Number of inputs. Local.")
      .def_prop_ro("outputs", asks<Operator>([](const auto& one) { return one.outputs(); }),
                   "Number of outputs. Local.")
      .def_prop_ro("memory", asks<Operator>([](const auto& one) { return one.memory(); }),
                   "Bytes of the factors on this rank. Local.");
  bind_end(bound, "Frees the factors. Collective.");
  bound.def("__repr__", &operator_text);
}

}  // namespace seiche::python
