// SPDX-License-Identifier: BSD-3-Clause
/// \file  Boxes of grids, waves of spheres, dtypes, and reports.
#include <seiche/exchange.hpp>
#include <seiche/layout.hpp>
#include <seiche/topology.hpp>

#include "py_bind.hpp"

namespace seiche::python {

namespace {

template <std::size_t axis>
PyRange range_of(const Box& box) {
  const nb::handle type(reinterpret_cast<PyObject*>(&PyRange_Type));
  return nb::borrow<PyRange>(nb::object(type(box.axis[axis].low, box.axis[axis].high)));
}

auto slices_of(const Box& box) {
  const auto along = [&](std::size_t a) {
    return nb::slice(nb::cast(box.axis[a].low), nb::cast(box.axis[a].high), nb::none());
  };
  return std::tuple(along(2), along(1), along(0));
}

nb::str repr_of(const Box& box) {
  const auto& [x, y, z] = box.axis;
  return text("<seiche.Box x {}:{} y {}:{} z {}:{}>", x.low, x.high, y.low, y.high, z.low, z.high);
}

using Pair = std::pair<std::int64_t, std::int64_t>;
Box make_box(const Pair& x, const Pair& y, const Pair& z) {
  return {{Range{x.first, x.second}, Range{y.first, y.second}, Range{z.first, z.second}}};
}

void bind_box(nb::module_& module) {
  nb::class_<Box>(module, "Box", R"(A box of grid points: a range of indices along each axis.

Parameters
----------
x, y, z : tuple of int
    First index, and last index + 1.)")
      .def("__init__", init(&make_box), "x"_a, "y"_a, "z"_a)
      .def_prop_ro("x", &range_of<0>, "Range of indices along x.")
      .def_prop_ro("y", &range_of<1>, "Range of indices along y.")
      .def_prop_ro("z", &range_of<2>, "Range of indices along z.")
      .def_prop_ro(
          "shape",
          [](const Box& box) {
            return tuple_of({box.size(2), box.size(1), box.size(0)});
          },
          "Shape (nz, ny, nx) of arrays on this box.")
      .def_prop_ro("slices", &slices_of,
                   "Slices of this box in an array [z, y, x] of the whole grid: whole[box.slices].")
      .def_prop_ro("volume", &Box::volume, "Number of points.")
      .def(
          "__eq__",
          [](const Box& box, nb::handle other) {
            return nb::isinstance<Box>(other) && box == nb::cast<const Box&>(other);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__repr__", &repr_of);
}

Array sphere(const std::array<Vector3, 3>& b, double cutoff, const Vector3& k, bool half) {
  return array_of_waves(sphere_of_waves(b, k, cutoff, half));
}

template <std::vector<Box> (*boxes)(int, GridShape, const FftOptions&)>
std::vector<Box> grid_boxes(int ranks, const Shape& shape, const nb::kwargs& options) {
  return boxes(ranks, grid_shape_of(shape), options_of<FftOptions>(options));
}

std::vector<std::string_view> algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm algorithm : all_algorithms()) names.push_back(name_of(algorithm));
  return names;
}

constexpr const char* names_of_kinds[] = {"float64", "float32", "complex128", "complex64"};

}  // namespace

Kind kind_of(nb::handle dtype) {
  const auto name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  const auto found = std::find(std::begin(names_of_kinds), std::end(names_of_kinds), name);
  if (found != std::end(names_of_kinds)) return static_cast<Kind>(found - names_of_kinds);
  throw TypeError("unsupported dtype " + name + ": use one of float64, float32, complex128, complex64");
}

std::string name_of(Kind kind) { return names_of_kinds[static_cast<std::size_t>(kind)]; }

nb::str text_of_members(nb::handle self) {
  std::string values;
  const nb::object type = nb::borrow(self.type()), members = type.attr("__dict__");
  const nb::handle property(reinterpret_cast<PyObject*>(&PyProperty_Type));
  for (const nb::handle name : members) {
    if (!nb::isinstance(members[name], property)) continue;
    const nb::object value = self.attr(name);
    const bool is_long = nb::isinstance<nb::list>(value) && nb::len(value) > 4;
    const nb::str said = is_long ? text("<{} entries>", nb::len(value)) : nb::repr(value);
    values += (values.empty() ? "" : ", ") + nb::cast<std::string>(name) + "=" + said.c_str();
  }
  return text("<seiche.{}: {}>", type.attr("__name__"), values);
}

void bind_layout(nb::module_& module) {
  bind_box(module);
  module.def("sphere_of_waves", &sphere, "b"_a, "cutoff"_a, "k"_a = Vector3{}, "half"_a = false,
             R"(Returns the waves G with |k + G|^2 / 2 <= cutoff as an int32 array (n, 3), in x, y, z order. Local.

Parameters
----------
b : array_like, (3, 3)
    Reciprocal lattice vectors as rows, bohr^-1.
cutoff : float
    Hartree.
k : array_like, (3,)
    k-point in units of b1, b2, b3.
half : bool
    Return one of each pair G, -G only.)");
  module.def(
      "balanced_owners",
      [](const Array& waves, int ranks) { return array_of(balanced_owners(waves_of(waves, "waves"), ranks)); },
      "waves"_a.none(), "ranks"_a,
      R"(Distributes waves over ranks in whole sticks with nearly equal numbers of waves. Local.

`waves` is an int32 array (n, 3). Returns the rank of each wave as an int32 array (n,), equal on all ranks.)");
  module.def(
      "order_ranks",
      [](const Comm& comm) { return on(comm, [](const Communicator& own) { return order_ranks(own).rank(); }); },
      "comm"_a = nb::none(),
      R"(Returns the rank of this process in the order in which plans use the ranks of `comm`. Collective.

The ranks of a node follow each other, and the nodes of a group. SEICHE_TOPOLOGY has the groups. Without it the rank is
that of `comm`. `comm.Split(0, rank)` makes a communicator that has this order.)");
  module.def("algorithms", &algorithms, "Returns the names of all exchange algorithms. Local.");
  module.def(
      "line_library", [] { return name_of(line_library()); },
      "Returns the default library of the 1D FFTs: fftw, mkl, ducc or fastest. Local.");
  bind_members<FftReport>(module, "FftReport", "Settings and costs of a plan.");
  bind_members<ProgressReport>(module, "ProgressReport", "Use of a rank's time, summed over all calls of a plan.");
  def_with<FftOptions>(module, "dense_grid_boxes", &grid_boxes<&dense_grid_boxes>,
                       "Returns the grid_box of each of `ranks` ranks for a DenseFft, without creating a plan. Local.",
                       "ranks"_a, "shape"_a);
  def_with<FftOptions>(module, "sphere_grid_boxes", &grid_boxes<&sphere_grid_boxes>,
                       "Returns the grid_box of each of `ranks` ranks for a SphereFft. Local.", "ranks"_a, "shape"_a);
}

}  // namespace seiche::python
