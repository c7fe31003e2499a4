// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms of dense grids, and the fields that they transform.
#include <string>

#include "communicators.hpp"
#include "kept.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "plans.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

struct DensePlan {
  GridShape shape;
  Kind kind;
  Held<OfAnyKind<DenseFft>> held;
  std::int64_t fields = 0;   // of callers' own arrays; 0: made for dense arrays of one field
  bool interleaved = false;  // their fields are the last axis, else the first
};

struct DenseField {
  GridShape shape;
  Kind kind;
  Box grid_box, spectrum_box;
  Held<OfAnyKind<Field>> held;
};

DensePlan make_plan(nb::handle shape, nb::handle dtype, const Comm& comm, const nb::kwargs& keywords) {
  const Communicator own = communicator(comm);
  GridShape grid;
  Kind kind{};
  FftOptions options;
  auto held = held_of<OfAnyKind<DenseFft>>(
      "DenseFft", own,
      [&] {
        grid = grid_shape_of(shape);
        kind = kind_of(dtype);
        options = fft_options(keywords);
      },
      [&](auto& made) {
        with_kind(kind, [&](auto value) { made.emplace(DenseFft<decltype(value)>(own, grid, options)); });
      });
  return {grid, kind, std::move(held)};
}

/// range(low, high) of a Python program.
Range range_of(const char* name, nb::handle given) {
  if (!nb::hasattr(given, "start") || !nb::hasattr(given, "stop")) {
    throw TypeError("python: " + std::string(name) + " has to be a range, not " +
                    nb::cast<std::string>(nb::repr(given)));
  }
  return {value_of<std::int64_t>(name, given.attr("start")), value_of<std::int64_t>(name, given.attr("stop"))};
}

/// What callers' arrays are like, but for their kind.
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

DensePlan make_plan_of_arrays(nb::handle shape, nb::handle dtype, const Comm& comm, const FieldsWanted& wanted,
                              const nb::kwargs& keywords) {
  const Communicator own = communicator(comm);
  GridShape grid;
  Kind kind{};
  FftOptions options;
  DenseArrays arrays;
  auto held = held_of<OfAnyKind<DenseFft>>(
      "DenseFft", own,
      [&] {
        grid = grid_shape_of(shape);
        kind = kind_of(dtype);
        options = fft_options(keywords);
        arrays = dense_arrays(grid, kind, wanted);
      },
      [&](auto& made) {
        with_kind(kind, [&](auto value) { made.emplace(DenseFft<decltype(value)>(own, grid, arrays, options)); });
      });
  return {grid, kind, std::move(held), wanted.fields, wanted.interleaved};
}

/// What a caller's array on `box` is like.
Extents extents_on(const DensePlan& plan, const Box& box) {
  Extents extents = extents_of(box);
  if (plan.fields > 0) extents.insert(plan.interleaved ? extents.end() : extents.begin(), plan.fields);
  return extents;
}

const Box& grid_box(const DensePlan& plan) {
  return std::visit([](const auto& fft) -> const Box& { return fft.grid_box(); }, plan.held.peek());
}
const Box& spectrum_box(const DensePlan& plan) {
  return std::visit([](const auto& fft) -> const Box& { return fft.spectrum_box(); }, plan.held.peek());
}

DenseField allocate(const DensePlan& plan) {
  auto& value = plan.held.peek();
  const Held<OfAnyKind<DenseFft>>::Busy busy(plan.held);
  auto held = held_of<OfAnyKind<Field>>(
      "Field", plan.held.comm(), [] {},
      [&](auto& made) { std::visit([&](auto& fft) { made.emplace(fft.allocate()); }, value); });
  return {plan.shape, plan.kind, grid_box(plan), spectrum_box(plan), std::move(held)};
}

/// Collective. work(plan, field) of the types that both have.
template <class Work>
void with_field(const DensePlan& plan, const DenseField& field, const Work& work) {
  const Held<OfAnyKind<Field>>::Busy busy(field.held);
  OfAnyKind<Field>* values = nullptr;
  collective(
      plan.held,
      [&] {
        values = &field.held.peek();
        if (plan.kind != field.kind) {
          throw Error(Fault::bad_argument, "python: the field is of " + name_of(field.kind) + ", the plan of " +
                                               name_of(plan.kind) + "; give one that allocate() of this plan made");
        }
      },
      [&](auto& of_plan) {
        std::visit(
            [&](auto& fft) {
              using Value = typename ValueOf<std::remove_cvref_t<decltype(fft)>>::type;
              work(fft, std::get<Field<Value>>(*values));
            },
            of_plan);
      });
}

