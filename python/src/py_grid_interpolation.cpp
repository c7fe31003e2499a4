// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interpolation between dense grids.
#include <seiche/grid_interpolation.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "py_dense_plan.hpp"
#include "py_pending.hpp"

namespace seiche::python {

namespace {

struct Interpolation {
  Extents from, to;  // [z, y, x] of both grids, with an axis of fields if there are several
  Kind kind;
  Held<OfAnyKind<GridInterpolation>> held;

  const auto& any() const { return held.peek(); }
};

/// The plan for `Value` in `plan`. \throws Error for another kind
template <class Value>
const DenseFft<Value>& plan_for(const DensePlan& plan) {
  const auto* typed = std::get_if<DenseFft<Value>>(&plan.held.peek());
  if (typed == nullptr) throw BadArgument("the plans have different dtypes: create both with one dtype");
  return *typed;
}

Interpolation between(const DensePlan& from, const DensePlan& to, std::int64_t fields) {
  return std::visit(
      [&](auto& source) -> Interpolation {
        using Value = ValueOf<decltype(source)>;
        const Held<OfAnyKind<DenseFft>>::Busy busy(from.held);
        const auto checks = [&] { return &plan_for<Value>(to); };
        auto held = held_of<OfAnyKind<GridInterpolation>>("GridInterpolation", from.held.comm(), checks,
                                                          [&](const auto* target) -> OfAnyKind<GridInterpolation> {
                                                            return GridInterpolation<Value>(source, *target, fields);
                                                          });
        const auto array_on = [fields](const Box& box) {
          return fields == 1 ? extents_of(box) : joined({fields}, extents_of(box));
        };
        const Box target = plan_for<Value>(to).grid_box();
        return {array_on(source.grid_box()), array_on(target), from.kind, std::move(held)};
      },
      from.held.peek());
}

/// Collective. Calls work(interpolation, grid, result), after all ranks have agreed on the arrays.
template <class Work>
auto with_arrays(const Interpolation& op, const Array& grid, const Array& result, const Work& work) {
  return std::visit(
      [&](auto& one) {
        using Value = ValueOf<decltype(one)>;
        const auto given = [&] {
          return std::pair(span_of<const Value>(grid, "grid", op.from, false),
                           span_of<Value>(result, "out", op.to, false));
        };
        return collective(op.held, given,
                          [&](auto&, const auto& arrays) { return work(one, arrays.first, arrays.second); });
      },
      op.held.peek());
}

Array apply(const Interpolation& op, const Array& grid, Array out) {
  if (out.is_none()) {
    std::visit([&](const auto& one) { out = empty(nb::dtype<ValueOf<decltype(one)>>(), op.to); }, op.held.peek());
  }
  with_arrays(op, grid, out, [](auto& one, const auto& in, const auto& result) { one.apply(in, result); });
  return out;
}
PendingCall start_apply(const Interpolation& op, const Array& grid, const Array& out) {
  const auto work = [](auto& one, const auto& in, const auto& result) { return one.start_apply(in, result); };
  return answer(
      op.held.comm(), [&] { return with_arrays(op, grid, out, work); }, out, grid);
}

nb::str text_of_interpolation(const Interpolation& op) {
  if (op.held.closed()) return nb::str("<seiche.GridInterpolation, closed>");
  const std::int64_t fields = std::visit([](const auto& one) { return one.fields(); }, op.any());
  return text("<seiche.GridInterpolation of {}, {} fields, on {} ranks>", name_of(op.kind), fields,
              op.held.comm().size());
}

constexpr const char* doc_of_interpolation =
    R"(Interpolates fields from one dense grid to another of the same cell, with the waves that both grids have.

A wave of index n/2 along an axis with an even number n of points stands for -n/2, too. On a finer grid, each of both waves
has half of its coefficient. On a coarser grid of n points, it has the sum of both. So real fields stay real, and
interpolation to a finer grid and back returns the same values.

Parameters
----------
from_fft, to_fft : DenseFft
    Plans of both grids, of the same communicator, dtype and distribution over ranks, in host memory. The call is collective.
    The interpolation needs them only here.
fields : int, default 1
    Number of fields in a call.

It is a context manager; leaving it is collective. One thread at a time may use it, its plans and its communicator.)";

}  // namespace

void bind_grid_interpolation(nb::module_& module) {
  nb::class_<Interpolation> bound(module, "GridInterpolation", doc_of_interpolation);
  Calls(bound)
      .def("__init__", init(&between), "from_fft"_a, "to_fft"_a, "fields"_a = 1)
      .def("apply", &apply, "grid"_a, "out"_a = nb::none(),
           R"(Interpolates all fields. Returns them in `out` or a new array. Collective.

Arrays are (fields, z, y, x) on grid_box of the plans, or (z, y, x) for one field. They may not overlap.)")
      .def("start_apply", &start_apply, "grid"_a, "out"_a, "Starts apply(). Returns a seiche.Pending. Collective.");
  bound.def_prop_ro("fields", asks<Interpolation>([](const auto& one) { return one.fields(); }),
                    "Number of fields. Local.");
  bind_end(bound, "Frees the data. Collective.");
  bound.def("__repr__", &text_of_interpolation);
}

}  // namespace seiche::python
