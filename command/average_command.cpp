// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche average`: planar averages of a quantity on a grid.
#include <CLI/CLI.hpp>
#include <optional>

#include "arguments.hpp"
#include "report.hpp"
#include "seiche/averages.hpp"
#include "seiche/density_file.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct AverageRequest {
  std::string input, minus, output, axis = "c";
  std::optional<double> macroscopic;
};

void average(const Session& session, const AverageRequest& request) {
  expect_apart(session, request.output, {request.input, request.minus});
  std::optional<ProgressBar> bar(std::in_place, session, "average", request.minus.empty() ? 2 : 3, "steps");
  const double steps = request.minus.empty() ? 2 : 3;
  Density values = read_density(session.comm, request.input);
  bar->show(1 / steps);
  if (!request.minus.empty()) values = difference(values, read_density(request.minus, values));
  bar->show((steps - 1) / steps);
  Table table = planar_average(values, static_cast<int>(std::string("abc").find(request.axis)));
  if (request.macroscopic) table = macroscopic_average(table, *request.macroscopic);
  bar->show(1);
  bar.reset();
  if (!request.output.empty()) write_table(session.comm, table, request.output);
  Report report(session);
  report.add("units", values.units, "units", values.units + ", against position in bohr");
  add_table(report, table, request.output);
  report.add("ranks", session.size);
  report.say();
}

}  // namespace

void add_average(CLI::App& app, Session& session) {
  auto request = std::make_shared<AverageRequest>();
  CLI::App* command = app.add_subcommand("average", "planar average of a density or potential");
  command->add_option("GRID", request->input, "density: a .save, DEN, .check, .cube, .xsf or .h5")->required();
  command->add_option("--axis", request->axis, "lattice vector along which to average: a, b or c [c]")
      ->check(CLI::IsMember({"a", "b", "c"}));
  command->add_option("--macroscopic", request->macroscopic, "length in bohr of an additional macroscopic average");
  command->add_option("--minus", request->minus, "density to subtract first");
  command->add_option("-o,--output", request->output, "output table (.csv)");
  command->callback([request, &session] { average(session, *request); });
}

}  // namespace seiche::command