/// Collective. The same for arrays of the caller: work(plan, grid, spectrum), of which one is only read.
template <bool forward>
void transform_arrays(const DensePlan& plan, const Array& grid, const Array& spectrum) {
  std::visit(
      [&](auto& fft) {
        using Value = typename ValueOf<std::remove_cvref_t<decltype(fft)>>::type;
        using Complex = typename ComplexOf<Value>::type;
        std::span<std::conditional_t<forward, const Value, Value>> points;
        std::span<std::conditional_t<forward, Complex, const Complex>> waves;
        collective(
            plan.held,
            [&] {
              points = span_of<std::conditional_t<forward, const Value, Value>>(grid, "grid",
                                                                                extents_on(plan, fft.grid_box()));
              waves = span_of<std::conditional_t<forward, Complex, const Complex>>(
                  spectrum, "spectrum", extents_on(plan, fft.spectrum_box()));
            },
            [&](auto&) {
              if constexpr (forward) {
                fft.forward(points, waves);
              } else {
                fft.backward(waves, points);
              }
            });
      },
      plan.held.peek());
}

void exchange_only(const DensePlan& plan, const DenseField& field, bool asleep) {
  with_field(plan, field, [&](auto& fft, auto& values) { fft.exchange_only(values, asleep); });
}

std::string plan_text(const DensePlan& plan) {
  if (plan.held.closed()) return "<seiche.DenseFft, closed>";
  const auto report = std::visit([](const auto& fft) { return fft.report(); }, plan.held.peek());
  return "<seiche.DenseFft of " + text_of({plan.shape.nx, plan.shape.ny, plan.shape.nz}) + " points, " +
         name_of(plan.kind) + ": " + report.decomposition + " on " + std::to_string(plan.held.comm().size()) +
         " ranks, here " + text_of(extents_of(grid_box(plan))) + ">";
}

std::string field_text(const DenseField& field) {
  if (field.held.closed()) return "<seiche.Field, closed>";
  return "<seiche.Field of " + text_of({field.shape.nx, field.shape.ny, field.shape.nz}) + " points, " +
         name_of(field.kind) + ", on " + std::to_string(field.held.comm().size()) + " ranks, here " +
         text_of(extents_of(field.grid_box)) + ">";
}

Array grid_of(const DenseField& field) {
  return std::visit(
      [&](auto& values) {
        const auto view = values.grid();
        return array_of_view(view, owner_of_array(field.held.kept()));
      },
      field.held.get());
}
Array spectrum_of(const DenseField& field) {
  return std::visit(
      [&](auto& values) {
        const auto view = values.spectrum();
        return array_of_view(view, owner_of_array(field.held.kept()));
      },
      field.held.get());
}

void become(const DenseField& field, bool spectrum) {
  collective(
      field.held, [] {},
      [&](auto& of_field) {
        std::visit([&](auto& values) { spectrum ? values.become_spectrum() : values.become_grid(); }, of_field);
      });
}

void bind_field(nb::module_& module) {
  constexpr const char* doc =
      R"(Values of one dense grid, spread over ranks, in memory that a plan laid out.

Made by :meth:`DenseFft.allocate`. Holds grid values or a spectrum, one at a time. A context manager: its end is
collective. Arrays in its memory stay good after close(), which then waits for them, but not after the end of MPI.
One thread at a time may use it and its communicator.)";
  nb::class_<DenseField> bound(module, "Field", doc);
  bound
      .def_prop_ro(
          "grid", &grid_of,
          R"(This rank's grid values, an array (z, y, x) in the field's own memory: no copy, rows padded. Local.

Raises seiche.BadArgument while the field holds a spectrum.)")
      .def_prop_ro("spectrum", &spectrum_of,
                   R"(This rank's part of the spectrum, a complex array (z, y, x) in the field's own memory. Local.

Raises seiche.BadArgument while the field holds grid values.)")
      .def(
          "become_grid", [](const DenseField& field) { become(field, false); },
          R"(From here on the field holds grid values, which are to be filled in. Collective.)")
      .def(
          "become_spectrum", [](const DenseField& field) { become(field, true); },
          R"(From here on the field holds a spectrum, which is to be filled in. Collective.)")
      .def_prop_ro(
          "grid_box", [](const DenseField& field) { return field.grid_box; }, "The points of `grid`. Local.")
      .def_prop_ro(
          "spectrum_box", [](const DenseField& field) { return field.spectrum_box; },
          "The waves of `spectrum`. Local.");
  bind_end(bound, "Frees the memory, as soon as no array lies in it. Collective.");
  bound.def("__repr__", &field_text);
}

constexpr const char* doc_of_plan = R"(Transforms dense grids spread over ranks, f(r) = sum_G c(G) exp(+i G.r).

Parameters
----------
shape : tuple of int
    Points (nx, ny, nz). Arrays are [z, y, x]: x lies in a row.
dtype : dtype, default complex128
    Of grid values: complex128 or complex64, or float64 or float32, whose spectrum has nx // 2 + 1 points along x.
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.
algorithm, decomposition, library, threads, reproducible, progress, window, memory, chunks, rounded_exchange, space
    As in the C++ `FftOptions`: see docs/fft.md and docs/exchange.md.

