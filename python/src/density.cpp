// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities: of orbitals, from files, compared, written, drawn.
#include <seiche/density_file.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "callback.hpp"
#include "communicators.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

/// Of the transforms as well as of the sum.
DensityOptions density_options(const nb::kwargs& given) {
  DensityOptions options;
  nb::kwargs of_transforms = nb::steal<nb::kwargs>(PyDict_New());
  static const Keywords<DensityOptions> known{
      {"memory",
       [](DensityOptions& o, nb::handle bytes) { o.policy.memory = value_of<std::int64_t>("memory", bytes); }},
      sets("as_they_are", &DensityOptions::as_they_are),
      sets("symmetric", &DensityOptions::symmetric),
      sets("occupations", &DensityOptions::occupations),
      {"on_progress", [](DensityOptions& o, nb::handle function) { o.on_progress = progress_function(function); }}};
  for (const auto& [key, value] : given) {
    const auto found = known.find(nb::cast<std::string>(key));
    if (found == known.end()) {
      of_transforms[key] = value;
    } else {
      found->second(options, value);
    }
  }
  options.fft = fft_options(of_transforms, options.fft);
  return options;
}

template <class Source>
Density density_from(const Communicator& comm, const Source& source, const nb::kwargs& keywords) {
  DensityOptions options;
  std::optional<Density> made;
  collective(
      comm, [&] { options = density_options(keywords), source(); }, [&] { made = density_of(source(), options); });
  return std::move(*made);
}

Density read(nb::handle path, const Comm& comm) {
  const Communicator own = communicator(comm);
  const std::string name = path_of(path);
  std::optional<Density> made;
  collective(
      own, [] {}, [&] { made = read_density(own, name); });
  return std::move(*made);
}
Density read_like(nb::handle path, const Density& like) {
  const std::string name = path_of(path);
  std::optional<Density> made;
  collective(
      like.comm, [] {}, [&] { made = read_density(name, like); });
  return std::move(*made);
}
Density read_beside(const OpenFile& file) {
  std::optional<Density> made;
  collective(
      file.comm, [&] { file.get(); }, [&] { made = read_density(file.get()); });
  return std::move(*made);
}

/// Zeros, for codes' own densities.
Density make(const Crystal& crystal, nb::handle grid, int components, const Comm& comm) {
  const Communicator own = communicator(comm);
  Density made{.comm = own};
  collective(
      own,
      [&] {
        made.grid = grid_shape_of(grid);
        if (components != 1 && components != 2 && components != 4) {
          throw Error(Fault::bad_argument, "python: a density has 1, 2 or 4 components");
        }
      },
      [] {});
  made.crystal = crystal;
  made.box = sphere_grid_boxes(own.size(), made.grid)[static_cast<std::size_t>(own.rank())];
  made.components.assign(static_cast<std::size_t>(components),
                         std::vector<double>(static_cast<std::size_t>(made.box.volume())));
  return made;
}

nb::list components_of(nb::handle self) {
  nb::list all;
  auto& density = nb::cast<Density&>(self);
  for (auto& values : density.components) all.append(array_on(values.data(), extents_of(density.box), self));
  return all;
}

std::vector<double> integrals_of(const Density& density) {
  std::vector<double> found;
  collective(
      density.comm, [] {}, [&] { found = integrals(density); });
  return found;
}

Deviation compare_densities(const Density& a, const Density& b) {
  Deviation found;
  collective(
      a.comm, [] {}, [&] { found = compare(a, b); });
  return found;
}

std::vector<std::string> write(const Density& density, nb::handle path) {
  const std::string name = path_of(path);
  std::vector<std::string> files;
  collective(
      density.comm, [] {}, [&] { files = write_density(density, name); });
  return files;
}

void draw(const Density& density, nb::handle path, const std::optional<Plane>& plane, int component) {
  const std::string name = path_of(path);
  collective(
      density.comm, [] {}, [&] { draw_density(density, name, plane, component); });
}

std::string text_of(const Density& density) {
  const GridShape& grid = density.grid;
  return "<seiche.Density on " + python::text_of({grid.nx, grid.ny, grid.nz}) + " points, " +
         std::to_string(density.components.size()) + " components, " + density.units + ", on " +
         std::to_string(density.comm.size()) + " ranks, here " + python::text_of(extents_of(density.box)) + ">";
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
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)";

void bind_class(nb::module_& module) {
  nb::class_<Density>(module, "Density", doc_of_density)
      .def(
          "__init__",
          [](Density* self, const Crystal& crystal, nb::handle grid, int components, const Comm& comm) {
            new (self) Density(make(crystal, grid, components, comm));
          },
          "crystal"_a, "grid"_a, "components"_a = 1, "comm"_a = nb::none(),
          nb::sig("def __init__(self, crystal: Crystal, grid: tuple[int, int, int], components: int = 1, comm: "
                  "mpi4py.MPI.Comm | None = None) -> None"))
      .def_prop_ro("components", &components_of,
                   "Arrays (nz, ny, nx) on `box`, float64, in the density's own memory. Change them in place. Local.",
                   nb::sig("def components(self) -> list[numpy.ndarray]"))
      .def_prop_ro(
          "crystal", [](const Density& self) { return self.crystal; }, "A copy of its Crystal. Local.")
      .def_prop_ro(
          "grid", [](const Density& self) { return tuple_of(self.grid); }, "Points (nx, ny, nz). Local.",
          nb::sig("def grid(self) -> tuple[int, int, int]"))
      .def_prop_ro(
          "box", [](const Density& self) { return self.box; }, "The part held by this rank. Local.")
      .def_prop_ro(
          "cutoff", [](const Density& self) { return self.cutoff; },
          "Of its sphere of waves, hartree; 0: not known. Local.")
      .def_prop_rw(
          "units", [](const Density& self) { return self.units; },
          [](Density& self, const std::string& units) {
            require_free(self.comm);
            self.units = units;
          },
          "Of the values. Local.")
      .def("__repr__", &text_of);
}

