// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche convert` and `seiche verify`: converts wavefunctions or a density to another format, and compares two
/// files of wavefunctions.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "hints.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "seiche/density_file.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"
#include "selection_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct ConvertRequest : Transfer {
  SelectionWords words;
  bool density = false;
  std::string unit;
};

/// Converts a density or another quantity on a grid.
void convert_density(const Session& session, const ConvertRequest& request) {
  const double start = MPI_Wtime();
  if (!request.words.empty())
    refuse("a density has no bands, k-points or spins to select: leave out --bands, --kpoint and --spin");
  if (!request.format.empty()) {
    refuse("--to applies to wavefunctions only: choose the format of a density by the name of the output");
  }
  expect_output(session.comm, request.output);
  Density density = read_density(session.comm, request.input);
  if (!request.unit.empty()) set_unit(density, request.unit);
  const auto files = write_density(density, request.output);
  const double seconds = MPI_Wtime() - start;
  const GridShape& grid = density.grid;
  Report report(session);
  report.add("input", request.input);
  report.add("output", request.output);
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
  report.add("grid", std::array{grid.nx, grid.ny, grid.nz}, "grid",
             fmt::format("{} x {} x {}", grid.nx, grid.ny, grid.nz));
  report.add("units", density.units, "units", density.units);
  report.add("components", density.components.size());
  report.add("ranks", session.size);
  report.add("seconds", seconds, "seconds", fmt::format("{:.3f}", seconds));
  report.say();
}

void convert_waves(const Session& session, const ConvertRequest& request) {
  const double start = MPI_Wtime();
  if (!request.unit.empty()) refuse("--unit applies to values on a grid only: leave it out");
  WaveFile file = open_waves(session, request.input, request.beside);
  const Selection selection = selection_of(request.words);
  auto lost = left_out(file.header(), selection);
  if (!request.words.empty()) file.select(selection);
  for (const std::string& one : losses(file.header(), request.output, request.format, request.density)) {
    lost.push_back(with_option(one));
  }
  for (const std::string& sentence : lost) {
    if (session.speaks()) fmt::print(stderr, "seiche: not kept: {}\n", sentence);
  }
  {
    ProgressBar bar(session, "convert", bands_in(file.header()), "bands");
    MoveOptions options = shown(options_of(request, memory_left(session, request.memory)), bar);
    options.density = request.density;
    convert(file, request.output, request.format, options);
  }
  const double seconds = MPI_Wtime() - start;
  const WaveFile written(session.comm, request.output);
  Report report(session);
  report.add("input", request.input);
  report.add("output", request.output, "written", request.output);
  add_beside_wavecar(report, session, file.header(), request.output);
  report.add("format", written.header().format, "format", written.header().format);
  report.add("losses", lost);
  report.add("ranks", session.size);
  report.add("seconds", seconds, "seconds", fmt::format("{:.3f}", seconds));
  report.say();
}

nlohmann::ordered_json json_of(const Comparison::Group& group) {
  return {{"spin", group.spin},
          {"k", group.k},
          {"bands", {group.bands.low, group.bands.high}},
          {"overlap", group.overlap},
          {"norm_difference", group.norm}};
}

std::string text_of(const Comparison::Group& group) {
  return fmt::format("spin {}, k-point {}, bands {} to {}: overlap 1 - {:.1e}, norms differ by {:.1e}", group.spin + 1,
                     group.k + 1, group.bands.low + 1, group.bands.high, 1 - group.overlap, group.norm);
}

struct VerifyRequest {
  std::string first, second;
  CompareOptions options;
  std::optional<double> tolerance;
};

/// Adds the difference of energies beyond a constant. The row appears if the constant is most of the difference.
void add_constant(Report& report, const Comparison& comparison) {
  constexpr double small_part = 0.01;
  const bool shown = comparison.any_zero || (comparison.energy >= comparison.tolerance.energy &&
                                             comparison.beyond_constant < small_part * comparison.energy);
  report.add(
      "energy_difference_beyond_constant", comparison.beyond_constant, shown ? "up to a constant" : "",
      fmt::format("differ by {:.1e} hartree; the second file is higher by {:.6f} hartree{}", comparison.beyond_constant,
                  comparison.constant, comparison.any_zero ? "" : ", which --any-zero ignores"));
}

