// SPDX-License-Identifier: BSD-3-Clause
/// \file  Questions that need coefficients: what wannier90 asks, and bands of a supercell.
#include <nanobind/stl/map.h>
#include <seiche/unfold.hpp>
#include <seiche/wannier_file.hpp>

#include "bind.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

constexpr std::array<std::pair<std::string_view, BandWeight>, 3> band_weights{
    {{"isolated", BandWeight::full}, {"erfc", BandWeight::erfc}, {"gaussian", BandWeight::gaussian}}};

/// Projections without trial orbitals; nothing where `scdm` is empty.
std::optional<SelectedColumns> columns_of(const WannierRequest& request, const std::string& scdm, double centre,
                                          double width) {
  if (scdm.empty()) return std::nullopt;
  if (request.automatic) {
    return SelectedColumns{*request.automatic, named<BandWeight>("scdm", scdm, band_weights), centre, width};
  }
  throw Error(Fault::bad_argument,
              request.path + " does not say how many projections to find; say auto_projections in the .win");
}

Table unfold_bands(const OpenFile& file, const CellMultiples& times, std::int64_t memory,
                   const OnProgress& on_progress) {
  MoveOptions options;
  options.policy.memory = memory;
  options.on_progress = progress_function(on_progress);
  return collective(file, [&](const WaveFile& waves) { return unfold(waves, times, options); });
}

std::vector<std::string> write(const OpenFile& file, const WannierRequest& request, const Path& seed,
                               const std::string& scdm, double centre, double width, bool on_grid, int spin,
                               std::int64_t memory) {
  const auto asked = [&] {
    WannierOptions options;
    options.on_grid = on_grid;
    options.spin = spin;
    options.move.policy.memory = memory;
    options.columns = columns_of(request, scdm, centre, width);
    return file.get(), options;
  };
  return collective(file.comm, asked,
                    [&](const WannierOptions& options) { return write_wannier(file.get(), request, seed, options); });
}

WannierMatrices matrices(const Orbitals& orbitals, const WannierRequest& request, const std::string& scdm,
                         double centre, double width) {
  return collective(
      orbitals.comm, [&] { return columns_of(request, scdm, centre, width); },
      [&](const auto& columns) { return wannier_matrices(orbitals, request, columns); });
}

Array overlaps_of(const WannierMatrices& self) {
  const auto matrices = flat(self.overlaps);
  const auto neighbours = self.overlaps.empty() ? 0 : std::ssize(self.overlaps[0]);
  return array_from(flat(matrices), {std::ssize(self.overlaps), neighbours, self.bands, self.bands});
}

Array neighbours_of(const WannierRequest& self) {
  std::vector<std::int64_t> all;
  for (const KNeighbour& one : flat(self.neighbours))
    all.insert(all.end(), {one.k, one.shift.x, one.shift.y, one.shift.z});
  const auto each = self.neighbours.empty() ? 0 : std::ssize(self.neighbours[0]);
  return array_from(std::move(all), {std::ssize(self.neighbours), each, 4});
}

std::map<std::string, std::vector<int>> wanted(const WannierRequest& request, const OrbitalHeader& header, int spin) {
  const Selection states = wanted_states(request, header, spin);
  return {{"bands", states.bands}, {"spins", states.spins}};
}

void bind_request(nb::module_& module) {
  nb::class_<WannierRequest>(module, "WannierRequest", "What a .nnkp of wannier90 asks for.")
      .def_ro("path", &WannierRequest::path, "The file.")
      .def_prop_ro(
          "kpoints", [](const WannierRequest& self) { return array_of(self.kpoints); },
          "The full zone, (k, 3), in units of the reciprocal vectors.")
      .def_prop_ro(
          "neighbours", &neighbours_of,
          "(k, neighbour, 4): of each k-point those next to it, as a number from 0 and whole reciprocal vectors.")
      .def_ro("automatic", &WannierRequest::automatic, "So many projections without trial orbitals; None: no such.")
      .def_ro("excluded_bands", &WannierRequest::excluded_bands, "From 0, ascending.");
  module.def("read_nnkp", by_path(&read_nnkp), "path"_a, "comm"_a = nb::none(),
             "What `wannier90.x -pp` asks for. Collective.");
  module.def("wanted_states", &wanted, "request"_a, "header"_a, "spin"_a = 0,
             "Bands and spin that are asked for, as keywords of WaveFile.select. Local.");
}

void bind_matrices(nb::module_& module) {
  using Matrices = WannierMatrices;
  nb::class_<Matrices>(module, "WannierMatrices", "Overlaps and projections, as makers of Wannier functions ask.")
      .def_prop_ro("overlaps", &overlaps_of, "<u_mk|u_n,k+b>, an array (k, neighbour, m, n), a copy.")
      .def_prop_ro(
          "projections",
          [](const Matrices& self) {
            return array_from(flat(self.projections), {std::ssize(self.projections), self.bands, self.functions});
          },
          "<psi_mk|g_n>, an array (k, m, n), a copy; of none (0, m, n).")
      .def_prop_ro(
          "energies",
          [](const Matrices& self) {
            return array_from(self.energies, {std::ssize(self.overlaps), self.bands});
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
of each process for data on their way, 0: no limit.)");
}

}  // namespace

void bind_wannier(nb::module_& module) {
  bind_request(module);
  bind_matrices(module);
  module.def("unfold", &unfold_bands, "file"_a, "times"_a, "memory"_a = 0, "on_progress"_a = nb::none(),
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

Of spinors the table has <sigma_x>, <sigma_y>, <sigma_z> beside the weights (docs/questions.md).)");
}

}  // namespace seiche::python
