// SPDX-License-Identifier: BSD-3-Clause
/// \file  Questions that need coefficients: what wannier90 asks, and bands of a supercell.
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <seiche/unfold.hpp>
#include <seiche/wannier_file.hpp>

#include "arrays.hpp"
#include "callback.hpp"
#include "communicators.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

const Words<BandWeight> band_weights{
    {"isolated", BandWeight::full}, {"erfc", BandWeight::erfc}, {"gaussian", BandWeight::gaussian}};

/// Projections without trial orbitals; nothing where `scdm` is empty.
std::optional<SelectedColumns> columns_of(const WannierRequest& request, const std::string& scdm, double centre,
                                          double width) {
  if (scdm.empty()) return std::nullopt;
  if (!request.automatic) {
    throw Error(Fault::bad_argument,
                request.path + " does not say how many projections to find; say auto_projections in the .win");
  }
  return SelectedColumns{*request.automatic, named("scdm", scdm, band_weights), centre, width};
}

Table unfold_bands(const OpenFile& file, const CellMultiples& times, std::int64_t memory,
                   const std::function<void(double)>& on_progress) {
  Table table;
  MoveOptions options;
  options.policy.memory = memory;
  options.on_progress = on_progress;
  collective(
      file.comm, [&] { file.get(); }, [&] { table = unfold(file.get(), times, options); });
  return table;
}

WannierRequest request_in(nb::handle path, const Comm& comm) {
  const Communicator own = communicator(comm);
  const std::string name = path_of(path);
  WannierRequest request;
  collective(
      own, [] {}, [&] { request = read_nnkp(own, name); });
  return request;
}

std::vector<std::string> write(const OpenFile& file, const WannierRequest& request, nb::handle seed,
                               const std::string& scdm, double centre, double width, bool on_grid, int spin,
                               std::int64_t memory) {
  const std::string name = path_of(seed);
  std::vector<std::string> files;
  WannierOptions options;
  options.on_grid = on_grid;
  options.spin = spin;
  options.move.policy.memory = memory;
  collective(
      file.comm,
      [&] {
        file.get();
        options.columns = columns_of(request, scdm, centre, width);
      },
      [&] { files = write_wannier(file.get(), request, name, options); });
  return files;
}

WannierMatrices matrices(const Orbitals& orbitals, const WannierRequest& request, const std::string& scdm,
                         double centre, double width) {
  WannierMatrices made;
  std::optional<SelectedColumns> columns;
  collective(
      orbitals.comm, [&] { columns = columns_of(request, scdm, centre, width); },
      [&] { made = wannier_matrices(orbitals, request, columns); });
  return made;
}

Array overlaps_of(const WannierMatrices& self) {
  std::vector<std::complex<double>> all;
  for (const auto& of_k : self.overlaps) {
    for (const auto& matrix : of_k) all.insert(all.end(), matrix.begin(), matrix.end());
  }
  const auto neighbours = self.overlaps.empty() ? 0 : std::ssize(self.overlaps[0]);
  return array_from(std::move(all), {std::ssize(self.overlaps), neighbours, self.bands, self.bands});
}

Array projections_of(const WannierMatrices& self) {
  std::vector<std::complex<double>> all;
  for (const auto& matrix : self.projections) all.insert(all.end(), matrix.begin(), matrix.end());
  return array_from(std::move(all), {std::ssize(self.projections), self.bands, self.functions});
}

Array neighbours_of(const WannierRequest& self) {
  std::vector<std::int64_t> all;
  for (const auto& of_k : self.neighbours) {
    for (const KNeighbour& one : of_k) all.insert(all.end(), {one.k, one.shift.x, one.shift.y, one.shift.z});
  }
  const auto each = self.neighbours.empty() ? 0 : std::ssize(self.neighbours[0]);
  return array_from(std::move(all), {std::ssize(self.neighbours), each, 4});
}

