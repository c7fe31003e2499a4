// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads wavefunctions from files to memory.
#include <optional>

#include "comm/equal_arguments.hpp"
#include "files/bands/file_endpoints.hpp"
#include "files/bands/file_ranks.hpp"
#include "files/bands/restart.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/holdings.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// Collective. Starts to read into all parts of `orbitals`, which must outlive it.
void begin_into(Restart& restart, Orbitals& orbitals) {
  auto tasks = tasks_of(orbitals);
  std::vector<OrbitalPart*> parts;
  std::unique_ptr<Endpoint> target;
  together(orbitals.comm, [&] {
    parts = parts_by_task(tasks, std::span(orbitals.parts));
    target = memory_writer(parts);
  });
  restart.begin(std::move(tasks), parts, std::move(target));
}

class StartedRestart final : public StartedCall {
 public:
  /// Collective.
  void begin(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
    start([&] {
      restart_.emplace(orbitals.comm, orbitals.header, WaveFile::Body::of(file).table, options);
      begin_into(*restart_, orbitals);
    });
  }

 private:
  bool advance() override { return restart_->progress(); }
  void complete() override { restart_->complete(); }

  std::optional<Restart> restart_;
};

}  // namespace

Orbitals read_orbitals(const WaveFile& file, const OrbitalLayout& layout, const MoveOptions& options) {
  const Communicator& comm = WaveFile::Body::of(file).comm;
  const WaveTable& table = WaveFile::Body::of(file).table;
  const OrbitalHeader& h = table.header;
  Orbitals orbitals{comm, {}, {}};
  std::vector<MoveTask> tasks;
  together(comm, "read_orbitals", [&](EqualArguments& same) {
    require_fits(layout.grid, comm.size());
    same.add_options(layout).add_options(options);
    orbitals.header = h;
    tasks = all_tasks(h, comm.size());
  });
  const auto nodes = nodes_of(comm);
  const auto me = size_of(comm.rank());
  std::vector<std::optional<OrbitalPart>> parts;
  together(comm, [&] { parts.resize(tasks.size()); });
  for (std::size_t k = 0; k < h.kpoints.size(); ++k) {  // both spins have the same waves
    std::vector<Miller> all;
    if (layout.owners) all = told_plane_waves(comm, table, tasks[k], true);
    bool mine = false;
    together(comm, [&] {
      for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) {
        tasks[t].to = holdings_of(layout, h, tasks[t].k, all);
        tasks[t].from = whole_bands_beside(tasks[t], tasks[t].to, h, nodes, AtFiles::readers);
        mine = mine || !tasks[t].to[me].empty();
      }
    });
    if (!layout.owners) all = told_plane_waves(comm, table, tasks[k], mine);
    together(comm, [&] {
      for (std::size_t t = k; t < tasks.size(); t += h.kpoints.size()) {
        if (!tasks[t].to[me].empty()) parts[t] = part_for(tasks[t], tasks[t].to[me], all);
      }
    });
  }
  std::optional<FileReader> source;
  std::unique_ptr<Endpoint> target;
  together(comm, [&] {
    orbitals.parts = present(std::move(parts));
    source.emplace(table, tasks);
    target = memory_writer(parts_by_task(tasks, std::span(orbitals.parts)));
  });
  carry(comm, tasks, *source, *target, options);
  return orbitals;
}

void read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
  Restart restart(orbitals.comm, orbitals.header, WaveFile::Body::of(file).table, options);
  begin_into(restart, orbitals);
  restart.complete();
}

Pending start_read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
  return started<StartedRestart>(orbitals.comm, [&](auto& call) { call.begin(orbitals, file, options); });
}

}  // namespace seiche
