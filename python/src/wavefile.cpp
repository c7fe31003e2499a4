// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions: read, written, converted, compared.
#include "wavefile.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "communicators.hpp"
#include "nouns.hpp"
#include "orbitals.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;
using Pair = std::pair<std::int64_t, std::int64_t>;

OpenFile open(const std::string& path, const Comm& comm) {
  const Communicator own = communicator(comm);
  std::optional<WaveFile> file;
  collective(
      own, [] {}, [&] { file.emplace(own, path); });
  const OrbitalHeader header = file->header();
  return {own, std::move(file), header};
}

void complete(OpenFile& self, const std::string& atoms, const std::string& kpoints) {
  collective(
      self.comm, [&] { self.get(); }, [&] { self.file->complete(atoms, kpoints); });
  self.header = self.file->header();
}

void halve_along(OpenFile& self, const std::string& axis) {
  collective(
      self.comm,
      [&] {
        self.get();
        if (axis != "x" && axis != "z")
          throw Error(Fault::bad_argument, "python: a sphere is halved along 'x' or 'z', not '" + axis + "'");
      },
      [&] { self.file->halve_along(axis == "z" ? HalfAxis::z : HalfAxis::x); });
}

void select(OpenFile& self, const std::vector<int>& bands, const std::vector<int>& kpoints,
            const std::vector<int>& spins) {
  collective(
      self.comm, [&] { self.get(); },
      [&] {
        self.file->select({bands, kpoints, spins});
      });
  self.header = self.file->header();
}

Range range_of(const std::optional<Pair>& given, std::int64_t all) {
  return given ? Range{given->first, given->second} : Range{0, all};
}

/// \throws Error for what the header does not have
std::int64_t waves_at(const OrbitalHeader& header, int k) {
  if (k < 0 || k >= static_cast<int>(header.kpoints.size())) {
    throw Error(Fault::bad_argument, "python: there are " + std::to_string(header.kpoints.size()) +
                                         " k-points, and no " + std::to_string(k));
  }
  return header.kpoints[static_cast<std::size_t>(k)].plane_waves;
}

Array waves(const OpenFile& self, int spin, int k, const std::optional<Pair>& positions) {
  std::vector<Miller> found;
  Range range;
  collective(
      self.comm, [&] { self.get(), range = range_of(positions, waves_at(self.header, k)); },
      [&] { found = self.file->waves(spin, k, range); });
  return array_of_waves(std::move(found));
}

Array coefficients(const OpenFile& self, int spin, int k, const std::optional<Pair>& bands,
                   const std::optional<Pair>& positions) {
  std::vector<std::complex<double>> found;
  Range states, range;
  collective(
      self.comm,
      [&] {
        self.get();
        states = range_of(bands, self.header.bands);
        range = range_of(positions, waves_at(self.header, k));
      },
      [&] { found = self.file->coefficients(spin, k, states, range); });
  if (self.header.spinor == 2) return array_from(std::move(found), {states.size(), 2, range.size()});
  return array_from(std::move(found), {states.size(), range.size()});
}

std::string text_of(const OpenFile& self) {
  if (!self.file) return "<seiche.WaveFile, closed>";
  return "<seiche.WaveFile " + self.header.path + ", " + self.header.format + ": " +
         std::to_string(self.header.kpoints.size()) + " k-points, " + std::to_string(self.header.bands) +
         " bands, opened by " + std::to_string(self.comm.size()) + " ranks>";
}

nb::object of_header(nb::handle self, const char* name) {
  const nb::object header = nb::cast(&nb::cast<OpenFile&>(self).header, nb::rv_policy::reference_internal, self);
  return header.attr(name);
}

void bind_header_of_file(nb::class_<OpenFile>& file) {
  for (const auto& [name, signature] : {std::pair{"crystal", "def crystal(self) -> Crystal"},
                                        std::pair{"kpoints", "def kpoints(self) -> numpy.ndarray"},
                                        std::pair{"weights", "def weights(self) -> numpy.ndarray"},
                                        std::pair{"energies", "def energies(self) -> numpy.ndarray"},
                                        std::pair{"occupations", "def occupations(self) -> numpy.ndarray"}}) {
    const char* member = name;
    file.def_prop_ro(
        name, [member](nb::handle self) { return of_header(self, member); }, "As in the header. Local.",
        nb::sig(signature));
  }
}

constexpr const char* doc_of_file = R"(A wavefunction file or directory, opened by all ranks together.

The format is found from content: Quantum ESPRESSO, VASP, CASTEP, ABINIT, BerkeleyGW (docs/wavefile.md).

Parameters
----------
path : str
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.

Raises seiche.BadFile on every rank alike when the file is missing, damaged or of no known format.
One thread at a time may use the file and its communicator; another one gets seiche.BadArgument.)";

