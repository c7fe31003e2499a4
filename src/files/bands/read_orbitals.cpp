// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads wavefunctions from files to memory.
#include <algorithm>
#include <optional>

#include "comm/equal_arguments.hpp"
#include "files/bands/file_endpoints.hpp"
#include "files/bands/file_ranks.hpp"
#include "files/quantum_espresso/wfc_file_body.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/holdings.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "seiche/wfc_file.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// Collective. Returns all waves of a task's k-point on the ranks with `wanted`. One rank reads and sends them, because
/// reading the list on hundreds of ranks would take longer than reading the bands. A communicator for each set of ranks
/// would exceed the limit of MPI.
std::vector<Miller> told_plane_waves(const Communicator& comm, const WaveTable& table, const MoveTask& task,
                                     bool wanted) {
  const auto wants = gather_all(comm, wanted ? 1 : 0);
  std::vector<int> members;
  std::vector<Miller> waves;
  const auto fault = fault_of([&] {
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (wants[size_of(rank)] == 1) members.push_back(rank);
    }
    const bool reads = wanted && members.front() == comm.rank();
    waves.resize(size_of(wanted ? table.header.kpoints[size_of(task.k)].plane_waves : 0));
    if (reads) waves = read_plane_waves(table, task.spin, task.k, {0, std::ssize(waves)});
  });
  agree_asleep(comm, fault);
  broadcast_among(comm, members, std::as_writable_bytes(std::span(waves)));
  return waves;
}

/// Whether a part has the expected waves of this list at its positions.
bool has_waves(const OrbitalPart& part, std::span<const Miller> all, std::int64_t count) {
  if (std::ssize(all) != count) return false;
  auto next = part.waves.begin();
  return std::all_of(part.positions.begin(), part.positions.end(), [&](const Range& run) {
    const auto first = next;
    next += run.size();
    return std::equal(all.begin() + run.low, all.begin() + run.high, first);
  });
}

/// A file that is read into existing orbitals, in steps.
class Restart {
 public:
  /// Collective. Checks the file, and starts to read. `orbitals` must outlive it.
  Restart(Orbitals& orbitals, const WaveTable& table, const MoveOptions& options) : comm_(orbitals.comm) {
    const OrbitalHeader &h = orbitals.header, &found = table_.header;
    together(comm_, "read_into", [&](EqualArguments& same) {
      table_ = table;
      options_ = options;
      same.add_options(options);
      require(h.spins == found.spins && h.spinor == found.spinor && h.bands == found.bands &&
                  h.kpoints.size() == found.kpoints.size(),
              Fault::bad_argument,
              "{} has {} spins, {} k-points and {} bands, but {}, {} and {} are requested: use the header of the file",
              found.path, found.spins, found.kpoints.size(), found.bands, h.spins, h.kpoints.size(), h.bands);
    });
    tasks_ = tasks_of(orbitals);
    const auto nodes = nodes_of(comm_);
    std::vector<OrbitalPart*> parts;
    together(comm_, [&] {
      for (MoveTask& task : tasks_) {
        task.to = task.from;
        task.from = whole_bands_beside(task, task.to, h, nodes, AtFiles::readers);
      }
      parts = parts_by_task(tasks_, std::span(orbitals.parts));
      source_.emplace(table_, tasks_);
      target_ = memory_writer(parts);
    });
    require_waves(h.kpoints, parts);
    carrier_.emplace(comm_, tasks_, *source_, *target_, options_);
    carrier_->begin();
  }
  Restart(const Restart&) = delete;
  Restart& operator=(const Restart&) = delete;

  bool progress() { return carrier_->progress(); }  ///< Local.
  void complete() { carrier_->complete(); }         ///< Collective.

 private:
  /// Collective. Checks that the parts have the waves of the file. `parts` has one entry per task.
  void require_waves(const std::vector<KPoint>& kpoints, const std::vector<OrbitalPart*>& parts) {
    for (std::size_t k = 0; k < kpoints.size(); ++k) {
      bool mine = false;
      for (std::size_t t = k; t < tasks_.size(); t += kpoints.size()) mine = mine || parts[t] != nullptr;
      const auto all = told_plane_waves(comm_, table_, tasks_[k], mine);
      together(comm_, [&] {
        for (std::size_t t = k; t < tasks_.size(); t += kpoints.size()) {
          require(!parts[t] || has_waves(*parts[t], all, kpoints[k].plane_waves), Fault::bad_argument,
                  "{}: k-point {} has other waves or another order of waves: use read_orbitals", table_.header.path,
                  k + 1);
        }
      });
    }
  }

  Communicator comm_;
  WaveTable table_;  // a copy, so that the file may be closed
  MoveOptions options_;
  std::vector<MoveTask> tasks_;
  std::optional<FileReader> source_;
  std::unique_ptr<Endpoint> target_;
  std::optional<Carrier> carrier_;
};

class StartedRestart final : public StartedCall {
 public:
  /// Collective.
  void begin(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
    start([&] { restart_.emplace(orbitals, WaveFile::Body::of(file).table, options); });
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
  Restart(orbitals, WaveFile::Body::of(file).table, options).complete();
}

void read_wfc_into(Orbitals& orbitals, const std::string& path, const MoveOptions& options) {
  together(orbitals.comm, "read_wfc_into", [&](EqualArguments& same) {
    same.add("path", path);
    require_one_kpoint(orbitals);
  });
  WaveTable table;
  found_by_root(orbitals.comm, table, [&] {
    table.header = orbitals.header;
    table.header.path = path;
    table.blocks = {locate_wfc(path, table.header)};
  });
  Restart(orbitals, table, options).complete();
}

Pending start_read_into(Orbitals& orbitals, const WaveFile& file, const MoveOptions& options) {
  return started<StartedRestart>(orbitals.comm, [&](auto& call) { call.begin(orbitals, file, options); });
}

}  // namespace seiche
