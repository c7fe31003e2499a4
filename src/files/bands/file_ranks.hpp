// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selects the ranks that read and write files for the others, and their bands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orbitals/redistribution.hpp"
#include "seiche/communicator.hpp"

namespace seiche {

/// The number of ranks of a node with access to files: few large streams are faster than many, and writers of one file
/// wait for each other. Measurements: docs/history/performance/files.md.
enum class AtFiles : std::size_t { readers = 2, writers = 1 };

std::vector<std::size_t> all_ranks(const Communicator& comm);

/// Collective. Returns the node of each rank, as a number.
std::vector<std::int64_t> nodes_of(const Communicator& comm);

/// Returns the selected ones of `ranks`.
std::vector<std::size_t> file_ranks(const std::vector<std::size_t>& ranks, const std::vector<std::int64_t>& nodes,
                                    AtFiles most);

/// Returns a task for each spin and k-point, which no rank holds.
std::vector<MoveTask> all_tasks(const OrbitalHeader& h, int ranks);

/// Returns whole bands, distributed over `ranks`. Each task starts with another rank, so that a few bands use many
/// ranks.
std::vector<Holding> whole_bands(const MoveTask& task, const std::vector<std::size_t>& ranks, const OrbitalHeader& h);

/// Returns whole bands on some of the ranks that hold the task at the other endpoint.
std::vector<Holding> whole_bands_beside(const MoveTask& task, const std::vector<Holding>& other, const OrbitalHeader& h,
                                        const std::vector<std::int64_t>& nodes, AtFiles most);

}  // namespace seiche