void add_likeness(Report& report, const Comparison& comparison) {
  const Comparison::Group worst = comparison.worst();
  report.add("min_overlap", worst.overlap, "smallest overlap", fmt::format("1 - {:.1e}", 1 - worst.overlap));
  report.add("worst", json_of(worst), "worst", text_of(worst));
  report.add("norm_difference", comparison.norm, "norms", fmt::format("differ by {:.1e}", comparison.norm));
  report.add("energy_difference", comparison.energy, "energies",
             fmt::format("differ by {:.1e} hartree", comparison.energy));
  report.add("energy_constant", comparison.constant);
  add_constant(report, comparison);
  report.add("occupation_difference", comparison.occupation, "occupations",
             fmt::format("differ by {:.1e}", comparison.occupation));
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const Comparison::Group& group : comparison.kpoints) {
    points.push_back(json_of(group));
    if (!comparison.equal()) report.add("kpoints", points, "", text_of(group));
  }
  report.add("kpoints", points);
  nlohmann::ordered_json cut = nlohmann::ordered_json::array();
  for (const Comparison::Group& group : comparison.cut) {
    cut.push_back(json_of(group));
    report.add("cut", cut, "groups cut by the last band", text_of(group) + "; excluded");
  }
  report.add("cut", cut);
}

/// Compares two densities or potentials. Sets the exit status 1 if they differ.
void verify_grids(Session& session, const VerifyRequest& request) {
  if (request.options.bands > 0 || request.options.occupied || request.options.any_zero)
    refuse("a density has neither bands nor energies: leave out --lowest, --occupied and --any-zero");
  const Density first = read_density(session.comm, request.first), second = read_density(request.second, first);
  const Deviation deviation = compare(first, second);
  const bool equal = deviation.largest() <= request.tolerance.value_or(request.options.tolerance.norm);
  Report report(session);
  report.add("equal", equal, "equal", equal ? "yes" : "no");
  report.add("max_relative_deviation", deviation.largest(), "deviation",
             fmt::format("{:.1e} of the largest value of the second", deviation.largest()));
  const double here = integrals(first)[0], there = integrals(second)[0];
  report.add("integrals", {here, there}, "integrals", fmt::format("{:.10g} and {:.10g}", here, there));
  report.add("units", first.units, "units", first.units);
  report.say();
  session.status = equal ? 0 : 1;
}

/// Sets the exit status 1 if the files differ.
void verify(Session& session, VerifyRequest request) {
  if (request.tolerance) request.options.tolerance = {*request.tolerance, *request.tolerance, *request.tolerance};
  if (holds_grid(session, request.first) && holds_grid(session, request.second)) return verify_grids(session, request);
  const WaveFile a = open_waves(session, request.first), b = open_waves(session, request.second);
  const Comparison comparison = [&] {
    ProgressBar bar(session, "verify", bands_in(a.header()), "bands");
    request.options.on_progress = [&](double done) { bar.show(done); };
    return compare(a, b, request.options);
  }();
  Report report(session);
  report.add("equal", comparison.equal(), "equal", comparison.equal() ? "yes" : "no");
  if (comparison.difference.empty()) {
    add_likeness(report, comparison);
  } else {
    report.add("difference", comparison.difference, "difference", with_option(comparison.difference));
  }
  report.say();
  session.status = comparison.equal() ? 0 : 1;
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  auto request = std::make_shared<ConvertRequest>();
  CLI::App* command = app.add_subcommand("convert", "conversion of wavefunctions, or a density, to another format");
  add_transfer(*command, *request);
  add_selection(*command, request->words);
  command->add_flag("--density", request->density,
                    "also write the density with the wavefunctions (castep, qe, qe-hdf5)");
  command->add_option("--unit", request->unit,
                      "unit of the values in a .cube or .xsf of another program: electrons/bohr3, electrons/angstrom3, "
                      "hartree, rydberg or eV");
  command->callback([request, &session] {
    expect_apart(session, request->output, {request->input});
    if (names_density(request->output) || holds_density_only(session.comm, request->input)) {
      convert_density(session, *request);
    } else {
      convert_waves(session, *request);
    }
  });

  auto files = std::make_shared<VerifyRequest>();
  CLI::App* both =
      app.add_subcommand("verify", "comparison of the states in two wavefunction files, or of two densities");
  both->add_option("A", files->first, std::string(any_wavefunctions) + "; or a density or potential")->required();
  both->add_option("B", files->second, "another")->required();
  both->add_option("--lowest,--bands", files->options.bands, "number of lowest bands to compare [all]")
      ->check(at_least(1));
  both->add_flag("--occupied", files->options.occupied, "only bands up to the highest occupied one");
  both->add_flag("--any-zero", files->options.any_zero, "energies may differ by a constant");
  both->add_option("--tolerance", files->tolerance,
                   "tolerance for overlaps, norms and densities (relative), and energies (hartree)")
      ->check(positive());
  both->preparse_callback([&session](std::size_t) { session.error_status = 2; });
  both->footer("Exit status: 0 if the files are equal within the tolerance, 1 if they differ, 2 for errors.");
  both->callback([files, &session] { verify(session, *files); });
}

}  // namespace seiche::command