void bind_class(nb::module_& module) {
  nb::class_<OpenFile> file(module, "WaveFile", doc_of_file);
  file.def(
          "__init__",
          [](OpenFile* self, nb::handle path, const Comm& comm) { new (self) OpenFile(open(path_of(path), comm)); },
          "path"_a, "comm"_a = nb::none(),
          nb::sig("def __init__(self, path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> None"))
      .def(
          "complete", &complete, "atoms"_a = "", "kpoints"_a = "",
          R"(What a WAVECAR leaves out: atoms from a POSCAR or CONTCAR, weights from IBZKPT, KPOINTS or vasprun.xml. Collective.)")
      .def(
          "halve_along", &halve_along, "axis"_a,
          R"(Says along which axis, 'x' or 'z', the sphere of a gamma-only WAVECAR is halved. Opening it finds it by the kinetic
energies of the bands. Collective.)")
      .def("select", &select, "bands"_a = std::vector<int>{}, "kpoints"_a = std::vector<int>{},
           "spins"_a = std::vector<int>{},
           R"(From here on only these, counted from 0 and ascending; empty: all (see left_out). Collective.)",
           nb::sig(
               "def select(self, bands: collections.abc.Sequence[int] = (), kpoints: collections.abc.Sequence[int] = "
               "(), spins: collections.abc.Sequence[int] = ()) -> None"))
      .def(
          "waves", &waves, "spin"_a, "k"_a, "positions"_a = nb::none(),
          R"(The waves of a k-point at `positions` (first, one after the last; None: all) of the file's order. Collective.

Returns an int32 array (n, 3).)")
      .def("coefficients", &coefficients, "spin"_a, "k"_a, "bands"_a = nb::none(), "positions"_a = nb::none(),
           R"(Coefficients (bands, n), of spinors (bands, 2, n); each rank reads only its own part. Collective.)")
      .def_ro("header", &OpenFile::header, "What the file says besides coefficients: an OrbitalHeader. Local.")
      .def(
          "close", [](OpenFile& self) { self.close(); }, "Closes the file; the header stays. Local.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> typing.Self"))
      .def("__exit__", [](OpenFile& self, const nb::args&) { self.close(); })
      .def("__repr__", &text_of);
  bind_header_of_file(file);
}

/// Collective. What returns nothing, out of, or into, a file.
template <class Work>
void moving_file(const OpenFile& file, const nb::kwargs& keywords, const Work& work) {
  moving(
      file.comm, keywords, [&](const MoveOptions& how) { return work(how), true; }, [&] { file.get(); });
}

void bind_reading(nb::module_& module) {
  module.def(
      "read_orbitals",
      [](const OpenFile& file, const OrbitalLayout& layout, const nb::kwargs& options) {
        return moving(
            file.comm, options, [&](const MoveOptions& how) { return read_orbitals(file.get(), layout, how); },
            [&] { file.get(); });
      },
      "file"_a, "layout"_a, "options"_a, "A whole file, spread out. Collective.",
      move_signature("def read_orbitals(file: WaveFile, layout: OrbitalLayout, *, ", ") -> Orbitals"));
  module.def(
      "read_into",
      [](Orbitals& orbitals, const OpenFile& file, const nb::kwargs& options) {
        moving_file(file, options, [&](const MoveOptions& how) { read_into(orbitals, file.get(), how); });
      },
      "orbitals"_a, "file"_a, "options"_a, "The same into memory that is there already: a restart. Collective.",
      move_signature("def read_into(orbitals: Orbitals, file: WaveFile, *, ", ") -> None"));
}

void bind_writing(nb::module_& module) {
  module.def(
      "write_orbitals",
      [](const Orbitals& orbitals, nb::handle path, const std::string& format, const nb::kwargs& options) {
        const std::string name = path_of(path);
        moving(orbitals.comm, options,
               [&](const MoveOptions& how) { return write_orbitals(orbitals, name, format, how), true; });
      },
      "orbitals"_a, "path"_a, "format"_a = "", "options"_a,
      "Writes a file that appears under its name only when it is complete. Collective.",
      move_signature("def write_orbitals(orbitals: Orbitals, path: str | os.PathLike[str], format: str = '', "
                     "*, ",
                     ") -> None"));
  module.def(
      "convert",
      [](const OpenFile& file, nb::handle path, const std::string& format, const nb::kwargs& options) {
        const std::string name = path_of(path);
        moving_file(file, options, [&](const MoveOptions& how) { convert(file.get(), name, format, how); });
      },
      "file"_a, "path"_a, "format"_a = "", "options"_a,
      "Writes the file again in another format, a few bands at a time; with `density` the density goes along. "
      "Collective.",
      move_signature("def convert(file: WaveFile, path: str | os.PathLike[str], format: str = '', *, density: bool = "
                     "False, ",
                     ") -> None"));
  module.def(
      "expand",
      [](const OpenFile& file, const KStarMap& map, nb::handle path, const std::string& format,
         const nb::kwargs& options) {
        const std::string name = path_of(path);
        moving_file(file, options, [&](const MoveOptions& how) { expand(file.get(), map, name, format, how); });
      },
      "file"_a, "map"_a, "path"_a, "format"_a = "", "options"_a,
      "Writes the wavefunctions of `map`, made of those of the file, a few bands at a time. Collective.",
      move_signature("def expand(file: WaveFile, map: KStarMap, path: str | os.PathLike[str], format: str = '', "
                     "*, ",
                     ") -> None"));
}

