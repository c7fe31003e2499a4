// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche info`: summarizes a wavefunction file and checks it.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "arguments.hpp"
#include "grid_values.hpp"
#include "info_energies.hpp"
#include "report.hpp"
#include "seiche/density_file.hpp"
#include "seiche/table.hpp"
#include "seiche/wavefile.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct InfoRequest {
  std::string path, table;
  bool check = false;
  Beside beside;
};

std::string formula_of(const Crystal& crystal) {
  std::map<std::string, int> counts;
  for (const Atom& atom : crystal.atoms) ++counts[atom.symbol];
  std::string text;
  for (const auto& [symbol, count] : counts) text += symbol + (count > 1 ? std::to_string(count) : "");
  return text;
}

std::string counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Adds the crystal. A file without atoms, such as a WAVECAR, has neither operations nor a grid; the header contains
/// assumed ones.
void add_crystal(Report& report, const Crystal& crystal) {
  const bool bare = crystal.atoms.empty();
  const std::string volume = fmt::format("{:.4f} bohr^3", crystal.volume());
  report.add("crystal", formula_of(crystal), "crystal",
             bare ? "a cell of " + volume + "; the file has neither atoms nor symmetry operations"
                  : fmt::format("{}, {} in {}, {}", formula_of(crystal), counted(crystal.atoms.size(), "atom"), volume,
                                counted(crystal.operations.size(), "symmetry operation")));
  report.add("atoms", crystal.atoms.size());
  report.add("cell", crystal.lattice);
  report.add("volume", crystal.volume());
  report.add("symmetries", crystal.operations.size());
}

void add_grid(Report& report, const OrbitalHeader& h) {
  const bool bare = h.crystal.atoms.empty();
  const char* source = bare ? " (not in the file: assumed as four times the cutoff of the wavefunctions)" : "";
  report.add("cutoff_hartree", h.cutoff, "cutoff", fmt::format("{:g} hartree", h.cutoff));
  report.add("density_cutoff_hartree", h.density_cutoff, "density cutoff",
             fmt::format("{:g} hartree{}", h.density_cutoff, source));
  report.add("grid", {h.grid.nx, h.grid.ny, h.grid.nz}, "grid",
             fmt::format("{} x {} x {}{}", h.grid.nx, h.grid.ny, h.grid.nz,
                         bare ? " (not in the file: smallest grid for the cutoff)" : ""));
  nlohmann::ordered_json assumed = nlohmann::ordered_json::array();
  if (bare) assumed = {"symmetries", "density_cutoff_hartree", "grid"};
  report.add("assumed", assumed);
}

const char* name_of(Magnetism magnetism) {
  return magnetism == Magnetism::none ? "none" : magnetism == Magnetism::collinear ? "collinear" : "vector";
}

std::int64_t coefficients_of(const OrbitalHeader& h) {
  std::int64_t waves = 0;
  for (const KPoint& k : h.kpoints) waves += k.plane_waves;
  return waves * h.bands * h.spins * h.spinor;
}

void add_soundness(Report& report, const Session& session, const WaveFile& file) {
  ProgressBar bar(session, "check", bands_in(file.header()), "bands");
  const Soundness found = soundness(file, {.on_progress = [&](double done) { bar.show(done); }});
  const std::int64_t coefficients = coefficients_of(file.header());
  const bool sound = std::max(found.norm, found.overlap) < 1e-6;
  report.add("coefficients", coefficients, "coefficients", fmt::format("{}, all finite", coefficients));
  report.add("norm_deviation", found.norm, "norms", fmt::format("within {:.1e} of 1", found.norm));
  report.add("largest_overlap", found.overlap, "overlaps", fmt::format("at most {:.1e}", found.overlap));
  report.add("odd_counts", found.odd_counts, "counts",
             found.odd_counts == 0
                 ? "match the cutoff at each k-point"
                 : fmt::format("{} k-points do not have the waves within the cutoff", found.odd_counts));
  if (file.header().norm_conserving == NormConserving::yes) {
    report.add("sound", sound, "verdict", sound ? "sound" : "the bands are not orthonormal");
  } else {  // no verdict: the file does not contain the augmentation that makes the bands orthonormal
    report.add("sound", nullptr, "verdict",
               "all numbers are finite; bands of ultrasoft pseudopotentials or PAW are orthonormal only with "
               "augmentation, which files do not hold");
  }
}

