// SPDX-License-Identifier: BSD-3-Clause
/// \file  What goes when in pairwise exchanges, and how much of it at once: told by their routes alone. Knows no MPI.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/form.hpp"
#include "layout/route.hpp"

namespace seiche {

/// A rank among those that exchange.
struct Seat {
  int rank = 0, ranks = 1;
  bool one_node = true;  ///< all of them share one
};

struct Piece {
  int peer;
  std::size_t patch;
  Range part;  ///< elements of the patch, in the order in which messages carry them
};

/// One end of the route as pieces. Step s sends to the s-th next rank and receives from the s-th previous one, so no
/// rank is flooded.
struct PieceLists {
  bool direct = true;  ///< every message lies in memory as it travels
  std::vector<Piece> out, in;
};

struct Schedule {
  PieceLists source, target;

  Schedule(const Seat& seat, const Route& route, const Form& form);
};

/// How many messages of exchanges may be in flight together, and the bytes that each needs beside the ends.
struct LaneSizes {
  std::size_t buffer_bytes, sends, receives;

  LaneSizes(std::span<const Schedule> parts, const Form& form);
  std::size_t memory() const { return (sends + receives) * buffer_bytes; }
};

}  // namespace seiche