Raises seiche.Error on all ranks or on none. A context manager: its end is collective. One thread at a time may use
the plan and its communicator; another one gets seiche.BadArgument.)";

void bind_transforms(nb::class_<DensePlan>& plan) {
  plan.def(
          "__init__",
          [](DensePlan* self, nb::handle shape, nb::handle dtype, const Comm& comm, const nb::kwargs& options) {
            new (self) DensePlan(make_plan(shape, dtype, comm, options));
          },
          "shape"_a, "dtype"_a = "complex128", "comm"_a = nb::none(), "options"_a,
          signature<FftOptions>(
              "def __init__(self, shape: tuple[int, int, int], dtype: numpy.typing.DTypeLike = 'complex128', "
              "comm: mpi4py.MPI.Comm | None = None, *, ",
              ") -> None"))
      .def_static(
          "for_arrays",
          [](nb::handle shape, std::int64_t fields, nb::handle planes, nb::handle columns, nb::handle dtype,
             const Comm& comm, bool interleaved, bool in_place, bool plus, bool unscaled, const nb::kwargs& options) {
            return make_plan_of_arrays(shape, dtype, comm,
                                       {fields, planes, columns, interleaved, in_place, plus, unscaled}, options);
          },
          "shape"_a, "fields"_a, "planes"_a, "columns"_a = nb::none(), "dtype"_a = "complex128", "comm"_a = nb::none(),
          nb::kw_only(), "interleaved"_a = true, "in_place"_a = false, "plus"_a = false, "unscaled"_a = false,
          "options"_a,
          signature<FftOptions>(
              "def for_arrays(shape: tuple[int, int, int], fields: int, planes: range, columns: range | None = None, "
              "dtype: numpy.typing.DTypeLike = 'complex128', comm: mpi4py.MPI.Comm | None = None, *, "
              "interleaved: bool = True, in_place: bool = False, plus: bool = False, unscaled: bool = "
              "False, ",
              ") -> DenseFft"),
          R"(A plan for many fields in arrays that a program has already. Collective.

`planes`: which z lie on this rank, any range or none. `columns`: which y of the spectrum do; None: it lies as the grid
does. Arrays are [z, y, x, field], or, not `interleaved`, [field, z, y, x]; all fields are transformed in one call,
several on their way at a time. `plus`: forward has exp(+i G.r); `unscaled`: it does not carry the 1/(nx ny nz).)")
      .def("allocate", &allocate, R"(A field in the plan's own padded layout: the fastest way. Collective.)")
      .def(
          "forward",
          [](const DensePlan& self, const DenseField& field) {
            with_field(self, field, [](auto& fft, auto& values) { fft.forward(values); });
          },
          "field"_a, R"(Grid values of a field to its spectrum, scaled by 1/(nx ny nz), in place. Collective.)")
      .def(
          "forward", &transform_arrays<true>, "grid"_a.none(), "spectrum"_a.none(),
          R"(The same for callers' arrays on grid_box and spectrum_box: [z, y, x], or those of for_arrays(). Collective.)")
      .def(
          "backward",
          [](const DensePlan& self, const DenseField& field) {
            with_field(self, field, [](auto& fft, auto& values) { fft.backward(values); });
          },
          "field"_a, R"(The spectrum of a field to its grid values, in place. Collective.)")
      .def(
          "backward",
          [](const DensePlan& self, const Array& spectrum, const Array& grid) {
            transform_arrays<false>(self, grid, spectrum);
          },
          "spectrum"_a.none(), "grid"_a.none(),
          R"(The same for callers' arrays on spectrum_box and grid_box. Collective.)")
      .def("exchange_only", &exchange_only, "field"_a, "asleep"_a = false,
           R"(Moves what one forward and one backward would move, and computes nothing. Collective.)");
}

void bind_properties(nb::class_<DensePlan>& plan) {
  plan.def_prop_ro(
          "shape", [](const DensePlan& self) { return tuple_of(self.shape); }, "Points (nx, ny, nz). Local.")
      .def_prop_ro(
          "dtype", [](const DensePlan& self) { return name_of(self.kind); }, "Of grid values. Local.")
      .def_prop_ro(
          "grid_box", [](const DensePlan& self) { return grid_box(self); },
          "The part of the grid that this rank holds: rows along x are whole. Local.")
      .def_prop_ro(
          "spectrum_box", [](const DensePlan& self) { return spectrum_box(self); },
          "The part of the spectrum that this rank holds: columns along z are whole. Local.");
  bind_reports(plan);
}

}  // namespace

void bind_dense_fft(nb::module_& module) {
  bind_field(module);
  nb::class_<DensePlan> plan(module, "DenseFft", doc_of_plan);
  bind_transforms(plan);
  bind_properties(plan);
  bind_end(plan, "Frees what the plan has for callers' own arrays; fields stay. Collective.");
  plan.def("__repr__", &plan_text);
}

}  // namespace seiche::python
