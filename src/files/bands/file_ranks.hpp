// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selects the ranks that read and write files for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace seiche
