// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions: read, written, converted, compared.
#include "wavefile.hpp"

namespace seiche::python {

template <>
Keywords<Tolerance> keywords_of() {
  return {keyword<Tolerance>("overlap", "so far from 1 overlaps are equal", &Tolerance::overlap),
          keyword<Tolerance>("norm", "relative difference within which norms are equal", &Tolerance::norm),
          keyword<Tolerance>("energy", "hartree, within which energies are equal", &Tolerance::energy)};
}

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;
using List = std::vector<int>;

OpenFile open(const Path& path, const Comm& comm) {
  return on(comm, [&](const Communicator& own) {
    WaveFile file(own, path);
    const OrbitalHeader header = file.header();
    return OpenFile{own, std::move(file), header};
  });
}

/// Collective. Changes what the file says of itself.
template <class Change>
void change(OpenFile& self, const Change& change) {
  collective(
      self.comm, [&]() -> WaveFile& { return self.get(); }, change);
  self.header = self.file->header();
}

void complete(OpenFile& self, const std::string& atoms, const std::string& kpoints) {
  change(self, [&](WaveFile& file) { file.complete(atoms, kpoints); });
}

void select(OpenFile& self, const List& bands, const List& kpoints, const List& spins) {
  change(self, [&](WaveFile& file) { file.select({bands, kpoints, spins}); });
}

void halve_along(OpenFile& self, const std::string& axis) {
  const auto checks = [&]() -> WaveFile& {
    if (axis == "x" || axis == "z") return self.get();
    throw BadArgument("axis must be 'x' or 'z', not '" + axis + "'");
  };
  collective(self.comm, checks, [&](WaveFile& file) { file.halve_along(axis == "z" ? HalfAxis::z : HalfAxis::x); });
}

Range range_of(const std::optional<Pair>& given, std::int64_t all) {
  return given ? Range{given->first, given->second} : Range{0, all};
}

/// Positions of a k-point's waves. \throws Error for what the header does not have
Range positions_of(const OpenFile& self, int k, const std::optional<Pair>& given) {
  const auto& kpoints = self.header.kpoints;
  self.get();
  if (k >= 0 && k < std::ssize(kpoints)) return range_of(given, kpoints[static_cast<std::size_t>(k)].plane_waves);
  throw BadArgument("no k-point " + std::to_string(k) + " (numbered from 0, " + std::to_string(kpoints.size()) +
                    " in total)");
}

Array waves(const OpenFile& self, int spin, int k, const std::optional<Pair>& positions) {
  return array_of_waves(collective(
      self.comm, [&] { return positions_of(self, k, positions); },
      [&](const Range& range) { return self.get().waves(spin, k, range); }));
}

Array coefficients(const OpenFile& self, int spin, int k, const std::optional<Pair>& bands,
                   const std::optional<Pair>& positions) {
  Range range;
  const Range states = range_of(bands, self.header.bands);
  auto found = collective(
      self.comm, [&] { range = positions_of(self, k, positions); },
      [&] { return self.get().coefficients(spin, k, states, range); });
  if (self.header.spinor == 2) return array_from(std::move(found), {states.size(), 2, range.size()});
  return array_from(std::move(found), {states.size(), range.size()});
}

nb::str repr_of(const OpenFile& self) {
  if (!self.file) return nb::str("<seiche.WaveFile, closed>");
  return text("<seiche.WaveFile {}, {}: {} k-points, {} bands, opened by {} ranks>", self.header.path,
              self.header.format, self.header.kpoints.size(), self.header.bands, self.comm.size());
}

constexpr const char* doc_of_file = R"(A wavefunction file or directory, opened by all ranks together.

The format is found from content: Quantum ESPRESSO, VASP, CASTEP, ABINIT, BerkeleyGW (docs/wavefile.md).

Parameters
----------
path : str
comm : mpi4py.MPI.Comm, or another handle (docs/python.md), optional
    Collective over it. Default: all processes.

Raises seiche.BadFile on every rank alike when the file is missing, damaged or of no known format.
One thread at a time may use the file and its communicator; another one gets seiche.BadArgument.)";

void bind_class(nb::module_& module) {
  nb::class_<OpenFile> file(module, "WaveFile", doc_of_file);
  file.def("__init__", init(&open), "path"_a, "comm"_a = nb::none())
      .def(
          "complete", &complete, "atoms"_a = "", "kpoints"_a = "",
          R"(What a WAVECAR leaves out: atoms from a POSCAR or CONTCAR, weights from IBZKPT, KPOINTS or vasprun.xml. Collective.)")
      .def(
          "halve_along", &halve_along, "axis"_a,
          R"(Says along which axis, 'x' or 'z', the sphere of a gamma-only WAVECAR is halved. Opening it finds it by the kinetic
energies of the bands. Collective.)")
      .def("select", &select, "bands"_a = nb::tuple(), "kpoints"_a = nb::tuple(), "spins"_a = nb::tuple(),
           "From here on only these, counted from 0 and ascending; empty: all (see left_out). Collective.")
      .def(
          "waves", &waves, "spin"_a, "k"_a, "positions"_a = nb::none(),
          R"(The waves of a k-point at `positions` (first, one after the last; None: all) of the file's order. Collective.

Returns an int32 array (n, 3).)")
      .def("coefficients", &coefficients, "spin"_a, "k"_a, "bands"_a = nb::none(), "positions"_a = nb::none(),
           "Coefficients (bands, n), of spinors (bands, 2, n); each rank reads only its own part. Collective.")
      .def_ro("header", &OpenFile::header, "What the file says besides coefficients: an OrbitalHeader. Local.")
      .def("close", &OpenFile::close, "Closes the file; the header stays. Local.")
      .def("__repr__", &repr_of);
  bind_with(file, [](OpenFile& self, const nb::args&) { self.close(); });
  file.def_prop_ro(
      "crystal", [](OpenFile& self) -> Crystal& { return self.header.crystal; }, "As in the header. Local.");
  for (const char* name : {"kpoints", "weights", "energies", "occupations"}) {
    const auto get = [name](nb::handle self) { return nb::borrow<Array>(nb::object(self.attr("header").attr(name))); };
    file.def_prop_ro(name, get, "As in the header. Local.");
  }
}

