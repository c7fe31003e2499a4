// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who transforms which stick (the waves of equal x and y) of a distributed sphere, and where each wave goes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fft/sphere/band_groups.hpp"
#include "layout/process_grid.hpp"
#include "seiche/communicator.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// A line along z. x and y are wrapped to 0 .. n-1; `column` counts the different x that any stick has.
struct Stick {
  std::int32_t x = 0, y = 0, column = 0;
};

/// A wave on its way between the caller's order and a stick. A conjugate is c(-G) standing for c(G).
struct Placed {
  std::int64_t wave = 0;  ///< position in the caller's order
  bool conjugate = false;
  bool mirror = false;  ///< a second image of a wave of a half sphere: goes to the stick, never comes back
};

/// A value of a stick of this rank: from element `source` of the caller's waves, or, where values are routed, of the
/// list that arrives (already conjugated then, and mirrors are sent back like the others).
struct Arrival {
  std::int64_t source = 0;
  std::int32_t stick = 0, z = 0;  ///< stick: position among this rank's
  bool conjugate = false, mirror = false;
};

/// Sticks that one rank owns are its own to transform as they are. Sticks that several ranks hold parts of are given
/// to the least loaded ranks, and their waves sent there first. Where ranks are divided into band groups, each group
/// has all sticks, shared out among its members in the same way, and gets the waves of its own bands.
struct StickMap {
  std::vector<std::int32_t> columns;             ///< x of each column, ascending
  std::vector<Range> groups;                     ///< columns of each member of the fast axis of the process grid
  std::vector<std::vector<Stick>> sticks;        ///< by member; each sorted by column, then y
  std::vector<std::vector<Range>> group_sticks;  ///< by member and group: its sticks whose columns are the group's

  bool routed = false;          ///< whether waves have to be sent to their sticks' ranks first
  std::vector<Placed> leaving;  ///< this rank's values of one band in the order they leave, by member
  std::vector<std::int64_t> leaving_to, arriving_from;  ///< number of values by rank, one band for each band group
  std::vector<Arrival> arrivals;  ///< sorted by stick; `source` counts the arriving values by rank of origin

  std::size_t bytes() const;  ///< of the lists, as long as they are now
};

/// An index around zero as one from zero on.
inline std::int64_t wrapped(std::int64_t index, std::int64_t n) { return ((index % n) + n) % n; }

/// Fills columns, groups, sticks and group_sticks. `owner`: the member of each stick, by x * ny + y (wrapped). Knows no
/// MPI. \return each stick's position on its member
std::map<std::int64_t, std::int32_t> arrange_sticks(StickMap& map, const std::map<std::int64_t, int>& owner,
                                                    std::int64_t ny, const ProcessGrid& grid, int members);

/// Collective. \throws Error when a wave does not fit the grid or is given twice. `half`: of each pair G, -G one is
/// given. `ranks`: how the members of a band group share the grid.
StickMap map_sticks(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, bool half,
                    const BandGroups& band_groups, const ProcessGrid& ranks);

}  // namespace seiche
