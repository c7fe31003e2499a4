// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche expand`: expands wavefunctions to the full zone.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/wavefile.hpp"
#include "transfer.hpp"

namespace seiche::command {
namespace {

struct ExpandRequest : Transfer {
  std::string operations = "file";
  bool as_they_are = false;
};

std::vector<SymmetryOperation> operations_for(const OrbitalHeader& header, const std::string& from) {
  const auto& listed = header.crystal.operations;
  if (from == "file" && !listed.empty()) return listed;
  if (header.crystal.atoms.empty()) {
    refuse(header.path + ": has neither operations nor atoms to find them: give the POSCAR of the same run (--atoms)");
  }
  if (header.magnetism != Magnetism::none) {
    refuse(header.path + ": is magnetic, but spglib ignores magnetic order: use a file that lists its operations");
  }
  return find_operations(header.crystal);
}

/// Returns the memory for expansion in memory: the average over an operation needs seven copies of the bands, including
/// the sum and the images in transit; afterwards the bands and the full zone.
std::int64_t held_by_expansion(const Session& session, const OrbitalHeader& header, const KStarMap& zone) {
  const std::int64_t bands = block_share_of(amount_of(header), session);
  return std::max(7 * bands, bands + block_share_of(amount_of(zone.header), session));
}

struct Expansion {
  const KStarMap& zone;
  const std::vector<SymmetryOperation>& operations;
};

/// Reads, symmetrizes, maps and writes the bands.
void expand_through_memory(Stages& stages, const WaveFile& file, const ExpandRequest& request, const Expansion& by) {
  const Session& session = stages.session();
  const MoveOptions options =
      options_of(request, memory_left(session, request.memory, held_by_expansion(session, file.header(), by.zone)));
  std::optional<Orbitals> bands = read(stages, file, options);
  {
    ProgressBar bar(session, "symmetrise", bands_in(file.header()), "bands");
    bands = stages("symmetrise", [&] { return symmetric_bands(*bands, by.operations, shown(options, bar)); });
  }
  const Orbitals full = stages("map", [&] { return mapped(*bands, by.zone); });
  bands.reset();
  write(stages, full, request, options);
}

void expand(const Session& session, const ExpandRequest& request) {
  Stages stages(session);
  Report report(session);
  expect_apart(session, request.output, {request.input});
  WaveFile file = open_waves(session, request.input, request.beside);
  const OrbitalHeader& header = file.header();
  if (!header.weighted) {
    refuse(header.path +
           ": has no weights of k-points, which the full zone needs: give the IBZKPT or vasprun.xml of the same run "
           "(--kpoints)");
  }
  const auto operations = operations_for(header, request.operations);
  const KStarMap zone = full_zone(header, operations);
  add_losses(report, zone.header, request);
  const bool symmetrise =
      !request.as_they_are && header.norm_conserving == NormConserving::yes && operations.size() > 1;
  if (symmetrise) {
    expand_through_memory(stages, file, request, {zone, operations});
  } else {
    ProgressBar bar(session, "expand", bands_in(zone.header), "bands");
    const MoveOptions options = shown(options_of(request, memory_left(session, request.memory)), bar);
    stages("expand", [&] { return seiche::expand(file, zone, request.output, request.format, options), true; });
  }

  const std::size_t before = header.kpoints.size(), after = zone.header.kpoints.size();
  report.add("operations", operations.size(), "operations", fmt::format("{}", operations.size()));
  report.add("kpoints_before", before);
  report.add("kpoints", after, "k-points", fmt::format("{} -> {}", before, after));
  report.add("made_symmetric", symmetrise);
  finish(report, stages, request, zone.header);
}

}  // namespace

void add_expand(CLI::App& app, Session& session) {
  auto full = std::make_shared<ExpandRequest>();
  CLI::App* command = app.add_subcommand("expand", "expansion of irreducible k-points to the full zone by symmetry");
  add_transfer(*command, *full);
  command->add_option("--operations", full->operations, "symmetry operations: from the file, or from spglib [file]")
      ->check(CLI::IsMember({"file", "spglib"}));
  command->add_flag("--as-they-are", full->as_they_are, "no symmetrization of bands under the group of their k-point");
  command->callback([full, &session] { expand(session, *full); });
}

}  // namespace seiche::command