void write(const Orbitals& orbitals, const Path& path, const std::string& format, const nb::kwargs& options) {
  collective(
      orbitals.comm, [&] { return options_of<MoveOptions>(options); },
      [&](const MoveOptions& how) { write_orbitals(orbitals, path, format, how); });
}
void convert_file(const OpenFile& file, const Path& path, const std::string& format, const nb::kwargs& options) {
  moving(file, options, [&](auto& waves, auto& how) { convert(waves, path, format, how); });
}
void expand_file(const OpenFile& file, const KStarMap& map, const Path& path, const std::string& format,
                 const nb::kwargs& options) {
  moving(file, options, [&](auto& waves, auto& how) { expand(waves, map, path, format, how); });
}
void bind_moving(nb::module_& module) {
  using Options = MoveOptions;
  def_with<Options>(module, "read_orbitals", together(&read_orbitals), "A whole file, spread out. Collective.",
                    "file"_a, "layout"_a);
  def_with<Options>(module, "read_into", together(&read_into),
                    "The same into memory that is there already: a restart. Collective.", "orbitals"_a, "file"_a);
  def_with<Options>(module, "write_orbitals", &write,
                    "Writes a file that appears under its name only when it is complete. Collective.", "orbitals"_a,
                    "path"_a, "format"_a = "");
  def_with<Options>(module, "convert", &convert_file,
                    "Writes the file again in another format, a few bands at a time; with `density` the density goes "
                    "along. Collective.",
                    "file"_a, "path"_a, "format"_a = "");
  def_with<Options>(module, "expand", &expand_file,
                    "Writes the wavefunctions of `map`, made of those of the file, a few bands at a time. Collective.",
                    "file"_a, "map"_a, "path"_a, "format"_a = "");
  bind_report<Soundness>(module, "Soundness", "How far the bands of a file are from orthonormal.")
      .def_ro("norm", &Soundness::norm, "Largest | <n|n> - 1 |.")
      .def_ro("overlap", &Soundness::overlap, "Largest | <m|n> |, m other than n.")
      .def_ro("odd_counts", &Soundness::odd_counts,
              "K-points whose number of waves is not that of the sphere of the cut-off.");
  def_with<Options>(module, "soundness", together(&soundness),
                    "Reads all coefficients of a file, and verifies its checksums. Collective.", "file"_a);
  module.def(
      "losses",
      [](const OrbitalHeader& header, const Path& path, const std::string& format, bool density) {
        return losses(header, path, format, density);
      },
      "header"_a, "path"_a, "format"_a = "", "density"_a = false,
      "What a file of that format cannot say of the header, in sentences; nothing is written. Local.");
}

Comparison compare_files(const OpenFile& a, const OpenFile& b, int bands, bool occupied, const nb::kwargs& tolerance) {
  const auto asked = [&] {
    return a.get(), b.get(), CompareOptions{bands, occupied, options_of<Tolerance>(tolerance)};
  };
  return collective(a.comm, asked, [&](const CompareOptions& how) { return compare(a.get(), b.get(), how); });
}

void bind_comparison(nb::module_& module) {
  using Group = Comparison::Group;
  bind_report<Group>(module, "BandGroup", "How alike one group of degenerate bands is in two files.")
      .def_ro("spin", &Group::spin, "Its spin.")
      .def_ro("k", &Group::k, "Its k-point, in the first file's order.")
      .def_prop_ro("bands", &as_tuple<&Group::bands>, "First band, and one after the last.")
      .def_ro("overlap", &Group::overlap, "Smallest singular value of the overlap of the two subspaces, 0 to 1.")
      .def_ro("norm", &Group::norm, "Relative difference of the sums of their norms.");
  bind_report<Comparison>(module, "Comparison", "How alike two sets of wavefunctions are.")
      .def_prop_ro("equal", &Comparison::equal, "No difference, and all within the tolerance.")
      .def_ro("difference", &Comparison::difference, "What keeps them from being compared at all; empty: nothing.")
      .def_ro("energy", &Comparison::energy, "Largest difference, hartree.")
      .def_ro("occupation", &Comparison::occupation, "Largest difference.")
      .def_prop_ro("worst", &Comparison::worst, "The worst BandGroup of all.")
      .def_ro("kpoints", &Comparison::kpoints, "The worst BandGroup of each, in the order [spin][k] of the first file.")
      .def_ro("cut", &Comparison::cut, "Groups that the last band cuts; they are left out of the rest.");
  def_with<Tolerance>(module, "compare", &compare_files,
                      R"(Compares two files, a group of degenerate bands at a time. Collective.

Parameters
----------
bands : int
    The first so many of each file; 0: all.
occupied : bool
    Only bands up to the last that holds electrons.)",
                      "a"_a, "b"_a, "bands"_a = 0, "occupied"_a = false);
}

}  // namespace

void bind_wavefile(nb::module_& module) {
  bind_class(module);
  bind_comparison(module);
  bind_moving(module);
}

}  // namespace seiche::python
