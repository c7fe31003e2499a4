// SPDX-License-Identifier: BSD-3-Clause
/// \file  The plan of the replay for `seiche profile --advise`, as text: written by the report, read on the ranks of
/// the program.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <vector>

#include "seiche/error.hpp"

namespace seiche::profile {

constexpr const char* as_mpi_does = "as it is";

/// An all-to-all of a group of ranks.
struct Group {
  std::vector<int> ranks;           ///< world ranks, in the order of the communicator
  std::vector<double> late;         ///< delay of each rank after the first, in seconds
  std::vector<std::int64_t> bytes;  ///< [from][to]
};

/// Concurrent all-to-alls of groups without common ranks.
using Batch = std::vector<Group>;

inline void write_plan(std::ostream& out, const std::vector<Batch>& plan) {
  out << plan.size() << "\n";
  for (const Batch& batch : plan) {
    out << batch.size() << "\n";
    for (const Group& group : batch) {
      out << group.ranks.size() << "\n";
      for (const int rank : group.ranks) out << rank << " ";
      for (const double late : group.late) out << late << " ";
      for (const std::int64_t bytes : group.bytes) out << bytes << " ";
      out << "\n";
    }
  }
}

/// \throws Error if it is not a plan, or has more ranks than available
inline std::vector<Batch> read_plan(std::istream& in, int ranks) {
  const auto count = [&](std::size_t most) {
    std::size_t n = 0;
    if (!(in >> n) || n > most) throw Error(Fault::bad_file, "not a plan of exchanges for these ranks");
    return n;
  };
  std::vector<Batch> plan(count(1000));
  for (Batch& batch : plan) {
    batch.resize(count(static_cast<std::size_t>(ranks)));
    for (Group& group : batch) {
      const std::size_t size = count(static_cast<std::size_t>(ranks));
      group.ranks.resize(size);
      group.late.resize(size);
      group.bytes.resize(size * size);
      for (int& rank : group.ranks) rank = static_cast<int>(count(static_cast<std::size_t>(ranks - 1)));
      for (double& late : group.late) in >> late;
      for (std::int64_t& bytes : group.bytes) in >> bytes;
      if (!in) throw Error(Fault::bad_file, "the plan of exchanges is truncated");
    }
  }
  return plan;
}

}  // namespace seiche::profile
