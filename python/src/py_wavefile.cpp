// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions: reading, writing, conversion and comparison.
#include "py_wavefile.hpp"
#include "py_pending.hpp"

namespace seiche::python {

template <>
Keywords<Tolerance> keywords_of() {
  return {keyword<Tolerance>("overlap", "tolerated deviation of overlaps from 1", &Tolerance::overlap),
          keyword<Tolerance>("norm", "tolerated relative difference of norms", &Tolerance::norm),
          keyword<Tolerance>("energy", "tolerated difference of energies, hartree", &Tolerance::energy)};
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

/// Collective. Changes a file and updates the copy of its header.
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

/// Returns positions of a k-point's waves. \throws Error for a k-point that the header does not have
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

constexpr const char* doc_of_file = R"(A wavefunction file or directory that all ranks of a communicator open together.

The format is detected from the content: Quantum ESPRESSO, VASP, CASTEP, ABINIT or BerkeleyGW.

Parameters
----------
path : str
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.

Raises seiche.BadFile on all ranks if the file is missing, damaged or of unknown format. One thread at a time may use the
file and its communicator; other threads get seiche.BadArgument.)";

void bind_class(nb::module_& module) {
  nb::class_<OpenFile> file(module, "WaveFile", doc_of_file);
  Calls(file)
      .def("__init__", init(&open), "path"_a, "comm"_a = nb::none())
      .def("complete", &complete, "atoms"_a = "", "kpoints"_a = "",
           R"(Adds data that a WAVECAR lacks. Collective.

`atoms`: a POSCAR or CONTCAR. `kpoints`: an IBZKPT, KPOINTS or vasprun.xml with the weights of k-points.)")
      .def("halve_along", &halve_along, "axis"_a,
           R"(Sets the axis, 'x' or 'z', along which the sphere of a gamma-only WAVECAR is halved. Collective.

By default the kinetic energies of the bands decide.)")
      .def("select", &select, "bands"_a = nb::tuple(), "kpoints"_a = nb::tuple(), "spins"_a = nb::tuple(),
           "Restricts the file to some bands, k-points and spins (ascending indices from 0; empty: all). Collective.")
      .def("waves", &waves, "spin"_a, "k"_a, "positions"_a = nb::none(),
           R"(Returns the waves of a k-point at `positions` in the file's order, an int32 array (n, 3). Collective.

`positions` is (first, last + 1), or None for all. It may differ between ranks.)")
      .def("coefficients", &coefficients, "spin"_a, "k"_a, "bands"_a = nb::none(), "positions"_a = nb::none(),
           "Reads coefficients (bands, n), or (bands, 2, n) for spinors. Each rank reads its own part. Collective.");
  file.def_ro("header", &OpenFile::header, "OrbitalHeader of the file. Local.")
      .def("close", &OpenFile::close, "Closes the file. The header stays valid. Local.")
      .def("__repr__", &repr_of);
  bind_with(file, [](OpenFile& self, const nb::args&) { self.close(); });
  file.def_prop_ro(
      "crystal", [](OpenFile& self) -> Crystal& { return self.header.crystal; }, "Crystal of the header. Local.");
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
PendingCall start_writing(const Orbitals& orbitals, const Path& path, const std::string& format,
                          const nb::kwargs& given) {
  Pending pending = collective(
      orbitals.comm, [&] { return options_of<MoveOptions>(given); },
      [&](const MoveOptions& options) { return start_write_orbitals(orbitals, path, format, options); });
  return pending_call(orbitals.comm, std::move(pending), nb::none(), nb::find(orbitals));
}
PendingCall start_reading(Orbitals& orbitals, const OpenFile& file, const nb::kwargs& given) {
  Pending pending =
      moving(file, given, [&](auto& waves, auto& options) { return start_read_into(orbitals, waves, options); });
  return pending_call(orbitals.comm, std::move(pending), nb::find(orbitals), nb::find(orbitals));
}
void convert_file(const OpenFile& file, const Path& path, const std::string& format, const nb::kwargs& options) {
  moving(file, options, [&](auto& waves, auto& how) { convert(waves, path, format, how); });
}
void expand_file(const OpenFile& file, const KStarMap& map, const Path& path, const std::string& format,
                 const nb::kwargs& options) {
  moving(file, options, [&](auto& waves, auto& how) { expand(waves, map, path, format, how); });
}
/// Without a layout, the waves are distributed over all ranks.
Orbitals read_file(const OpenFile& file, const std::optional<OrbitalLayout>& layout, const nb::kwargs& options) {
  return moving(file, options, [&](auto& waves, auto& how) {
    return read_orbitals(waves, layout.value_or(OrbitalLayout{{1, 1, file.comm.size()}, {}}), how);
  });
}
std::vector<std::string> write_beside(const OrbitalHeader& header, const Path& path, const Comm& comm) {
  return on(comm, [&](const Communicator& own) { return write_beside_wavecar(own, header, path); });
}
void bind_moving(nb::module_& module) {
  using Options = MoveOptions;
  def_with<Options>(module, "read_orbitals", &read_file,
                    "Reads a file into a layout (None: the waves are distributed over all ranks). Collective.",
                    "file"_a, "layout"_a = nb::none());
  def_with<Options>(module, "read_into", together(&read_into),
                    "Reads a file into existing orbitals (restart). Collective.", "orbitals"_a, "file"_a);
  def_with<Options>(module, "start_read_into", &start_reading,
                    "Starts read_into(). Returns a seiche.Pending; finish() returns the orbitals. Collective.",
                    "orbitals"_a, "file"_a);
  def_with<Options>(module, "start_write_orbitals", &start_writing,
                    "Starts write_orbitals(). Returns a seiche.Pending. progress() sends bands to the ranks that "
                    "write. finish() gives the file its name. Do not change the orbitals before. Collective.",
                    "orbitals"_a, "path"_a, "format"_a = "");
  def_with<Options>(module, "write_orbitals", &write,
                    "Writes a file, which appears under its name only when it is complete. Collective.", "orbitals"_a,
                    "path"_a, "format"_a = "");
  def_with<Options>(
      module, "convert", &convert_file,
      "Writes a file in another format, with a few bands at a time in memory. `density`: copy the density, "
      "too. Collective.",
      "file"_a, "path"_a, "format"_a = "");
  def_with<Options>(module, "expand", &expand_file,
                    "Writes the wavefunctions of `map`, generated from `file`. Collective.", "file"_a, "map"_a,
                    "path"_a, "format"_a = "");
  bind_report<Soundness>(module, "Soundness", "Deviation of the bands of a file from orthonormality.")
      .def_ro("norm", &Soundness::norm, "Largest | <n|n> - 1 |.")
      .def_ro("overlap", &Soundness::overlap, "Largest | <m|n> | for m != n.")
      .def_ro("odd_counts", &Soundness::odd_counts,
              "Number of k-points whose number of waves does not match the cutoff.");
  def_with<Options>(module, "soundness", together(&soundness),
                    "Reads all coefficients of a file and checks them. Collective.", "file"_a);
  module.def(
      "losses",
      [](const OrbitalHeader& header, const Path& path, const std::string& format, bool density) {
        return losses(header, path, format, density);
      },
      "header"_a, "path"_a, "format"_a = "", "density"_a = false,
      "Returns sentences that describe which data of the header a format cannot store. Local.");
  Calls(module).def(
      "write_beside_wavecar", &write_beside, "header"_a, "path"_a, "comm"_a = nb::none(),
      "Writes the POSCAR and the KPOINTS beside a WAVECAR, unless they exist. Returns their names. Collective.");
}

Comparison compare_files(const OpenFile& a, const OpenFile& b, int bands, bool occupied, bool any_zero,
                         const nb::kwargs& tolerance) {
  const auto asked = [&] {
    return a.get(), b.get(), CompareOptions{bands, occupied, any_zero, options_of<Tolerance>(tolerance)};
  };
  return collective(a.comm, asked, [&](const CompareOptions& how) { return compare(a.get(), b.get(), how); });
}

void bind_comparison(nb::module_& module) {
  using Group = Comparison::Group;
  bind_report<Group>(module, "BandGroup", "Comparison of one group of degenerate bands in two files.")
      .def_ro("spin", &Group::spin, "Index of the spin.")
      .def_ro("k", &Group::k, "Index of the k-point in the first file.")
      .def_prop_ro("bands", &as_tuple<&Group::bands>, "First band, and last band + 1.")
      .def_ro("overlap", &Group::overlap, "Smallest singular value of the overlap of the two subspaces, 0 to 1.")
      .def_ro("norm", &Group::norm, "Relative difference of the sums of their norms.");
  bind_report<Comparison>(module, "Comparison", "Result of compare().")
      .def_prop_ro("equal", &Comparison::equal, "Whether all differences are within the tolerance.")
      .def_ro("difference", &Comparison::difference, "Reason why the files cannot be compared; empty: none.")
      .def_ro("energy", &Comparison::energy, "Largest difference of energies, hartree.")
      .def_ro("constant", &Comparison::constant, "Constant between the energies: second minus first file, hartree.")
      .def_ro("beyond_constant", &Comparison::beyond_constant,
              "Largest difference of energies after this constant is subtracted, hartree.")
      .def_ro("occupation", &Comparison::occupation, "Largest difference of occupations.")
      .def_ro("norm", &Comparison::norm, "Largest relative difference of norms.")
      .def_prop_ro("worst", &Comparison::worst, "BandGroup of smallest overlap of all k-points.")
      .def_ro("kpoints", &Comparison::kpoints,
              "BandGroup of smallest overlap of each spin and k-point, [spin][k] of the first file.")
      .def_ro(
          "cut", &Comparison::cut,
          "Groups that are incomplete because they contain the last band. They are excluded from the other results.");
  def_with<Tolerance>(module, "compare", &compare_files,
                      R"(Compares two files by groups of degenerate bands. Collective.

Parameters
----------
bands : int
    Number of bands to compare, from the first (0: all).
occupied : bool
    Skip bands of each k-point above the last occupied one.
any_zero : bool
    Subtract the constant by which the energies of both files differ.)",
                      "a"_a, "b"_a, "bands"_a = 0, "occupied"_a = false, "any_zero"_a = false);
}

}  // namespace

void bind_wavefile(nb::module_& module) {
  bind_class(module);
  bind_comparison(module);
  bind_moving(module);
}

}  // namespace seiche::python
