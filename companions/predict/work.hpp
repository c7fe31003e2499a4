// SPDX-License-Identifier: BSD-3-Clause
/// \file  What each rank of a node has to do for one unit of a case: lines, copies, bytes and messages, counted in the
/// library's own layouts, routes and schedules. Knows no MPI and no machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "seiche/fft.hpp"

namespace seiche::predict {

/// Bytes of one value: predictions are for complex doubles.
inline constexpr std::int64_t element_size = 2 * sizeof(double);
/// Returns the bytes of so many values.
inline double bytes_of_elements(std::int64_t elements) { return static_cast<double>(elements * element_size); }

/// Where ranks are: neighbouring ones share a node.
struct Where {
  int ranks = 1, nodes = 1;
  int filled = 0;  ///< ranks of every node but the last; 0: nodes have nearly equal numbers
  int node_of(int rank) const { return filled > 0 ? rank / filled : block_owner(ranks, nodes, rank); }
  /// Those of the first node, which has as many as any.
  int ranks_of_node() const {
    return filled > 0 ? std::min(filled, ranks) : static_cast<int>(block(ranks, nodes, 0).size());
  }
};
/// Nodes with so many ranks each, one after another.
Where filled_nodes(int ranks, int each);
/// \throws Error unless every node has a rank
void require_sound(const Where& where);

/// Lines of a grid of n points each.
struct LinesOf {
  std::int64_t n = 0;
  double operations = 0;  ///< 5 n log2 n for each line, half of that for real ones
  bool columns = false;   ///< points are a row or a plane apart
  double footprint = 0;   ///< bytes of this rank's memory that they run through
  double apart = 0;       ///< the share of them that no exchange of the same unit goes on beside
};

/// Bytes that are packed, unpacked, gathered or put somewhere else, of memory of this size.
struct CopiesOf {
  double bytes = 0, footprint = 0;
  double apart = 0;  ///< as of lines
};

/// What goes from a rank to others.
struct Sent {
  double bytes = 0, messages = 0;
};

/// Of one rank, for one unit: a pair of transforms, a bundle of bands there and back.
struct Work {
  std::vector<LinesOf> lines;
  std::vector<CopiesOf> copies;
  Sent inside, between;         ///< to ranks of the same node, and of others
  double exchanges = 0;         ///< that follow each other, so that somebody waits for a first message of each
  double signals = 0;           ///< the same where neighbours work on each other's memory and only a signal passes
  std::int64_t memory = 0;      ///< bytes that the plan takes
  std::int64_t bytes_sent = 0;  ///< in one of the two directions, as the plan reports it
};

/// The work of the ranks of the first node.
struct NodeWork {
  std::vector<Work> ranks;
  double units = 1;       ///< of the case that one unit of work brings: bands in a bundle
  FftOptions settings;    ///< what the options come to: nothing in it is automatic
  int agreements = 0;     ///< of all ranks, one after another, in a unit (not of those once in a call)
  bool in_place = false;  ///< nothing travels
};

/// A pair of transforms of a dense grid. \throws Error for what these ranks cannot do
NodeWork work_of_pair(const GridShape& shape, bool real, const Where& where, const FftOptions& asked);

/// A round trip of one bundle of bands: waves |G| <= radius of a cubic list, times V.
NodeWork work_of_band(const GridShape& shape, double radius, const Where& where, const FftOptions& asked);

}  // namespace seiche::predict
