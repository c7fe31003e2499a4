// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution of grid values between boxes.
#include "py_boxes.hpp"

#include <string>
#include <vector>

#include "py_device_array.hpp"
#include "py_pending.hpp"

namespace seiche::python {

BoxesOfEnd boxes_of(const Boxes& given) {
  std::vector<Box> boxes;
  BoxesOfEnd end;
  if (nb::isinstance<Box>(given)) {
    boxes.push_back(nb::cast<Box>(given));
    end.shape = extents_of(boxes.front());
  } else {
    for (const nb::handle one : given) boxes.push_back(value_of<Box>("a box", one, "seiche.Box"));
    std::int64_t points = 0;
    for (const Box& box : boxes) points += box.volume();
    end.shape = {points};
  }
  std::int64_t offset = 0;
  for (const Box& box : boxes) {
    FieldArray& array = end.arrays.emplace_back(consecutive(box));
    array.offset = offset;
    array.field_stride = product_of(end.shape);
    offset += box.volume();
  }
  return end;
}

namespace {

struct BoxPlan {
  GridShape shape;
  BoxesOfEnd source, target;
  bool on_device;  ///< accepts arrays in device memory
  Held<BoxExchange> held;
};

BoxPlan make_exchange(const Shape& shape, const Boxes& source, const Boxes& target, const Comm& comm,
                      const nb::kwargs& options) {
  const Communicator own = communicator(comm);
  GridShape grid;
  BoxesOfEnd from, into;
  BoxOptions settings;
  auto held = held_of<BoxExchange>(
      "BoxExchange", own,
      [&] {
        grid = grid_shape_of(shape);
        from = boxes_of(source);
        into = boxes_of(target);
        settings = options_of<BoxOptions>(options);
      },
      [&] { return BoxExchange(own, grid, from.arrays, into.arrays, settings); });
  return {grid, std::move(from), std::move(into), settings.space == Space::cuda, std::move(held)};
}

/// Collective. Calls work(input, output, fields) for arrays of any kind of value, after all ranks have agreed on them.
/// Creates `out` if it is None.
template <class Work>
auto with_values(const BoxPlan& exchange, const BoxesOfEnd& from, const BoxesOfEnd& into, const Array& values,
                 Array& out, const Work& work) {
  const Kind kind =
      agreed(exchange.held.comm(), [&] { return kind_of(dtype_of(values, "values", exchange.on_device)); });
  return with_kind(kind, [&](auto value) {
    using Value = decltype(value);
    Extents fields;  // leading axis of arrays of several fields
    const auto arrays = [&] {
      const Extents given = shape_of(values, "values", exchange.on_device);
      if (given.size() > from.shape.size()) fields = {given[0]};
      const Extents shape = joined(fields, into.shape);
      const auto read = span_of<const Value>(values, "values", joined(fields, from.shape), exchange.on_device);
      if (out.is_none()) out = empty_beside(values, nb::dtype<Value>(), shape, exchange.on_device);
      return std::pair(read, span_of<Value>(out, "out", shape, exchange.on_device));
    };
    return collective(exchange.held, arrays, [&](BoxExchange& boxes, auto& of) {
      return work(boxes, of.first, of.second, product_of(fields));
    });
  });
}

template <bool starts>
auto copy(const BoxPlan& exchange, const Array& values, Array out) {
  const auto work = [](BoxExchange& boxes, const auto& from, const auto& to, std::int64_t fields) {
    if constexpr (starts) return boxes.start_copy(from, to, fields);
    if constexpr (!starts) boxes.copy(from, to, fields);
  };
  const auto make = [&] { return with_values(exchange, exchange.source, exchange.target, values, out, work); };
  return answer(exchange.held.comm(), make, out, values);
}

template <bool starts>
auto add_back(const BoxPlan& exchange, const Array& values, Array out) {
  const auto work = [](BoxExchange& boxes, const auto& from, const auto& to, std::int64_t fields) {
    if constexpr (starts) return boxes.start_add_back(from, to, fields);
    if constexpr (!starts) boxes.add_back(from, to, fields);
  };
  const auto make = [&] { return with_values(exchange, exchange.target, exchange.source, values, out, work); };
  return answer(exchange.held.comm(), make, out, values);
}

nb::str exchange_text(const BoxPlan& exchange) {
  if (exchange.held.closed()) return nb::str("<seiche.BoxExchange, closed>");
  return text("<seiche.BoxExchange of {} points on {} ranks, here {} source boxes and {} target boxes>",
              tuple_of(exchange.shape), exchange.held.comm().size(), exchange.source.arrays.size(),
              exchange.target.arrays.size());
}

constexpr const char* doc_of_exchange = R"(Copies values of distributed grids from source boxes to target boxes.

Parameters
----------
shape : tuple of int
    Number of points (nx, ny, nz) of the periodic grid.
source : Box or sequence of Box
    Boxes of this rank with the values. They are inside the grid. No point is in two boxes of any ranks.
target : Box or sequence of Box
    Boxes of this rank that receive values. They may overlap and may extend beyond the grid: point -1 is point n - 1.
    Each point must be in a source box.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
options : keywords
    See below.

Arrays of a single Box are (nz, ny, nx), or (fields, nz, ny, nx). Arrays of a sequence of boxes are (points,) or (fields,
points), with the values [z, y, x] of the boxes one after another. Their dtype is float64, float32, complex128 or
complex64. With space="cuda", arrays may be in device memory, and new arrays are in the memory of `values`. Raises
seiche.Error on all ranks or on none. It is a context manager; leaving it is collective. One thread at a time may use the
exchange and its communicator.)";

}  // namespace

void bind_boxes(nb::module_& module) {
  bind_members<BoxReport>(module, "BoxReport",
                          "Settings and costs of a BoxExchange. Numbers count values of one field.");
  nb::class_<BoxPlan> exchange(module, "BoxExchange", doc_with<BoxOptions>(doc_of_exchange));
  def_with<BoxOptions>(exchange, "__init__", init(&make_exchange), "shape"_a, "source"_a, "target"_a,
                       "comm"_a = nb::none());
  Calls(exchange)
      .def("copy", &copy<false>, "values"_a, "out"_a = nb::none(),
           "Copies values of the source boxes to the target boxes, in `out` or a new array. Collective.")
      .def("add_back", &add_back<false>, "values"_a, "out"_a,
           R"(Adds values of the target boxes to the source boxes in `out`, and returns it. Collective.

A point of several target boxes receives the sum of all.)")
      .def("start_copy", &copy<true>, "values"_a, "out"_a = nb::none(),
           "Starts copy(). Returns a seiche.Pending. Collective.")
      .def("start_add_back", &add_back<true>, "values"_a, "out"_a,
           "Starts add_back(). Returns a seiche.Pending. Collective.");
  exchange
      .def_prop_ro(
          "report", [](const BoxPlan& self) { return self.held.peek().report(); },
          "Settings and costs, a BoxReport. Local.")
      .def_prop_ro(
          "progress", [](const BoxPlan& self) { return self.held.peek().progress(); },
          "Use of this rank's time in calls, a ProgressReport. Local.");
  bind_end(exchange, "Frees the buffers. Collective.");
  exchange.def("__repr__", &exchange_text);
}

}  // namespace seiche::python
