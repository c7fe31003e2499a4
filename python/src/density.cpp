// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities: of orbitals, from files, compared, written, drawn.
#include <seiche/density_file.hpp>

#include "bind.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

/// Zeros, for codes' own densities.
Density make(const Crystal& crystal, const Shape& grid, int components, const Comm& comm) {
  const Communicator own = communicator(comm);
  Density made{.comm = own, .crystal = crystal};
  made.grid = agreed(own, [&] {
    if (components == 1 || components == 2 || components == 4) return grid_shape_of(grid);
    throw BadArgument("a density must have 1, 2 or 4 components");
  });
  made.box = sphere_grid_boxes(own.size(), made.grid)[static_cast<std::size_t>(own.rank())];
  made.components.assign(static_cast<std::size_t>(components),
                         std::vector<double>(static_cast<std::size_t>(made.box.volume())));
  return made;
}

nb::typed<nb::list, Array> components_of(nb::handle self) {
  nb::list all;
  auto& density = nb::cast<Density&>(self);
  for (auto& values : density.components) all.append(array_on(values.data(), extents_of(density.box), self));
  return nb::borrow<nb::typed<nb::list, Array>>(all);
}

void set_units(Density& density, const std::string& units) {
  require_free(density.comm);
  density.units = units;
}

nb::str repr_of(const Density& density) {
  return text("<seiche.Density on {} points, {} components, {}, on {} ranks, here {}>", tuple_of(density.grid),
              density.components.size(), density.units, density.comm.size(), python::text_of(extents_of(density.box)));
}

constexpr const char* doc_of_density =
    R"(A density on its grid, spread over ranks in boxes whose rows along x are whole.

components[0] is the total; then nothing, or m_z, or m_x, m_y, m_z. Made by density_of and read_density, or of zeros:

Parameters
----------
crystal : Crystal
grid : tuple of int
    Points (nx, ny, nz).
components : int
    1, 2 or 4.
comm : mpi4py.MPI.Comm, or another handle (docs/python.md), optional
    Collective over it. Default: all processes.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)";

void bind_class(nb::module_& module) {
  nb::class_<Density>(module, "Density", doc_of_density)
      .def("__init__", init(&make), "crystal"_a, "grid"_a, "components"_a = 1, "comm"_a = nb::none())
      .def_prop_ro("components", &components_of,
                   "Arrays (nz, ny, nx) on `box`, float64, in the density's own memory. Change them in place. Local.")
      .def_ro("crystal", &Density::crystal, nb::rv_policy::copy, "A copy of its Crystal. Local.")
      .def_prop_ro("grid", &as_tuple<&Density::grid>, "Points (nx, ny, nz). Local.")
      .def_ro("box", &Density::box, nb::rv_policy::copy, "The part held by this rank. Local.")
      .def_ro("cutoff", &Density::cutoff, "Of its sphere of waves, hartree; 0: not known. Local.")
      .def_prop_rw(
          "units", [](const Density& self) { return self.units; }, &set_units, "Of the values. Local.")
      .def("__repr__", &repr_of);
}

void bind_density_of(nb::module_& module) {
  def_with<DensityOptions>(module, "density_of", together<Density, const Orbitals&, const DensityOptions&>(&density_of),
                           R"(The density of orbitals, symmetrised by the crystal's operations. Collective.

Raises seiche.Error unless it holds the electrons of the header within 1e-6 of them, or as_they_are is given. The same to
the last bit on any number of ranks.)",
                           "orbitals"_a);
  def_with<DensityOptions>(module, "density_of", together<Density, const WaveFile&, const DensityOptions&>(&density_of),
                           "The same of the orbitals in a file, whose bands are read ahead; none is kept. Collective.",
                           "file"_a);
}

Density read_like(const Path& path, const Density& like) {
  return collective(like.comm, [&] { return read_density(path, like); });
}
void draw(const Density& density, const Path& path, const std::optional<Plane>& plane, int component) {
  collective(density.comm, [&] { draw_density(density, path, plane, component); });
}

void bind_density_files(nb::module_& module) {
  module.def("read_density", together<Density, const WaveFile&>(&read_density), "file"_a,
             "The density beside the waves of a WaveFile. Collective.");
  module.def("read_density", &read_like, "path"_a, "like"_a,
             "The density that a code wrote, laid out as `like`, on whose grid it must be. Collective.");
  module.def("read_density", by_path<Density>(&read_density), "path"_a, "comm"_a = nb::none(),
             "The density of a file that says itself what its crystal and grid are (docs/density.md). Collective.");
  module.def(
      "write_density", together(&write_density), "density"_a, "path"_a,
      R"(Writes .cube, .xsf, .h5, CHGCAR, PARCHG, LOCPOT, RHO, charge-density.dat or .hdf5, by the name. Collective.

Returns the names of the files written: text formats put a magnetisation into files of its own.)");
  module.def("draw_density", &draw, "density"_a, "path"_a, "plane"_a = nb::none(), "component"_a = 0,
             R"(A PNG picture of a component on a plane, by default that of plane_of_bonds. Collective.

seiche.plot.plane draws the same with names, lengths and a scale.)");
  module.def("holds_density_only", by_path(&holds_density_only), "path"_a, "comm"_a = nb::none(),
             "Whether a file holds a quantity on a grid, and no wavefunctions. Collective.");
  module.def(
      "names_density", [](const Path& path) { return names_density(path); }, "path"_a,
      "Whether write_density, and not write_orbitals, would know what to write by this name. Local.");
  module.def("expect_output", by_path(&expect_output), "path"_a, "comm"_a = nb::none(),
             "Raises at once what write_density would raise after a long computation. Collective.");
}

}  // namespace

void bind_density(nb::module_& module) {
  bind_report<Deviation>(module, "Deviation", "How far two densities are apart, over the largest value.")
      .def_ro("density", &Deviation::density, "Of the total.")
      .def_ro("magnetisation", &Deviation::magnetisation, "Of the magnetisation as a vector; None: there is none.")
      .def_prop_ro("largest", &Deviation::largest, "The larger of the two.");
  bind_class(module);
  bind_density_of(module);
  bind_density_files(module);
  module.def(
      "symmetrize",
      [](Density& density, const OrbitalHeader& header) {
        collective(density.comm, [&] { symmetrize(density, header); });
      },
      "density"_a, "header"_a,
      R"(Makes of a sum over bands, such as add_density gives, the crystal's density, in place. Collective.

It is cut off at header.density_cutoff and, where header.averaged says so, averaged over the operations of its crystal.)");
  module.def("integrals", together(&integrals), "density"_a,
             "Electrons in the cell, and the integrals of the magnetisation's components. Collective.");
  module.def("compare", together<Deviation, const Density&, const Density&>(&compare), "a"_a, "b"_a,
             "Largest |a - b| over the largest |b| of two densities on the same grid, shared out alike. Collective.");
}

}  // namespace seiche::python