void add_atoms(Report& report, const Crystal& crystal) {
  nlohmann::ordered_json atoms = nlohmann::ordered_json::array();
  for (const Atom& atom : crystal.atoms) atoms.push_back({{"symbol", atom.symbol}, {"position", atom.position}});
  report.add("atom_list", atoms);
}

void add_header(Report& report, const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  const char* axis = file.half_axis() == HalfAxis::z ? "z" : "x";
  std::int64_t least = h.kpoints[0].plane_waves, most = least;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const KPoint& k : h.kpoints) {
    least = std::min(least, k.plane_waves);
    most = std::max(most, k.plane_waves);
    points.push_back({{"k", k.k}, {"weight", k.weight}, {"plane_waves", k.plane_waves}});
  }
  report.add("format", h.format, "format", h.format);
  add_crystal(report, h.crystal);
  report.add("kpoints", h.kpoints.size(), "k-points");
  report.add("spins", h.spins, "spins");
  report.add("spinor_components", h.spinor, "spinor components");
  report.add("magnetism", name_of(h.magnetism), "magnetism", name_of(h.magnetism));
  report.add("bands", h.bands, "bands");
  report.add("electrons", h.electrons, "electrons", fmt::format("{:g}", h.electrons));
  report.add("plane_waves", most, "plane waves",
             least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
  report.add("half_sphere", h.half_sphere, "sphere",
             h.half_sphere ? fmt::format("half along {} (gamma only)", axis) : "full");
  report.add("half_axis", h.half_sphere ? nlohmann::ordered_json(axis) : nlohmann::ordered_json(nullptr));
  report.add("norm_conserving", h.norm_conserving == NormConserving::unknown
                                    ? nlohmann::ordered_json(nullptr)
                                    : nlohmann::ordered_json(h.norm_conserving == NormConserving::yes));
  report.add("averaged", h.averaged);
  report.add("weighted", h.weighted);
  report.add("mesh", h.mesh);
  report.add("mesh_shift", h.mesh_shift);
  report.add("density_components", h.density_components);
  add_grid(report, h);
  add_atoms(report, h.crystal);
  add_energies(report, h);
  report.add("kpoint_list", points);
  add_table_of_kpoints(report, h, points);
}

/// Reports a density or potential.
void info_of_grid(const Session& session, const InfoRequest& request) {
  if (!request.table.empty() || request.check)
    refuse(request.path + " holds a density or potential, which has no bands: leave out --table and --check");
  const Density values = read_density(session.comm, request.path);
  Report report(session);
  add_crystal(report, values.crystal);
  add_grid_values(report, session, values);
  add_atoms(report, values.crystal);
  report.say();
}

void info(const Session& session, const InfoRequest& request) {
  expect_apart(session, request.table, {request.path});
  if (holds_grid(session, request.path)) return info_of_grid(session, request);
  const WaveFile file = open_waves(session, request.path, request.beside);
  const OrbitalHeader& header = file.header();
  Report report(session);
  add_header(report, file);
  if (!request.table.empty()) {
    write_table(session.comm, table_of_bands(header), request.table);
    report.add("files", {request.table}, "written", request.table);
  }
  if (request.check) add_soundness(report, session, file);
  report.say();
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  auto request = std::make_shared<InfoRequest>();
  CLI::App* command = app.add_subcommand("info", "summary of a file of wavefunctions, or of a density");
  command->add_option("FILE", request->path, std::string(any_wavefunctions) + "; or a density or potential")
      ->required();
  command->add_option("--table,--bands", request->table, "output table of energies and occupations (.csv)");
  command->add_flag("--check", request->check, "check of all coefficients: whether the bands are orthonormal");
  add_beside(*command, request->beside);
  command->callback([request, &session] { info(session, *request); });
}

}  // namespace seiche::command
