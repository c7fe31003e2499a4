// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche wannier`: the input files of wannier90 from any wavefunctions.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "report.hpp"
#include "seiche/wannier_file.hpp"
#include "selection_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct WannierCommand {
  std::string input, nnkp, seed, spin = "up", scdm, centre, width, memory;
  Beside beside;
  bool on_grid = false;
};

const std::map<std::string, BandWeight> weights{
    {"isolated", BandWeight::full}, {"erfc", BandWeight::erfc}, {"gaussian", BandWeight::gaussian}};

std::optional<SelectedColumns> columns_of(const WannierCommand& command, const WannierRequest& request) {
  if (command.scdm.empty()) {
    if (!command.centre.empty() || !command.width.empty()) {
      refuse("--centre and --width need a function of energy: give --scdm erfc or gaussian");
    }
    return std::nullopt;
  }
  SelectedColumns columns{request.automatic.value_or(0), weights.at(command.scdm), 0, 0};
  if (columns.functions == 0) {
    refuse(request.path + " does not give the number of projections: set auto_projections in the .win");
  }
  if (columns.weight == BandWeight::full) return columns;
  if (command.centre.empty() || command.width.empty()) {
    refuse("--scdm " + command.scdm +
           " needs the energy and the width of its function: give for example --centre 5eV --width 2eV");
  }
  columns.centre = energy_of("--centre", command.centre);
  columns.width = energy_of("--width", command.width);
  return columns;
}

/// Returns the bytes of this process's part of all bands, and of the bands of one k-point and one neighbour in transit.
/// A half sphere of waves is temporarily held twice, then as a full sphere.
std::int64_t held_by_overlaps(const Session& session, const OrbitalHeader& header) {
  const Amount all = amount_of(header);
  std::int64_t largest = 0;
  for (const std::int64_t waves : all.waves) largest = std::max(largest, waves);
  const std::int64_t of_a_kpoint = (largest / session.size + 256) * header.bands * header.spinor * 16;
  return (header.half_sphere ? 4 : 1) * (block_share_of(all, session) + 5 * of_a_kpoint) + 10 * largest * 40;
}

void wannier(const Session& session, const WannierCommand& command) {
  const double start = MPI_Wtime();
  const WannierRequest request = read_nnkp(session.comm, command.nnkp);
  const std::string seed =
      command.seed.empty() ? std::filesystem::path(command.nnkp).replace_extension().string() : command.seed;
  for (const char* ending : {".mmn", ".eig", ".amn"}) {
    expect_apart(session, seed + ending, {command.input, command.nnkp});
  }
  WaveFile file = open_waves(session, command.input, command.beside);
  WannierOptions options;
  options.columns = columns_of(command, request);
  options.on_grid = command.on_grid;
  options.spin = command.spin == "up" ? 0 : 1;
  file.select(wanted_states(request, file.header(), options.spin));
  options.move.policy.memory = memory_left(session, command.memory, held_by_overlaps(session, file.header()));
  ProgressBar bar(session, "wannier", static_cast<double>(file.header().kpoints.size()), "k-points");
  options.move.on_progress = [&bar](double done) { bar.show(done); };
  const auto files = write_wannier(file, request, seed, options);

  Report report(session);
  const std::size_t functions =
      options.columns ? static_cast<std::size_t>(options.columns->functions) : request.trial_orbitals.size();
  const auto fact = [&](const char* field, std::size_t count, const char* label) {
    report.add(field, count, label, fmt::format("{}", count));
  };
  fact("bands", static_cast<std::size_t>(file.header().bands), "bands");
  fact("kpoints", request.kpoints.size(), "k-points");
  fact("neighbours", request.neighbours[0].size(), "neighbours of each");
  fact("projections", functions, "projections");
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
  report.add("ranks", session.size);
  const double seconds = MPI_Wtime() - start;
  report.add("seconds", seconds, "seconds", fmt::format("{:.3f}", seconds));
  report.say();
}

}  // namespace

void add_wannier(CLI::App& app, Session& session) {
  auto request = std::make_shared<WannierCommand>();
  CLI::App* command = app.add_subcommand("wannier", "overlaps, energies and projections for wannier90");
  command->add_option("IN", request->input, any_wavefunctions)->required();
  command->add_option("NNKP", request->nnkp, "file of wannier90.x -pp: SEED.nnkp")->required();
  command->add_option("-o,--output", request->seed,
                      "seed of the output files SEED.mmn, .eig and .amn [seed of the .nnkp]");
  command->add_option("--spin", request->spin, "one of two spins: up or down [up]")
      ->check(CLI::IsMember({"up", "down"}));
  std::vector<std::string> words;
  for (const auto& [word, weight] : weights) words.push_back(word);
  command->add_option("--scdm", request->scdm, "projections from selected columns (SCDM): isolated, erfc or gaussian")
      ->check(CLI::IsMember(words));
  command->add_option("--centre", request->centre, "energy of erfc or gaussian, for example 5eV");
  command->add_option("--width", request->width, "width of erfc or gaussian, for example 2eV");
  command->add_flag("--unk", request->on_grid, "also write UNK files for plots by wannier90");
  add_beside(*command, request->beside);
  add_memory_option(*command, request->memory);
  command->callback([request, &session] { wannier(session, *request); });
}

}  // namespace seiche::command
