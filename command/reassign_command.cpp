// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche reassign`: wavefunctions in another basis.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "seiche/basis.hpp"
#include "seiche/wavefile.hpp"
#include "selection_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct ReassignRequest : Transfer {
  std::string cutoff, like, cell, orthonormal = "no";
  int bands = 0;
  std::vector<std::int64_t> grid;
};

void expect_same_kpoints(const OrbitalHeader& header, const OrbitalHeader& other) {
  bool same = header.kpoints.size() == other.kpoints.size();
  for (std::size_t k = 0; same && k < header.kpoints.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) same = same && std::abs(header.kpoints[k].k[i] - other.kpoints[k].k[i]) < 1e-5;
  }
  if (!same || header.half_sphere != other.half_sphere || header.spinor != other.spinor ||
      header.spins != other.spins) {
    refuse(fmt::format(
        "{} and {} have different k-points or spins, so that they cannot share a basis: give --ecut or --cell instead",
        header.path, other.path));
  }
}

Orthonormal orthonormal_of(const std::string& word) {
  if (word == "no") return Orthonormal::as_they_are;
  return word == "loewdin" ? Orthonormal::loewdin : Orthonormal::cholesky;
}

/// Collective. Returns the request of the options. --like gives the waves of its file.
BasisRequest basis_of(const Session& session, const ReassignRequest& request, const OrbitalHeader& header,
                      const WaveFile* like) {
  BasisRequest basis;
  if (like) {
    expect_same_kpoints(header, like->header());
    basis = basis_like(like->header());
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      basis.waves.push_back(like->waves(0, static_cast<int>(k), {0, like->header().kpoints[k].plane_waves}));
    }
  }
  if (!request.cell.empty()) basis.lattice = WaveFile(session.comm, request.cell).header().crystal.lattice;
  if (!request.cutoff.empty()) basis.cutoff = energy_of("--ecut", request.cutoff);
  if (!request.grid.empty()) basis.grid = GridShape{request.grid[0], request.grid[1], request.grid[2]};
  const bool nothing = !like && request.cell.empty() && request.cutoff.empty() && request.grid.empty();
  if (nothing && request.bands == 0 && request.orthonormal == "no") {
    refuse("no change requested: give --ecut, --like, --cell, --fft, --lowest or --orthonormal");
  }
  if (request.bands != 0) basis.bands = request.bands;
  basis.orthonormal = orthonormal_of(request.orthonormal);
  return basis;
}

/// Collective. Returns the smallest singular value of the overlap of the occupied bands for each spin and k-point.
double occupied_overlap(const Session& session, const Orbitals& orbitals, const WaveFile& like,
                        const MoveOptions& options) {
  const Orbitals theirs = read_orbitals(like, layout_for(session, like.header()), options);
  const auto all = overlaps(orbitals, theirs, options);
  const OrbitalHeader &h = theirs.header, &g = orbitals.header;
  double smallest = 1;
  for (std::size_t state = 0; state < all.size(); ++state) {
    const auto first = h.occupations.begin() + static_cast<std::ptrdiff_t>(state) * h.bands;
    const auto full = static_cast<int>(std::find_if(first, first + h.bands, [](double f) { return f < 0.5; }) - first);
    const int rows = std::min(full, g.bands);
    std::vector<std::complex<double>> part;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < full; ++j) part.push_back(all[state][static_cast<std::size_t>(i * h.bands + j)]);
    }
    if (!part.empty()) smallest = std::min(smallest, smallest_singular_value(std::move(part), rows, full));
  }
  return smallest;
}

void add_changes(Report& report, const Reassigned& made) {
  const OrbitalHeader& h = made.orbitals.header;
  const double worst = *std::max_element(made.norm_lost.begin(), made.norm_lost.end());
  const auto total = [](const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  };
  report.add("cutoff", h.cutoff, "cutoff", fmt::format("{:.10g} hartree", h.cutoff));
  report.add("grid", {h.grid.nx, h.grid.ny, h.grid.nz}, "FFT grid",
             fmt::format("{} x {} x {}", h.grid.nx, h.grid.ny, h.grid.nz));
  report.add("bands", h.bands, "bands");
  report.add("waves_added", made.added, "waves added", fmt::format("{} over all k-points", total(made.added)));
  report.add("waves_left_out", made.left_out, "waves left out",
             fmt::format("{} over all k-points", total(made.left_out)));
  report.add("norm_lost", made.norm_lost);
  report.add("max_norm_lost", worst, "norm lost", fmt::format("at most {:.3g} of a band's norm", worst));
  for (int band = 0; band < h.bands; ++band) {
    double lost = 0;
    for (std::size_t state = 0; state * static_cast<std::size_t>(h.bands) < made.norm_lost.size(); ++state) {
      lost = std::max(lost, made.norm_lost[state * static_cast<std::size_t>(h.bands) + static_cast<std::size_t>(band)]);
    }
    if (lost > 0) report.add("max_norm_lost", worst, fmt::format("  band {}", band + 1), fmt::format("{:.3g}", lost));
  }
}

