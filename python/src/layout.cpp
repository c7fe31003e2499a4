// SPDX-License-Identifier: BSD-3-Clause
/// \file  Boxes of grids, waves of spheres, kinds of numbers, reports.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <seiche/exchange.hpp>
#include <seiche/layout.hpp>

#include "nouns.hpp"
#include "options.hpp"
#include "plans.hpp"

namespace seiche::python {

using namespace nb::literals;

namespace {

nb::object slice_of(const Range& range) {
  return nb::borrow(reinterpret_cast<PyObject*>(&PySlice_Type))(range.low, range.high);
}
nb::object range_of(const Range& range) {
  return nb::borrow(reinterpret_cast<PyObject*>(&PyRange_Type))(range.low, range.high);
}

std::string text_of(const Box& box) {
  std::string text = "<seiche.Box";
  for (std::size_t a = 0; a < 3; ++a) {
    const Range& range = box.axis[a];
    text += std::string(" ") + "xyz"[a] + " " + std::to_string(range.low) + ":" + std::to_string(range.high);
  }
  return text + ">";
}

void bind_box(nb::module_& module) {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  nb::class_<Box>(module, "Box", R"(A box of grid points: a range along each axis.

Parameters
----------
x, y, z : tuple of int
    First index, and one after the last.)")
      .def(
          "__init__",
          [](Box* self, const Pair& x, const Pair& y, const Pair& z) {
            new (self) Box{{Range{x.first, x.second}, Range{y.first, y.second}, Range{z.first, z.second}}};
          },
          "x"_a, "y"_a, "z"_a)
      .def_prop_ro(
          "x", [](const Box& box) { return range_of(box.axis[0]); }, "Indices along x: a range.",
          nb::sig("def x(self) -> range"))
      .def_prop_ro(
          "y", [](const Box& box) { return range_of(box.axis[1]); }, "Indices along y: a range.",
          nb::sig("def y(self) -> range"))
      .def_prop_ro(
          "z", [](const Box& box) { return range_of(box.axis[2]); }, "Indices along z: a range.",
          nb::sig("def z(self) -> range"))
      .def_prop_ro(
          "shape", [](const Box& box) { return nb::tuple(nb::cast(extents_of(box))); },
          "Shape (nz, ny, nx) of arrays on this box.", nb::sig("def shape(self) -> tuple[int, int, int]"))
      .def_prop_ro(
          "slices",
          [](const Box& box) {
            return nb::make_tuple(slice_of(box.axis[2]), slice_of(box.axis[1]), slice_of(box.axis[0]));
          },
          "Where this box lies in an array [z, y, x] of the whole grid: whole[box.slices].",
          nb::sig("def slices(self) -> tuple[slice, slice, slice]"))
      .def_prop_ro("volume", &Box::volume, "Number of points.")
      .def(
          "__eq__",
          [](const Box& box, nb::handle other) {
            return nb::isinstance<Box>(other) && box == nb::cast<const Box&>(other);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", [](const Box& box) { return text_of(box); });
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

Array sphere(const Matrix3& b, double cutoff, const std::array<double, 3>& k, bool half) {
  return array_of_waves(sphere_of_waves(b, k, cutoff, half));
}

Array owners(const Array& waves, int ranks) {
  auto found = balanced_owners(waves_of(waves, "waves"), ranks);
  const auto size = static_cast<std::int64_t>(found.size());
  return array_from(std::move(found), {size});
}

}  // namespace

Kind kind_of(nb::handle dtype) {
  const auto name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  for (const Kind kind : {Kind::float64, Kind::float32, Kind::complex128, Kind::complex64}) {
    if (name_of(kind) == name) return kind;
  }
  throw TypeError("python: dtype cannot be " + name + "; it is one of float64, float32, complex128, complex64");
}

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::float64:
      return "float64";
    case Kind::float32:
      return "float32";
    case Kind::complex64:
      return "complex64";
    default:
      return "complex128";
  }
}

void bind_layout(nb::module_& module) {
  bind_box(module);
  module.def("sphere_of_waves", &sphere, "b"_a, "cutoff"_a, "k"_a = std::array<double, 3>{}, "half"_a = false,
             R"(The waves G with |k + G|^2 / 2 <= cutoff, an int32 array (n, 3), in x, y, z order. Local.

Parameters
----------
b : array_like, (3, 3)
    Reciprocal vectors in rows, bohr^-1.
cutoff : float
    Hartree.
k : array_like, (3,)
    In units of b1, b2, b3.
half : bool
    One of each pair G, -G only.)");
  module.def(
      "balanced_owners", &owners, "waves"_a.none(), "ranks"_a,
      R"(The rank that should own each wave, an int32 array (n,): sticks stay whole, ranks get nearly equal numbers.

The same on all ranks for the same `waves`, an int32 array (n, 3). Local.)");
  module.def(
      "algorithms",
      [] {
        nb::list names;
        for (const Algorithm algorithm : all_algorithms()) names.append(name_of(algorithm));
        return names;
      },
      "The exchange algorithms of this build: see docs/exchange.md. Local.", nb::sig("def algorithms() -> list[str]"));
  module.def(
      "line_library", [] { return name_of(line_library()); },
      "The library of lines that `automatic` stands for here: fftw, mkl, ducc or fastest. Local.",
      nb::sig("def line_library() -> str"));
}

void bind_reports(nb::module_& module) {
  bind_members<FftReport>(module, "FftReport", "Settings and costs of a plan.");
  bind_members<ProgressReport>(module, "ProgressReport", "Use of a rank's time in all calls of a plan.");
  module.def(
      "dense_grid_boxes",
      [](int ranks, nb::handle shape, const nb::kwargs& options) {
        return dense_grid_boxes(ranks, grid_shape_of(shape), fft_options(options));
      },
      "ranks"_a, "shape"_a, "options"_a,
      signature<FftOptions>("def dense_grid_boxes(ranks: int, shape: tuple[int, int, int], *, ", ") -> list[Box]"),
      "Which box of the grid each of so many ranks holds in a DenseFft, without making one. Local.");
  module.def(
      "sphere_grid_boxes",
      [](int ranks, nb::handle shape, const nb::kwargs& options) {
        return sphere_grid_boxes(ranks, grid_shape_of(shape), fft_options(options));
      },
      "ranks"_a, "shape"_a, "options"_a,
      signature<FftOptions>("def sphere_grid_boxes(ranks: int, shape: tuple[int, int, int], *, ", ") -> list[Box]"),
      "The same of a SphereFft. Local.");
}

}  // namespace seiche::python