void bind_request(nb::module_& module) {
  nb::class_<WannierRequest>(module, "WannierRequest", "What a .nnkp of wannier90 asks for.")
      .def_ro("path", &WannierRequest::path, "The file.")
      .def_prop_ro(
          "kpoints",
          [](const WannierRequest& self) {
            std::vector<double> all;
            for (const Vector3& k : self.kpoints) all.insert(all.end(), k.begin(), k.end());
            return array_from(std::move(all), {std::ssize(self.kpoints), 3});
          },
          "The full zone, (k, 3), in units of the reciprocal vectors.")
      .def_prop_ro(
          "neighbours", &neighbours_of,
          "(k, neighbour, 4): of each k-point those next to it, as a number from 0 and whole reciprocal vectors.")
      .def_ro("automatic", &WannierRequest::automatic, "So many projections without trial orbitals; None: no such.")
      .def_ro("excluded_bands", &WannierRequest::excluded_bands, "From 0, ascending.");
  module.def("read_nnkp", &request_in, "path"_a, "comm"_a = nb::none(), "What `wannier90.x -pp` asks for. Collective.",
             nb::sig("def read_nnkp(path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> "
                     "WannierRequest"));
  module.def(
      "wanted_states",
      [](const WannierRequest& request, const OrbitalHeader& header, int spin) {
        const Selection wanted = wanted_states(request, header, spin);
        nb::dict found;
        found["bands"] = wanted.bands;
        found["spins"] = wanted.spins;
        return found;
      },
      "request"_a, "header"_a, "spin"_a = 0,
      "Bands and spin that are asked for, as keywords of WaveFile.select. Local.",
      nb::sig("def wanted_states(request: WannierRequest, header: OrbitalHeader, spin: int = 0) -> dict[str, "
              "list[int]]"));
}

void bind_matrices(nb::module_& module) {
  nb::class_<WannierMatrices>(module, "WannierMatrices",
                              "Overlaps and projections, as makers of Wannier functions ask.")
      .def_prop_ro("overlaps", &overlaps_of, "<u_mk|u_n,k+b>, an array (k, neighbour, m, n), a copy.")
      .def_prop_ro("projections", &projections_of, "<psi_mk|g_n>, an array (k, m, n), a copy; of none (0, m, n).")
      .def_prop_ro(
          "energies",
          [](const WannierMatrices& self) {
            return array_from(std::vector<double>(self.energies), {std::ssize(self.overlaps), self.bands});
          },
          "Hartree, (k, band), a copy.");
  module.def(
      "wannier_matrices", &matrices, "orbitals"_a, "request"_a, "scdm"_a = "", "centre"_a = 0.0, "width"_a = 0.0,
      R"(Overlaps and projections of orbitals of one spin, with the bands that are asked for (wanted_states). Collective.

`scdm`: projections on selected columns of the density matrix, with bands weighed as "isolated", "erfc" or "gaussian"
(centre and width in hartree); "": on the trial orbitals of the request. The same bits on any number of ranks.)");
  module.def(
      "write_wannier", &write, "file"_a, "request"_a, "seed"_a, "scdm"_a = "", "centre"_a = 0.0, "width"_a = 0.0,
      "on_grid"_a = false, "spin"_a = 0, "memory"_a = 0,
      R"(SEED.mmn, .eig and .amn, and with on_grid UNK files, of a file's states, which are to be the wanted ones. Collective.

Returns the files. `scdm`, `centre` and `width` as for wannier_matrices; `spin` is for names of UNK files; `memory`: bytes
of each process for data on their way, 0: no limit.)",
      nb::sig("def write_wannier(file: WaveFile, request: WannierRequest, seed: str | os.PathLike[str], scdm: str "
              "= '', centre: float = 0.0, width: float = 0.0, on_grid: bool = False, spin: int = 0, memory: int "
              "= 0) -> list[str]"));
}

}  // namespace

void bind_wannier(nb::module_& module) {
  bind_request(module);
  bind_matrices(module);
  module.def(
      "unfold",
      [](const OpenFile& file, const CellMultiples& times, std::int64_t memory, nb::handle on_progress) {
        return unfold_bands(file, times, memory, progress_function(on_progress));
      },
      "file"_a, "times"_a, "memory"_a = 0, "on_progress"_a = nb::none(),
      R"(Spectral weights of a supercell's bands at the k-points of the primitive zone, as a Table. Collective.

Parameters
----------
file : WaveFile
times : 3 x 3 whole numbers
    A supercell's vectors as sums of the primitive ones: A_i = sum_j times[i][j] a_j.
memory : int
    Bytes of each process for bands on their way; 0: no limit.
on_progress : callable, optional
    Called with the fraction done.

Of spinors the table has <sigma_x>, <sigma_y>, <sigma_z> beside the weights (docs/questions.md).)",
      nb::sig(
          "def unfold(file: WaveFile, times: collections.abc.Sequence[collections.abc.Sequence[int]], memory: int = "
          "0, on_progress: collections.abc.Callable[[float], None] | None = None) -> Table"));
}

}  // namespace seiche::python
