// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids, and their fields.
#include "py_dense_plan.hpp"
#include "py_pending.hpp"

namespace seiche::python {

namespace {

struct DenseField {
  GridShape shape;
  Kind kind;
  Box grid_box, spectrum_box;
  Held<OfAnyKind<Field>> held;
};

DensePlan make_plan(const Shape& shape, const Dtype& dtype, const Comm& comm, const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  PlanRequest asked;
  auto held = held_of<OfAnyKind<DenseFft>>(
      "DenseFft", own, [&] { asked = request_of(shape, dtype, options); },
      [&] { return of_kind<DenseFft>(asked.kind, own, asked.shape, asked.options); });
  const bool on_device = asked.options.space == Space::cuda;
  return {.shape = asked.shape, .kind = asked.kind, .held = std::move(held), .on_device = on_device};
}

/// Converts a Python range(low, high).
Range range_of(const char* name, nb::handle given) {
  if (!nb::hasattr(given, "start") || !nb::hasattr(given, "stop")) {
    throw TypeError(std::string(name) + " must be a range, not " + nb::cast<std::string>(nb::repr(given)));
  }
  return {value_of<std::int64_t>(name, given.attr("start")), value_of<std::int64_t>(name, given.attr("stop"))};
}

/// Layout of the caller's arrays, except their kind of value.
struct FieldsWanted {
  std::int64_t fields;
  nb::handle planes, columns;
  bool interleaved, in_place, plus, unscaled;
};

DenseArrays dense_arrays(const GridShape& grid, Kind kind, const FieldsWanted& wanted) {
  const bool real = kind == Kind::float64 || kind == Kind::float32;
  const Range x{0, grid.nx}, y{0, grid.ny}, z = range_of("planes", wanted.planes);
  const Range waves{0, real ? grid.nx / 2 + 1 : grid.nx};
  const Box planes{{x, y, z}};
  const Box columns = wanted.columns.is_none() ? Box{{waves, y, z}}
                                               : Box{{waves, range_of("columns", wanted.columns), Range{0, grid.nz}}};
  const auto lying = [&](const Box& box) {
    return wanted.interleaved ? interleaved(box, wanted.fields) : consecutive(box);
  };
  return {wanted.fields, lying(planes), lying(columns), wanted.in_place, wanted.plus, wanted.unscaled};
}

DensePlan make_plan_of_arrays(const Shape& shape, std::int64_t fields, const PyRange& planes, const PyRange& columns,
                              const Dtype& dtype, const Comm& comm, bool interleaved, bool in_place, bool plus,
                              bool unscaled, const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  PlanRequest asked;
  auto held = held_of<OfAnyKind<DenseFft>>(
      "DenseFft", own,
      [&] {
        asked = request_of(shape, dtype, options);
        return dense_arrays(asked.shape, asked.kind, {fields, planes, columns, interleaved, in_place, plus, unscaled});
      },
      [&](const DenseArrays& arrays) {
        return of_kind<DenseFft>(asked.kind, own, asked.shape, arrays, asked.options);
      });
  const bool on_device = asked.options.space == Space::cuda;
  return {asked.shape, asked.kind, std::move(held), fields, interleaved, on_device};
}

/// Expected shape of a caller's array on `box`.
Extents extents_on(const DensePlan& plan, const Box& box) {
  Extents extents = extents_of(box);
  if (plan.fields > 0) extents.insert(plan.interleaved ? extents.end() : extents.begin(), plan.fields);
  return extents;
}

Box grid_box(const DensePlan& plan) {
  return std::visit([](const auto& fft) { return fft.grid_box(); }, plan.any());
}
Box spectrum_box(const DensePlan& plan) {
  return std::visit([](const auto& fft) { return fft.spectrum_box(); }, plan.any());
}

DenseField allocate(const DensePlan& plan) {
  auto& any = plan.held.peek();
  const Held<OfAnyKind<DenseFft>>::Busy busy(plan.held);
  auto held = held_of<OfAnyKind<Field>>(
      "Field", plan.held.comm(), [] {},
      [&] { return std::visit([](auto& fft) -> OfAnyKind<Field> { return fft.allocate(); }, any); });
  return {plan.shape, plan.kind, grid_box(plan), spectrum_box(plan), std::move(held)};
}

/// Collective. Calls work(plan, field) with their common type.
template <class Work>
void with_field(const DensePlan& plan, const DenseField& field, const Work& work) {
  const Held<OfAnyKind<Field>>::Busy busy(field.held);
  const auto fitting = [&]() -> auto& {
    auto& values = field.held.peek();
    if (plan.kind == field.kind) return values;
    throw BadArgument("the field has dtype " + name_of(field.kind) + ", but the plan has " + name_of(plan.kind) +
                      ": pass a field from allocate() of this plan");
  };
  collective(plan.held, fitting, [&](auto& of_plan, auto& values) {
    std::visit([&](auto& fft) { work(fft, std::get<Field<ValueOf<decltype(fft)>>>(values)); }, of_plan);
  });
}

void forward(const DensePlan& plan, const DenseField& field) {
  with_field(plan, field, [](auto& fft, auto& values) { fft.forward(values); });
}
void backward(const DensePlan& plan, const DenseField& field) {
  with_field(plan, field, [](auto& fft, auto& values) { fft.backward(values); });
}
/// Collective. Calls work(fft, input, output) for arrays of the caller, after all ranks have agreed on them.
template <bool is_forward, class Work>
auto with_arrays(const DensePlan& plan, const Array& from, const Array& to, const Work& work) {
  const auto transform = [&](auto& fft) {
    using Value = ValueOf<decltype(fft)>;
    using Complex = typename ComplexOf<Value>::type;
    using From = std::conditional_t<is_forward, Value, Complex>;
    using To = std::conditional_t<is_forward, Complex, Value>;
    constexpr const char* names[] = {"grid", "spectrum"};
    const Box boxes[] = {fft.grid_box(), fft.spectrum_box()};
    const auto given = [&] {
      return std::pair(
          span_of<const From>(from, names[!is_forward], extents_on(plan, boxes[!is_forward]), plan.on_device),
          span_of<To>(to, names[is_forward], extents_on(plan, boxes[is_forward]), plan.on_device));
    };
    return collective(plan.held, given,
                      [&](auto&, const auto& arrays) { return work(fft, arrays.first, arrays.second); });
  };
  return std::visit(transform, plan.held.peek());
}

void forward_arrays(const DensePlan& plan, const Array& grid, const Array& spectrum) {
  with_arrays<true>(plan, grid, spectrum, [](auto& fft, const auto& from, const auto& to) { fft.forward(from, to); });
}
void backward_arrays(const DensePlan& plan, const Array& spectrum, const Array& grid) {
  with_arrays<false>(plan, spectrum, grid, [](auto& fft, const auto& from, const auto& to) { fft.backward(from, to); });
}
template <bool is_forward>
PendingCall start(const DensePlan& plan, const Array& from, const Array& to) {
  const auto work = [](auto& fft, const auto& input, const auto& output) {
    if constexpr (is_forward) return fft.start_forward(input, output);
    if constexpr (!is_forward) return fft.start_backward(input, output);
  };
  return answer(
      plan.held.comm(), [&] { return with_arrays<is_forward>(plan, from, to, work); }, to, from);
}

nb::str plan_text(const DensePlan& plan) {
  if (plan.held.closed()) return nb::str("<seiche.DenseFft, closed>");
  const auto report = std::visit([](const auto& fft) { return fft.report(); }, plan.any());
  return text("<seiche.DenseFft of {} points, {}: {} on {} ranks, here {}>", tuple_of(plan.shape), name_of(plan.kind),
              report.decomposition, plan.held.comm().size(), text_of(extents_of(grid_box(plan))));
}

nb::str field_text(const DenseField& field) {
  if (field.held.closed()) return nb::str("<seiche.Field, closed>");
  return text("<seiche.Field of {} points, {}, on {} ranks, here {}>", tuple_of(field.shape), name_of(field.kind),
              field.held.comm().size(), text_of(extents_of(field.grid_box)));
}

/// A property: an array in the memory of view_of(values).
template <class ViewOf>
auto shows(const ViewOf& view_of) {
  return [view_of](const DenseField& field) {
    const auto array = [&](auto& values) { return array_of_view(view_of(values), owner_of_array(field.held.kept())); };
    return std::visit(array, field.held.get());
  };
}

/// A collective method that calls change(values).
template <class Change>
auto becomes(const Change& change) {
  return [change](const DenseField& field) { collective(field.held, [&](auto& any) { std::visit(change, any); }); };
}

void bind_field(nb::module_& module) {
  constexpr const char* doc =
      R"(Values of one distributed dense grid, in padded memory of a plan.

:meth:`DenseFft.allocate` creates it. A field contains either grid values or a spectrum. It is a context manager; leaving
it is collective. Arrays in its memory stay valid after close(), until MPI is finalized. One thread at a time may use a
field and its communicator.)";
  nb::class_<DenseField> bound(module, "Field", doc);
  bound
      .def_prop_ro("grid", shows([](auto& values) { return values.grid(); }),
                   R"(Grid values of this rank, an array (z, y, x) in the field's padded memory, without a copy. Local.

Raises seiche.BadArgument if the field contains a spectrum.)")
      .def_prop_ro(
          "spectrum", shows([](auto& values) { return values.spectrum(); }),
          R"(Spectrum of this rank, a complex array (z, y, x) in the field's padded memory, without a copy. Local.

Raises seiche.BadArgument if the field contains grid values.)")
      .def("become_grid", becomes([](auto& values) { values.become_grid(); }),
           R"(Makes the field contain grid values, which the caller must fill in. Collective.)")
      .def("become_spectrum", becomes([](auto& values) { values.become_spectrum(); }),
           R"(Makes the field contain a spectrum, which the caller must fill in. Collective.)")
      .def_ro("grid_box", &DenseField::grid_box, nb::rv_policy::copy, "Grid points of `grid`. Local.")
      .def_ro("spectrum_box", &DenseField::spectrum_box, nb::rv_policy::copy, "Points of `spectrum`. Local.");
  bind_end(bound, "Frees the memory when no array uses it any more. Collective.");
  bound.def("__repr__", &field_text);
}

constexpr const char* doc_of_plan = R"(Transforms dense grids distributed over ranks, f(r) = sum_G c(G) exp(+i G.r).

Parameters
----------
shape : tuple of int
    Number of points (nx, ny, nz). Arrays are [z, y, x]; x is the fastest axis.
dtype : dtype, default complex128
    Type of grid values: complex128, complex64, float64 or float32. For real values the spectrum has nx // 2 + 1 points
    along x.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
options : keywords
    See below.

With space="cuda", arrays of forward() and backward() may be in device memory.

Raises seiche.Error on all ranks or on none. It is a context manager; leaving it is collective. One thread at a time may
use the plan and its communicator; other threads get seiche.BadArgument.)";

