// SPDX-License-Identifier: BSD-3-Clause
/// \file  What `seiche profile --advise` has replayed, as text: written by the report, read on the program's ranks.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <vector>

#include "seiche/error.hpp"

namespace seiche::profile {

constexpr const char* as_mpi_does = "as it is";

/// An all-to-all of some ranks.
struct Group {
  std::vector<int> ranks;           ///< of the world, in the communicator's order
  std::vector<double> late;         ///< seconds that each comes after the first
  std::vector<std::int64_t> bytes;  ///< [from][to]
};

/// All-to-alls that groups without common ranks do at the same time.
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

/// \throws Error where it is none, or of more ranks than there are
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
