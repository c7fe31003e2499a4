// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which ranks read and write files for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// How many ranks of a node handle files: few large streams are faster than many, and writers of one file wait for each
/// other. Measured: docs/performance/files.md.
enum class AtFiles : std::size_t { readers = 2, writers = 1 };

std::vector<std::size_t> all_ranks(const Communicator& comm);

/// Collective. The node of each rank, by a number of its own.
std::vector<std::int64_t> nodes_of(const Communicator& comm);

/// Those of `ranks` that do it.
std::vector<std::size_t> file_ranks(const std::vector<std::size_t>& ranks, const std::vector<std::int64_t>& nodes,
                                    AtFiles most);

}  // namespace seiche
