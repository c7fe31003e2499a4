// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche difference`: a quantity on a grid minus one or more others.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "grid_values.hpp"
#include "report.hpp"
#include "seiche/averages.hpp"
#include "seiche/density_file.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct DifferenceRequest {
  std::string input, output;
  std::vector<std::string> minus;
};

Density subtracted(const Session& session, const DifferenceRequest& request) {
  ProgressBar bar(session, "difference", static_cast<double>(request.minus.size() + 1), "grids");
  Density values = read_density(session.comm, request.input);
  double read = 1;
  for (const std::string& path : request.minus) {
    bar.show(read++ / static_cast<double>(request.minus.size() + 1));
    values = difference(values, read_density(path, values));
  }
  return values;
}

void write_difference(const Session& session, const DifferenceRequest& request) {
  std::vector<std::string> inputs = request.minus;
  inputs.push_back(request.input);
  expect_apart(session, request.output, inputs);
  if (names_picture(request.output))
    refuse("differences cannot be written as pictures: write an .h5 and draw a cut of it");
  expect_output(session.comm, request.output);
  const Density values = subtracted(session, request);
  const auto files = write_density(values, request.output);
  Report report(session);
  add_grid_values(report, session, values);
  report.add("files", files);
  for (const std::string& written : files) report.add("files", files, "written", written);
  report.add("ranks", session.size);
  report.say();
}

}  // namespace

void add_difference(CLI::App& app, Session& session) {
  auto request = std::make_shared<DifferenceRequest>();
  CLI::App* command = app.add_subcommand("difference", "difference of densities or potentials on the same grid");
  command->add_option("GRID", request->input, "density or potential, in any format that convert reads")->required();
  command->add_option("MINUS", request->minus, "one or more files to subtract")->required();
  command->add_option("-o,--output", request->output, "output: .cube, .xsf, .h5, CHGCAR, ...")->required();
  command->callback([request, &session] { write_difference(session, *request); });
}

}  // namespace seiche::command
