// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche orbital`: single bands on a grid, for visualization.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "report.hpp"
#include "seiche/density_file.hpp"
#include "seiche/orbital_grid.hpp"
#include "seiche/wavefile.hpp"
#include "selection_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct OrbitalRequest {
  std::string input, output, part = "density", component, memory;
  Beside beside;
  SelectionWords words;
  bool periodic = false;
};

const std::map<std::string, OrbitalQuantity> quantities{{"density", OrbitalQuantity::density},
                                                        {"real", OrbitalQuantity::real},
                                                        {"imaginary", OrbitalQuantity::imaginary},
                                                        {"magnitude", OrbitalQuantity::magnitude},
                                                        {"phase", OrbitalQuantity::phase}};

std::size_t count(const std::vector<int>& some, int all) {
  return some.empty() ? static_cast<std::size_t>(all) : some.size();
}

/// Names of the files: the label of each orbital precedes the ending.
class Names {
 public:
  Names(const std::string& output, const OrbitalHeader& header, const Selection& selection)
      : output_(output),
        bands_(count(selection.bands, header.bands) > 1),
        kpoints_(count(selection.kpoints, static_cast<int>(header.kpoints.size())) > 1),
        spins_(count(selection.spins, header.spins) > 1) {}

  std::string of(const BandState& state) const {
    std::string mark;
    if (spins_) mark += state.spin == 0 ? "_up" : "_down";
    if (kpoints_) mark += fmt::format("_k{}", state.k + 1);
    if (bands_) mark += fmt::format("_b{}", state.band + 1);
    if (mark.empty()) return output_.string();
    return (output_.parent_path() / (output_.stem().string() + mark + output_.extension().string())).string();
  }

 private:
  std::filesystem::path output_;
  bool bands_, kpoints_, spins_;
};

/// Returns the bytes of this process's part of the orbitals that are on the grid at the same time.
std::int64_t held_by_orbital(const Session& session, const OrbitalHeader& header) {
  const std::int64_t points = header.grid.volume() / session.size + header.grid.nx * header.grid.ny;
  return points * 16 * header.spinor * (session.size + 3);
}

void orbital(const Session& session, const OrbitalRequest& request) {
  const double start = MPI_Wtime();
  expect_apart(session, request.output, {request.input});
  const Selection selection = selection_of(request.words);
  const WaveFile file = open_waves(session, request.input, request.beside);
  const OrbitalHeader& header = file.header();
  expect_output(session.comm, request.output);
  if (names_picture(request.output))
    refuse("orbitals cannot be written as pictures: write an .h5 and draw a cut of it (seiche cut)");
  const Names names(request.output, header, selection);
  OrbitalGridOptions options;
  options.quantity = quantities.at(request.part);
  options.periodic = request.periodic;
  options.component = request.component == "up" ? 1 : request.component == "down" ? 2 : 0;
  options.policy.memory = memory_left(session, request.memory, held_by_orbital(session, header));
  ProgressBar bar(session, "orbital");
  options.on_progress = [&bar](double done) { bar.show(done); };
  std::vector<std::string> files;
  // a checksum is verified after the whole band is read; existing files are kept until then
  DensityFiles made(session.comm, request.output);
  nlohmann::ordered_json states = nlohmann::ordered_json::array();
  const auto write = [&](const BandState& state, const Density& values) {
    const auto written = made.add(values, names.of(state));
    states.push_back({{"spin", state.spin + 1},
                      {"kpoint", state.k + 1},
                      {"band", state.band + 1},
                      {"energy", state.energy},
                      {"integral", integrals(values)[0]},
                      {"file", written.front()}});
    files.insert(files.end(), written.begin(), written.end());
  };
  each_orbital(file, selection, options, write);
  made.commit();
  Report report(session);
  report.add("part", request.part, "part", request.part);
  report.add("orbitals", states);
  for (const auto& state : states) {
    report.add(
        "orbitals", states, "written",
        fmt::format("{}: band {} at k-point {}, {:.4f} eV", state["file"].get<std::string>(), state["band"].get<int>(),
                    state["kpoint"].get<int>(), state["energy"].get<double>() * hartree_in_electronvolt));
  }
  report.add("files", files);
  report.add("ranks", session.size);
  const double seconds = MPI_Wtime() - start;
  report.add("seconds", seconds, "seconds", fmt::format("{:.3f}", seconds));
  report.say();
}

}  // namespace

void add_orbital(CLI::App& app, Session& session) {
  auto request = std::make_shared<OrbitalRequest>();
  CLI::App* command = app.add_subcommand("orbital", "single bands on a grid: density, real part, phase, ...");
  command->add_option("IN", request->input, any_wavefunctions)->required();
  command->add_option("-o,--output", request->output, "output: .cube, .xsf or .h5, one file per orbital")->required();
  add_selection(*command, request->words);
  add_beside(*command, request->beside);
  std::vector<std::string> words;
  for (const auto& [word, quantity] : quantities) words.push_back(word);
  command->add_option("--part", request->part, "quantity: density, real, imaginary, magnitude or phase [density]")
      ->check(CLI::IsMember(words));
  command->add_option("--component", request->component, "component of spinors: up or down")
      ->check(CLI::IsMember({"up", "down"}));
  command->add_flag("--periodic", request->periodic, "periodic part, without the factor exp(i k.r)");
  add_memory_option(*command, request->memory);
  command->callback([request, &session] { orbital(session, *request); });
}

}  // namespace seiche::command
