// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche difference`: a quantity on a grid minus one or more others.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "arguments.hpp"
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

/// Collective. Returns the smallest and the largest value of a component.
std::array<double, 2> range_of(const Session& session, const std::vector<double>& component) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{infinity, infinity};  // the second with inverted sign
  for (const double value : component) range = {std::min(range[0], value), std::min(range[1], -value)};
  MPI_Allreduce(MPI_IN_PLACE, range.data(), 2, MPI_DOUBLE, MPI_MIN, session.comm);
  return {range[0], -range[1]};
}

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
  const auto [least, most] = range_of(session, values.components[0]);
  const auto integral = integrals(values);
  const GridShape& grid = values.grid;
  Report report(session);
  report.add("units", values.units, "units", values.units);
  report.add("grid", std::array{grid.nx, grid.ny, grid.nz}, "grid",
             fmt::format("{} x {} x {}", grid.nx, grid.ny, grid.nz));
  report.add("components", values.components.size());
  report.add("integrals", integral, "integral", fmt::format("{:.10g}", integral[0]));
  report.add("least", least, "values", fmt::format("{:.6g} to {:.6g}", least, most));
  report.add("most", most);
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
