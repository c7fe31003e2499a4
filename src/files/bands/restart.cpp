// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/restart.hpp"

#include <algorithm>

#include "comm/equal_arguments.hpp"
#include "files/bands/file_ranks.hpp"
#include "interface/orbitals_members.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

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

}  // namespace

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

Restart::Restart(const Communicator& comm, const OrbitalHeader& h, const WaveTable& table, const MoveOptions& options)
    : comm_(comm) {
  together(comm_, "read_into", [&](EqualArguments& same) {
    table_ = table;
    options_ = options;
    same.add_options(options);
    const OrbitalHeader& found = table_.header;
    require(h.spins == found.spins && h.spinor == found.spinor && h.bands == found.bands &&
                h.kpoints.size() == found.kpoints.size(),
            Fault::bad_argument,
            "{} has {} spins, {} k-points and {} bands, but {}, {} and {} are requested: use the header of the file",
            found.path, found.spins, found.kpoints.size(), found.bands, h.spins, h.kpoints.size(), h.bands);
  });
}

void Restart::begin(std::vector<MoveTask> tasks, const std::vector<OrbitalPart*>& parts,
                    std::unique_ptr<Endpoint> target) {
  tasks_ = std::move(tasks);
  target_ = std::move(target);
  const auto nodes = nodes_of(comm_);
  together(comm_, [&] {
    for (MoveTask& task : tasks_) {
      task.to = task.from;
      task.from = whole_bands_beside(task, task.to, table_.header, nodes, AtFiles::readers);
    }
    source_.emplace(table_, tasks_);
  });
  require_waves(parts);
  carrier_.emplace(comm_, tasks_, *source_, *target_, options_);
  carrier_->begin();
}

/// Collective. Checks that the parts have the waves of the file.
void Restart::require_waves(const std::vector<OrbitalPart*>& parts) {
  const std::size_t kpoints = table_.header.kpoints.size();
  for (std::size_t k = 0; k < kpoints; ++k) {
    bool mine = false;
    for (std::size_t t = k; t < tasks_.size(); t += kpoints) mine = mine || parts[t] != nullptr;
    const auto all = told_plane_waves(comm_, table_, tasks_[k], mine);
    together(comm_, [&] {
      for (std::size_t t = k; t < tasks_.size(); t += kpoints) {
        require(!parts[t] || has_waves(*parts[t], all, table_.header.kpoints[k].plane_waves), Fault::bad_argument,
                "{}: k-point {} has other waves or another order of waves: use read_orbitals", table_.header.path,
                k + 1);
      }
    });
  }
}

}  // namespace seiche