/// Returns the amount of wavefunctions of `header` in the new basis.
Amount amount_after(const OrbitalHeader& header, const BasisRequest& basis) {
  Amount amount = amount_of(header);
  if (basis.bands) amount.bands = *basis.bands;
  Crystal crystal = header.crystal;
  if (basis.lattice) crystal.lattice = *basis.lattice;
  const auto b = crystal.reciprocal();
  const double cutoff = basis.cutoff.value_or(header.cutoff);
  for (std::size_t k = 0; k < amount.waves.size(); ++k) {
    const auto within = [&] { return sphere_of_waves(b, header.kpoints[k].k, cutoff, header.half_sphere).size(); };
    amount.waves[k] = static_cast<std::int64_t>(basis.waves.empty() ? within() : basis.waves[k].size());
  }
  return amount;
}

/// Returns the memory of reassignment: bands before and after, and twice the bands of a k-point if they are made
/// orthonormal; or the bands after and the bands of --like, both twice.
std::int64_t held_by_reassigning(const Session& session, const OrbitalHeader& header, const BasisRequest& basis,
                                 const WaveFile* like) {
  const Amount before = amount_of(header), after = amount_after(header, basis);
  const std::int64_t made = share_of(after, layout_for(session, header)), spread = block_share_of(after, session);
  std::int64_t held = share_of(before, layout_for(session, header)) + made;
  if (basis.orthonormal != Orthonormal::as_they_are) held += 2 * spread;
  if (!like) return held;
  const Amount theirs = amount_of(like->header());
  const std::int64_t compared = share_of(theirs, layout_for(session, like->header())) + block_share_of(theirs, session);
  return std::max(held, std::max(made, spread) + spread + compared);
}

/// Returns the header of the file in the new basis.
OrbitalHeader changed(OrbitalHeader header, const BasisRequest& basis) {
  if (basis.cutoff) header.cutoff = *basis.cutoff;
  if (basis.lattice) header.crystal.lattice = *basis.lattice;
  if (basis.cutoff || basis.lattice) header.total_energy.reset();
  return header;
}

/// Returns a message on occupied bands that are dropped, and their electrons.
std::vector<std::string> bands_left_out(const OrbitalHeader& header, const BasisRequest& basis) {
  if (!basis.bands || *basis.bands >= header.bands) return {};
  Selection kept;
  for (int band = 0; band < *basis.bands; ++band) kept.bands.push_back(band);
  return left_out(header, kept);
}

void reassign(const Session& session, const ReassignRequest& request) {
  Stages stages(session);
  Report report(session);
  expect_apart(session, request.output, {request.input, request.like, request.cell});
  WaveFile file = open_waves(session, request.input, request.beside);
  std::optional<WaveFile> like;
  if (!request.like.empty()) like.emplace(session.comm, request.like);
  const BasisRequest basis = basis_of(session, request, file.header(), like ? &*like : nullptr);
  add_losses(report, changed(file.header(), basis), request, bands_left_out(file.header(), basis));
  const WaveFile* other = like ? &*like : nullptr;
  const std::int64_t held = request.memory.empty() ? 0 : held_by_reassigning(session, file.header(), basis, other);
  const MoveOptions options = options_of(request, memory_left(session, request.memory, held));
  std::optional<Orbitals> before = read(stages, file, options);
  const Reassigned made = [&] {
    ProgressBar bar(session, "map", bands_in(file.header()), "bands");
    return stages("map", [&] { return seiche::reassign(*before, basis, shown(options, bar)); });
  }();
  before.reset();
  add_changes(report, made);
  if (like) {
    ProgressBar bar(session, "compare");
    const double overlap =
        stages("compare", [&] { return occupied_overlap(session, made.orbitals, *like, shown(options, bar)); });
    report.add("occupied_overlap", overlap, "occupied bands",
               fmt::format("overlap with the bands of {} at least {:.6f}", request.like, overlap));
  }
  write(stages, made.orbitals, request, options);
  finish(report, stages, request, made.orbitals.header);
}

}  // namespace

void add_reassign(CLI::App& app, Session& session) {
  auto basis = std::make_shared<ReassignRequest>();
  CLI::App* command = app.add_subcommand("reassign", "wavefunctions in another basis: cutoff, cell, FFT grid, bands");
  add_transfer(*command, *basis);
  command->add_option("--ecut", basis->cutoff, "cutoff with its unit, such as 18Ry, 9Ha or 245eV");
  command->add_option("--like", basis->like, "file with the new cell, cutoff, grid and waves");
  command->add_option("--cell", basis->cell, "file with the new cell, a strained form of the cell of IN");
  command->add_option("--fft", basis->grid, "points of the FFT grid: NX,NY,NZ")->delimiter(',')->expected(3);
  command
      ->add_option("--lowest,--bands", basis->bands,
                   "number of lowest bands; with --orthonormal cholesky also more than in the file")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--orthonormal", basis->orthonormal, "orthonormalization of bands: no, loewdin or cholesky [no]")
      ->check(CLI::IsMember({"no", "loewdin", "cholesky"}));
  command->callback([basis, &session] { reassign(session, *basis); });
}

}  // namespace seiche::command
