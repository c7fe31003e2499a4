// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of the sticks of a sphere (waves with equal x and y) over ranks, and the destination of each
/// wave.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fft/sphere/band_groups.hpp"
#include "layout/process_grid.hpp"
#include "seiche/communicator.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// A stick along z. x and y are wrapped to 0 .. n-1. `column` is the index of x among all x that have sticks.
struct Stick {
  std::int32_t x = 0, y = 0, column = 0;
};

/// A value that is sent between the caller's coefficients and a stick. `conjugate`: the stick contains -G, with the
/// complex conjugate of the coefficient of G.
struct Placed {
  std::int64_t wave = 0;  ///< position in the caller's order
  bool conjugate = false;
  bool mirror = false;  ///< second image of a wave of a half sphere; it is not read back
};

/// A value of a stick of this rank. `source` is its index in the caller's coefficients. If values are routed, it is the
/// index in the list of arriving values, in the order of their source ranks. These are conjugated already, and mirror
/// images are sent back like others.
struct Arrival {
  std::int64_t source = 0;
  std::int32_t stick = 0, z = 0;  ///< stick: position among this rank's sticks
  bool conjugate = false, mirror = false;
};

/// If all waves of a stick are on one rank, its member number transforms the stick. Other sticks are assigned to the
/// least loaded members, and their waves are sent there first. Each band group has all sticks, with the same
/// distribution over its members. It receives the waves of its own bands.
struct StickMap {
  std::vector<std::int32_t> columns;             ///< x of each column, ascending
  std::vector<Range> groups;                     ///< columns of each position on the fast axis of the process grid
  std::vector<std::vector<Stick>> sticks;        ///< by member; sorted by column, then y
  std::vector<std::vector<Range>> group_sticks;  ///< by member and group: the member's sticks in the group's columns

  bool routed = false;                                  ///< waves are sent to the ranks of their sticks first
  std::vector<Placed> leaving;                          ///< this rank's values of one band, in the order of members
  std::vector<std::int64_t> leaving_to, arriving_from;  ///< number of values by rank, for one bundle
  std::vector<Arrival> arrivals;                        ///< sorted by stick, then z

  std::size_t bytes() const;  ///< Returns the current memory of the lists.
};

/// Returns an index modulo n, from 0 to n-1.
inline std::int64_t wrapped(std::int64_t index, std::int64_t n) { return ((index % n) + n) % n; }

/// A stick and the member that transforms it.
struct OwnedStick {
  std::int64_t key = 0;  ///< x * ny + y, wrapped
  int member = 0;
};

/// Fills columns, groups, sticks and group_sticks, without communication. `owned`: all sticks, sorted by key. Returns
/// the position of each stick on its member.
std::vector<std::int32_t> arrange_sticks(StickMap& map, const std::vector<OwnedStick>& owned, std::int64_t ny,
                                         const ProcessGrid& grid, int members);

/// Collective. Returns the distribution of sticks. `half`: one wave of each pair G, -G is given. `ranks`: process grid
/// of a band group. \throws Error if a wave does not fit the grid or occurs twice
StickMap map_sticks(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, bool half,
                    const BandGroups& band_groups, const ProcessGrid& ranks);

}  // namespace seiche