void bind_losses(nb::module_& module) {
  module.def(
      "losses",
      [](const OrbitalHeader& header, nb::handle path, const std::string& format, bool density) {
        return losses(header, path_of(path), format, density);
      },
      "header"_a, "path"_a, "format"_a = "", "density"_a = false,
      "What a file of that format cannot say of the header, in sentences; nothing is written. Local.",
      nb::sig("def losses(header: OrbitalHeader, path: str | os.PathLike[str], format: str = '', density: bool = "
              "False) -> list[str]"));
}

Comparison compare_files(const OpenFile& a, const OpenFile& b, int bands, bool occupied, const nb::kwargs& keywords) {
  CompareOptions options{bands, occupied, {}};
  std::optional<Comparison> found;
  static const Keywords<Tolerance> known{sets("overlap", &Tolerance::overlap), sets("norm", &Tolerance::norm),
                                         sets("energy", &Tolerance::energy)};
  collective(
      a.comm, [&] { options.tolerance = options_of(keywords, known), a.get(), b.get(); },
      [&] { found = compare(a.get(), b.get(), options); });
  return *found;
}

void bind_soundness(nb::module_& module) {
  nb::class_<Soundness>(module, "Soundness", "How far the bands of a file are from orthonormal.")
      .def_ro("norm", &Soundness::norm, "Largest | <n|n> - 1 |.")
      .def_ro("overlap", &Soundness::overlap, "Largest | <m|n> |, m other than n.")
      .def_ro("odd_counts", &Soundness::odd_counts,
              "K-points whose number of waves is not that of the sphere of the cut-off.");
  module.def(
      "soundness",
      [](const OpenFile& file, const nb::kwargs& options) {
        return moving(
            file.comm, options, [&](const MoveOptions& how) { return soundness(file.get(), how); },
            [&] { file.get(); });
      },
      "file"_a, "options"_a, "Reads all coefficients of a file, and verifies its checksums. Collective.",
      move_signature("def soundness(file: WaveFile, *, ", ") -> Soundness"));
}

void bind_comparison(nb::module_& module) {
  using Group = Comparison::Group;
  nb::class_<Group>(module, "BandGroup", "How alike one group of degenerate bands is in two files.")
      .def_ro("spin", &Group::spin, "Its spin.")
      .def_ro("k", &Group::k, "Its k-point, in the first file's order.")
      .def_prop_ro(
          "bands", [](const Group& self) { return Pair(self.bands.low, self.bands.high); },
          "First band, and one after the last.")
      .def_ro("overlap", &Group::overlap, "Smallest singular value of the overlap of the two subspaces, 0 to 1.")
      .def_ro("norm", &Group::norm, "Relative difference of the sums of their norms.");
  nb::class_<Comparison>(module, "Comparison", "How alike two sets of wavefunctions are.")
      .def_ro("difference", &Comparison::difference, "What keeps them from being compared at all; empty: nothing.")
      .def_ro("energy", &Comparison::energy, "Largest difference, hartree.")
      .def_ro("occupation", &Comparison::occupation, "Largest difference.")
      .def_ro("kpoints", &Comparison::kpoints, "The worst BandGroup of each, in the order [spin][k] of the first file.")
      .def_ro("cut", &Comparison::cut, "Groups that the last band cuts; they are left out of the rest.")
      .def_prop_ro("worst", &Comparison::worst, "The worst BandGroup of all.")
      .def_prop_ro("equal", &Comparison::equal, "No difference, and all within the tolerance.")
      .def("__repr__", [](const Comparison& self) {
        return std::string("<seiche.Comparison: ") + (self.equal() ? "equal" : "not equal") + ">";
      });
  module.def("compare", &compare_files, "a"_a, "b"_a, "bands"_a = 0, "occupied"_a = false, "tolerance"_a,
             R"(Compares two files, a group of degenerate bands at a time. Collective.

Parameters
----------
bands : int
    The first so many of each file; 0: all.
occupied : bool
    Only bands up to the last that holds electrons.
overlap, norm, energy : float
    Within these they are equal: overlap from 1, relative norm, hartree.)",
             nb::sig("def compare(a: WaveFile, b: WaveFile, bands: int = 0, occupied: bool = False, *, overlap: float "
                     "= 1e-9, norm: float = 1e-6, energy: float = 1e-6) -> Comparison"));
}

}  // namespace

std::string path_of(nb::handle given) {
  const nb::object text = nb::module_::import_("os").attr("fspath")(given);
  return nb::cast<std::string>(text);
}

void bind_wavefile(nb::module_& module) {
  bind_class(module);
  bind_reading(module);
  bind_writing(module);
  bind_losses(module);
  bind_soundness(module);
  bind_comparison(module);
}

}  // namespace seiche::python
