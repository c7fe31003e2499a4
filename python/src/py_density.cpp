// SPDX-License-Identifier: BSD-3-Clause
/// \file  Electron densities: summation over bands, files, comparison and pictures.
#include <seiche/density_file.hpp>

#include "py_bind.hpp"
#include "py_wavefile.hpp"

namespace seiche::python {

namespace {

/// Creates a density of zeros.
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
    R"(A density on a grid, distributed over ranks in boxes with whole rows along x. Collective.

components[0] is the total; then none, or m_z, or m_x, m_y, m_z. density_of() and read_density() create densities. The
constructor creates a density of zeros:

Parameters
----------
crystal : Crystal
grid : tuple of int
    Number of points (nx, ny, nz).
components : int
    1, 2 or 4.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)";

void bind_class(nb::module_& module) {
  nb::class_<Density> density(module, "Density", doc_of_density);
  Calls(density).def("__init__", init(&make), "crystal"_a, "grid"_a, "components"_a = 1, "comm"_a = nb::none());
  density
      .def_prop_ro("components", &components_of,
                   "Float64 arrays (nz, ny, nx) on `box` in the density's memory; writable. Local.")
      .def_ro("crystal", &Density::crystal, nb::rv_policy::copy, "Copy of the Crystal. Local.")
      .def_prop_ro("grid", &as_tuple<&Density::grid>, "Number of grid points (nx, ny, nz). Local.")
      .def_ro("box", &Density::box, nb::rv_policy::copy, "This rank's part of the grid. Local.")
      .def_ro("cutoff", &Density::cutoff, "Cutoff of its sphere of waves, hartree; 0: unknown. Local.")
      .def_prop_rw(
          "units", [](const Density& self) { return self.units; }, &set_units, "Unit of the values. Local.")
      .def("__repr__", &repr_of);
}

void bind_density_of(nb::module_& module) {
  def_with<DensityOptions>(module, "density_of", together<Density, const Orbitals&, const DensityOptions&>(&density_of),
                           R"(Computes the density of orbitals, symmetrized by the crystal's operations. Collective.

Raises seiche.Error if the number of electrons differs from the header's by more than 1e-6 of it, unless `as_they_are` is
given. The result is bitwise identical on any number of ranks.)",
                           "orbitals"_a);
  def_with<DensityOptions>(module, "density_of", together<Density, const WaveFile&, const DensityOptions&>(&density_of),
                           "Computes the density of the orbitals in a file. Bands are read ahead. Collective.",
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
             "Reads the density that is stored with the wavefunctions of a WaveFile. Collective.");
  module.def("read_density", &read_like, "path"_a, "like"_a,
             "Reads a density with the grid and distribution of `like`. Collective.");
  module.def("read_density", by_path<Density>(&read_density), "path"_a, "comm"_a = nb::none(),
             "Reads a density with the crystal and grid of the file. Collective.");
  Calls(module).def("write_density", together(&write_density), "density"_a, "path"_a,
                    R"(Writes a density. Collective.

The name selects the format: .cube, .xsf, .h5, CHGCAR, PARCHG, LOCPOT, RHO, charge-density.dat or .hdf5. Returns the names
of the files written. A magnetization has separate files in .cube and .xsf format.)");
  Calls(module).def("draw_density", &draw, "density"_a, "path"_a, "plane"_a = nb::none(), "component"_a = 0,
                    R"(Draws a component on a plane (default: plane_of_bonds) as a PNG picture. Collective.

seiche.plot.plane draws it with axes, a colour scale and names of atoms.)");
  Calls(module).def("holds_density_only", by_path(&holds_density_only), "path"_a, "comm"_a = nb::none(),
                    "Tells whether a file contains a quantity on a grid and no wavefunctions. Collective.");
  Calls(module).def(
      "set_unit",
      [](Density& density, const std::string& unit) {
        require_free(density.comm);
        set_unit(density, unit);
      },
      "density"_a, "unit"_a,
      R"(Sets the unit of values from a .cube or .xsf file of another program, and converts them. Local.

`unit` is electrons/bohr3, electrons/angstrom3, hartree, rydberg or eV. Raises seiche.BadArgument if the unit is known.)");
  module.def(
      "names_density", [](const Path& path) { return names_density(path); }, "path"_a,
      "Tells whether the name selects a format of write_density() that write_orbitals() does not have. Local.");
  Calls(module).def("expect_output", by_path(&expect_output), "path"_a, "comm"_a = nb::none(),
                    "Checks that write_density() can write to `path`. Call it before a long computation. Collective.");
}

}  // namespace

void bind_density(nb::module_& module) {
  bind_report<Deviation>(module, "Deviation", "Largest difference between two densities, divided by the largest value.")
      .def_ro("density", &Deviation::density, "Deviation of the total.")
      .def_ro("magnetisation", &Deviation::magnetisation,
              "Deviation of the magnetization, as a vector; None: there is none.")
      .def_prop_ro("largest", &Deviation::largest, "Larger one of the two.");
  bind_class(module);
  bind_density_of(module);
  bind_density_files(module);
  Calls(module).def(
      "symmetrize",
      [](Density& density, const OrbitalHeader& header) {
        collective(density.comm, [&] { symmetrize(density, header); });
      },
      "density"_a, "header"_a,
      R"(Symmetrizes, in place, a sum over bands such as SphereFft.add_density() returns. Collective.

The sum is truncated to header.density_cutoff. If header.averaged is set, it is also averaged over the symmetry
operations.)");
  Calls(module).def("integrals", together(&integrals), "density"_a,
                    "Returns the integral of each component: number of electrons, then magnetic moments. Collective.");
  Calls(module).def("compare", together<Deviation, const Density&, const Density&>(&compare), "a"_a, "b"_a,
                    "Compares two densities with the same grid and distribution. Collective.");
}

}  // namespace seiche::python
