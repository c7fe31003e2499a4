// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche cut`: a quantity on a grid along a line, at a constant height, or on a plane.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string_view>

#include "arguments.hpp"
#include "numbers.hpp"
#include "plane_option.hpp"
#include "report.hpp"
#include "seiche/density_file.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct CutRequest {
  std::string input, line, axis = "c", output;
  std::optional<double> height;
  int points = 101;
  PlaneWords plane;
};

/// Parses "0,0,0", in units of the lattice vectors.
Vector3 point_in(const std::string& line, const std::string& text) {
  Vector3 point{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = take_number(rest);
    if (!value || (i < 2 ? !rest.starts_with(',') : !rest.empty())) {
      refuse("--line " + line + " is not a line: give for example 0,0,0:0.5,0.5,0.5, in units of the lattice vectors");
    }
    point[i] = *value;
    if (i < 2) rest.remove_prefix(1);
  }
  return point;
}

Table line_of(const Density& values, const CutRequest& request) {
  const auto colon = request.line.find(':');
  const std::string first = request.line.substr(0, colon);
  const Vector3 from = point_in(request.line, first);
  const Vector3 to = point_in(request.line, colon == std::string::npos ? "" : request.line.substr(colon + 1));
  return line_cut(values, from, to, request.points);
}

void cut(const Session& session, const CutRequest& request) {
  const bool picture = names_picture(request.output);
  if ((request.line.empty() ? 0 : 1) + (request.height ? 1 : 0) + (picture ? 1 : 0) != 1) {
    refuse(
        "no cut, or several cuts: give one of --line FROM:TO, --height H, and --plane with an output that ends in "
        ".png");
  }
  expect_apart(session, request.output, {request.input});
  if (picture) expect_output(session.comm, request.output);
  const Density values = read_density(session.comm, request.input);
  Report report(session);
  report.add("units", values.units, "units", values.units + ", against position in bohr");
  if (picture) {
    add_picture(report, draw_plane(values, request.plane, request.output));
    report.add("files", std::vector<std::string>{request.output}, "written", request.output);
  } else {
    const Table table =
        request.height ? height_cut(values, static_cast<int>(std::string("abc").find(request.axis)), *request.height)
                       : line_of(values, request);
    if (!request.output.empty()) write_table(session.comm, table, request.output);
    add_table(report, table, request.output);
  }
  report.add("ranks", session.size);
  report.say();
}

}  // namespace

void add_cut(CLI::App& app, Session& session) {
  auto request = std::make_shared<CutRequest>();
  CLI::App* command =
      app.add_subcommand("cut", "cut through a density or potential: along a line, at a height, or on a plane");
  command->add_option("GRID", request->input, "density: a .save, DEN, RHO, .check, .cube, .xsf or .h5")->required();
  command->add_option("--line", request->line,
                      "end points of a line in units of the lattice vectors: 0,0,0:0.5,0.5,0.5");
  command->add_option("--points", request->points, "number of points on the line [101]")->check(CLI::Range(2, 1000000));
  command->add_option("--height", request->height, "height in bohr above the plane of two lattice vectors")
      ->check(finite());
  command->add_option("--axis", request->axis, "lattice vector that is not in the plane of --height: a, b or c [c]")
      ->check(CLI::IsMember({"a", "b", "c"}));
  add_plane(*command, request->plane);
  command->add_option("-o,--output", request->output, "output: a table (.csv), or a picture of a plane (.png)");
  command->callback([request, &session] { cut(session, *request); });
}

}  // namespace seiche::command