nb::sig density_signature(const std::string& before, const std::string& after) {
  return signature(before +
                       "as_they_are: bool = False, symmetric: bool = True, occupations: list[float] = [], "
                       "on_progress: collections.abc.Callable[[float], None] | None = None, ",
                   after, DensityOptions{}.fft);
}

void bind_density_of(nb::module_& module) {
  module.def(
      "density_of",
      [](const Orbitals& orbitals, const nb::kwargs& options) {
        return density_from(
            orbitals.comm, [&]() -> const Orbitals& { return orbitals; }, options);
      },
      "orbitals"_a, "options"_a, R"(The density of orbitals, symmetrised by the crystal's operations. Collective.

Raises seiche.Error unless it holds the electrons of the header within 1e-6 of them, or as_they_are is given. The same to
the last bit on any number of ranks.)",
      density_signature("def density_of(orbitals: Orbitals, *, ", ") -> Density"));
  module.def(
      "density_of",
      [](const OpenFile& file, const nb::kwargs& options) {
        return density_from(
            file.comm, [&]() -> const WaveFile& { return file.get(); }, options);
      },
      "file"_a, "options"_a,
      "The same of the orbitals in a file, whose bands are read ahead; none is kept. Collective.",
      density_signature("def density_of(file: WaveFile, *, ", ") -> Density"));
}

void bind_density_files(nb::module_& module) {
  module.def("read_density", &read_beside, "file"_a, "The density beside the waves of a WaveFile. Collective.");
  module.def("read_density", &read_like, "path"_a, "like"_a,
             "The density that a code wrote, laid out as `like`, on whose grid it must be. Collective.",
             nb::sig("def read_density(path: str | os.PathLike[str], like: Density) -> Density"));
  module.def("read_density", &read, "path"_a, "comm"_a = nb::none(),
             "The density of a file that says itself what its crystal and grid are (docs/density.md). Collective.",
             nb::sig("def read_density(path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> Density"));
  module.def(
      "write_density", &write, "density"_a, "path"_a,
      R"(Writes .cube, .xsf, .h5, CHGCAR, PARCHG, LOCPOT, RHO, charge-density.dat or .hdf5, by the name. Collective.

Returns the names of the files written: text formats put a magnetisation into files of its own.)",
      nb::sig("def write_density(density: Density, path: str | os.PathLike[str]) -> list[str]"));
  module.def("draw_density", &draw, "density"_a, "path"_a, "plane"_a = nb::none(), "component"_a = 0,
             R"(A PNG picture of a component on a plane, by default that of plane_of_bonds. Collective.

seiche.plot.plane draws the same with names, lengths and a scale.)",
             nb::sig("def draw_density(density: Density, path: str | os.PathLike[str], plane: Plane | None = None, "
                     "component: int = 0) -> None"));
  module.def(
      "holds_density_only",
      [](nb::handle path, const Comm& comm) {
        const Communicator own = communicator(comm);
        const std::string name = path_of(path);
        bool only = false;
        collective(
            own, [] {}, [&] { only = holds_density_only(own, name); });
        return only;
      },
      "path"_a, "comm"_a = nb::none(), "Whether a file holds a quantity on a grid, and no wavefunctions. Collective.",
      nb::sig("def holds_density_only(path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> bool"));
  module.def(
      "names_density", [](nb::handle path) { return names_density(path_of(path)); }, "path"_a,
      "Whether write_density, and not write_orbitals, would know what to write by this name. Local.",
      nb::sig("def names_density(path: str | os.PathLike[str]) -> bool"));
  module.def(
      "expect_output",
      [](nb::handle path, const Comm& comm) {
        const Communicator own = communicator(comm);
        const std::string name = path_of(path);
        collective(
            own, [] {}, [&] { expect_output(own, name); });
      },
      "path"_a, "comm"_a = nb::none(),
      "Raises at once what write_density would raise after a long computation. Collective.",
      nb::sig("def expect_output(path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> None"));
}

}  // namespace

void bind_density(nb::module_& module) {
  nb::class_<Deviation>(module, "Deviation", "How far two densities are apart, over the largest value.")
      .def_ro("density", &Deviation::density, "Of the total.")
      .def_ro("magnetisation", &Deviation::magnetisation, "Of the magnetisation as a vector; None: there is none.")
      .def_prop_ro("largest", &Deviation::largest, "The larger of the two.");
  bind_class(module);
  bind_density_of(module);
  bind_density_files(module);
  module.def(
      "symmetrize",
      [](Density& density, const OrbitalHeader& header) {
        collective(
            density.comm, [] {}, [&] { symmetrize(density, header); });
      },
      "density"_a, "header"_a,
      R"(Makes of a sum over bands, such as add_density gives, the crystal's density, in place. Collective.

It is cut off at header.density_cutoff and, where header.averaged says so, averaged over the operations of its crystal.)");
  module.def("integrals", &integrals_of, "density"_a,
             "Electrons in the cell, and the integrals of the magnetisation's components. Collective.");
  module.def("compare", &compare_densities, "a"_a, "b"_a,
             "Largest |a - b| over the largest |b| of two densities on the same grid, shared out alike. Collective.");
}

}  // namespace seiche::python