void bind_making(nb::class_<DensePlan>& plan) {
  def_with<FftOptions>(plan, "__init__", init(&make_plan), "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none());
  def_static_with<FftOptions>(
      plan, "for_arrays", &make_plan_of_arrays,
      R"(Creates a plan for many fields in existing arrays, which are transformed in one call. Collective.

`planes` is the range of z on this rank; it may be empty. `columns` is the range of y of the spectrum on this rank; None:
the spectrum has the planes of the grid. Arrays are [z, y, x, field] if `interleaved`, else [field, z, y, x]. `in_place`:
grid and spectrum share the same memory. `plus`: forward uses exp(+i G.r). `unscaled`: forward does not scale by
1/(nx ny nz).)",
      "shape"_a, "fields"_a, "planes"_a, "columns"_a = nb::none(), "dtype"_a = "complex128", "comm"_a = nb::none(),
      nb::kw_only(), "interleaved"_a = true, "in_place"_a = false, "plus"_a = false, "unscaled"_a = false);
}

void bind_transforms(nb::class_<DensePlan>& plan) {
  Calls(plan)
      .def("forward", &forward, "field"_a,
           "Transforms a field to its spectrum, in place. Scales by 1/(nx ny nz). Collective.")
      .def("forward", &forward_arrays, "grid"_a, "spectrum"_a,
           R"(Transforms arrays on grid_box and spectrum_box: [z, y, x], or the layout of for_arrays(). Collective.)")
      .def("backward", &backward, "field"_a, "Transforms a field to its grid values, in place. Collective.")
      .def("backward", &backward_arrays, "spectrum"_a, "grid"_a,
           "Transforms arrays on spectrum_box and grid_box. Layouts as for forward(). Collective.")
      .def("start_forward", &start<true>, "grid"_a, "spectrum"_a,
           "Starts forward() of arrays. Returns a seiche.Pending. Collective.")
      .def("start_backward", &start<false>, "spectrum"_a, "grid"_a,
           "Starts backward() of arrays. Returns a seiche.Pending. Collective.");
  plan.def("allocate", &allocate,
           "Creates a field in padded memory of the plan. Fields give the best performance. Collective.")
      .def_prop_ro("grid_box", &grid_box, "This rank's part of the grid. Rows along x are whole. Local.")
      .def_prop_ro("spectrum_box", &spectrum_box,
                   "This rank's part of the spectrum. Columns along z are whole. Local.");
  bind_reports(plan);
}

}  // namespace

void bind_dense_fft(nb::module_& module) {
  bind_field(module);
  nb::class_<DensePlan> plan(module, "DenseFft", doc_with<FftOptions>(doc_of_plan));
  bind_making(plan);
  bind_transforms(plan);
  bind_end(plan, "Frees the plan's memory, but no fields. Collective.");
  plan.def("__repr__", &plan_text);
}

}  // namespace seiche::python
