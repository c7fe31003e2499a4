// SPDX-License-Identifier: BSD-3-Clause
/// \file  The work of each rank of a node for one unit of a case: 1D FFTs, copies, bytes and messages, from the
/// layouts, routes and schedules of the library. Independent of MPI and of the machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "seiche/fft.hpp"

namespace seiche::predict {

/// Bytes of one value: predictions are for complex doubles.
inline constexpr std::int64_t element_size = 2 * sizeof(double);
/// Returns the bytes of a number of values.
inline double bytes_of_elements(std::int64_t elements) { return static_cast<double>(elements * element_size); }

/// The distribution of ranks over nodes: consecutive ranks share a node.
struct Where {
  int ranks = 1, nodes = 1;
  int filled = 0;  ///< ranks of every node but the last; 0: nearly equal numbers per node
  int node_of(int rank) const { return filled > 0 ? rank / filled : block_owner(ranks, nodes, rank); }
  /// Returns the number of ranks of the first node, which is the largest.
  int ranks_of_node() const {
    return filled > 0 ? std::min(filled, ranks) : static_cast<int>(block(ranks, nodes, 0).size());
  }
};
/// Returns nodes with `each` ranks each, in order.
Where filled_nodes(int ranks, int each);
/// \throws Error unless every node has a rank
void require_sound(const Where& where);

/// 1D FFTs of n points each.
struct LinesOf {
  std::int64_t n = 0;
  double operations = 0;  ///< 5 n log2 n per 1D FFT, half of it for real ones
  bool columns = false;   ///< points at the distance of a row or a plane
  double footprint = 0;   ///< bytes of this rank's memory that they access
  double apart = 0;       ///< the share of them without a concurrent exchange of the same unit
};

/// Bytes that are packed, unpacked, gathered or scattered, in memory of this size.
struct CopiesOf {
  double bytes = 0, footprint = 0;
  double apart = 0;  ///< as in LinesOf
};

/// Messages from a rank to others.
struct Sent {
  double bytes = 0, messages = 0;
};

/// The work of one rank for one unit: a pair of transforms, or the round trip of a bundle of bands.
struct Work {
  std::vector<LinesOf> lines;
  std::vector<CopiesOf> copies;
  Sent inside, between;         ///< to ranks of the same node, and to other nodes
  double exchanges = 0;         ///< consecutive exchanges, each with the latency of a first message
  double signals = 0;           ///< consecutive signals between ranks that access each other's memory
  std::int64_t memory = 0;      ///< bytes of the plan
  std::int64_t bytes_sent = 0;  ///< in one direction, as reported by the plan
};

/// The work of the ranks of the first node.
struct NodeWork {
  std::vector<Work> ranks;
  double units = 1;       ///< units of the case per unit of work: bands in a bundle
  FftOptions settings;    ///< resolved options without automatic values
  int agreements = 0;     ///< of all ranks, consecutive, per unit (without those once per call)
  bool in_place = false;  ///< nothing is sent
};

/// Returns the work of a pair of transforms of a dense grid. \throws Error for options that these ranks cannot use
NodeWork work_of_pair(const GridShape& shape, bool real, const Where& where, const FftOptions& asked);

/// Returns the work of the round trip of one bundle of bands: waves |G| <= radius of a cubic lattice, times V.
NodeWork work_of_band(const GridShape& shape, double radius, const Where& where, const FftOptions& asked);

}  // namespace seiche::predict
