// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche unfold`: spectral weights of supercell bands in the zone of the primitive cell.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "report.hpp"
#include "seiche/unfold.hpp"
#include "selection_option.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct UnfoldRequest {
  std::string input, times, output, memory;
  SelectionWords words;
  Beside beside;
};

/// Parses "2,2,1", or nine numbers row by row.
CellMultiples multiples_of(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto number = integer_in(word, -1000, 1000);
    if (!number) {
      refuse(fmt::format("--times {}: '{}' is not a number of cells: give integers from -1000 to 1000", text, word));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() == 3) return {{{numbers[0], 0, 0}, {0, numbers[1], 0}, {0, 0, numbers[2]}}};
  if (numbers.size() != 9) {
    refuse(fmt::format("--times {} has {} numbers: give three, or the nine of a matrix, row by row", text,
                       numbers.size()));
  }
  CellMultiples multiples{};
  for (std::size_t i = 0; i < 9; ++i) multiples[i / 3][i % 3] = numbers[i];
  return multiples;
}

void unfold(const Session& session, const UnfoldRequest& request) {
  const CellMultiples multiples = multiples_of(request.times);
  expect_apart(session, request.output, {request.input});
  WaveFile file = open_waves(session, request.input, request.beside);
  if (!request.words.empty()) file.select(selection_of(request.words));
  ProgressBar bar(session, "unfold", bands_in(file.header()), "bands");
  MoveOptions options;
  options.policy.memory = memory_left(session, request.memory);
  options.on_progress = [&bar](double done) { bar.show(done); };
  const Table table = seiche::unfold(file, multiples, options);
  write_table(session.comm, table, request.output);

  Report report(session);
  const std::size_t states = file.header().energies.size(), columns = table.columns.size();
  report.add("states", states, "states", fmt::format("{}", states));
  report.add("cells", table.rows() / states, "cells in the supercell", fmt::format("{}", table.rows() / states));
  // sharpness of the bands: 1 if each belongs to one k-point
  double sharpness = 0;
  constexpr std::size_t weight = 9;  // its column
  for (std::size_t row = 0; row < table.rows(); ++row) sharpness += std::pow(table.values[row * columns + weight], 2);
  sharpness /= static_cast<double>(states);
  report.add("sharpness", sharpness, "mean sum of squares of weights", fmt::format("{:.6f}", sharpness));
  report.add("files", std::vector<std::string>{request.output}, "written", request.output);
  report.add("ranks", session.size);
  report.say();
}

}  // namespace

void add_unfold(CLI::App& app, Session& session) {
  auto request = std::make_shared<UnfoldRequest>();
  CLI::App* command =
      app.add_subcommand("unfold", "spectral weights of supercell bands in the zone of the primitive cell");
  command->add_option("IN", request->input, any_wavefunctions)->required();
  command
      ->add_option(
          "--times", request->times,
          "multiples of the primitive cell in the supercell: 2,2,1, or the nine numbers of a matrix, row by row")
      ->required();
  command->add_option("-o,--output", request->output, "output table (.csv)")->required();
  add_selection(*command, request->words);
  add_beside(*command, request->beside);
  add_memory_option(*command, request->memory);
  command->callback([request, &session] { unfold(session, *request); });
}

}  // namespace seiche::command
