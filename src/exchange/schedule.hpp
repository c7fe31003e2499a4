// SPDX-License-Identifier: BSD-3-Clause
/// \file  What goes when in a pairwise exchange, and how much of it at once: told by the route alone. Knows no MPI.
#pragma once

#include <cstddef>
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
  std::int64_t piece;  ///< elements, at most
  PieceLists source, target;
  std::size_t buffer_bytes, sends, receives;  ///< in flight at most, and the bytes that each needs beside the ends

  Schedule(const Seat& seat, const Route& route, const Form& form);
  /// Bytes beside the ends.
  std::size_t memory() const { return (sends + receives) * buffer_bytes; }
};

}  // namespace seiche
