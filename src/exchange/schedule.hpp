// SPDX-License-Identifier: BSD-3-Clause
/// \file  Schedule of pairwise exchanges: pieces, order and number in flight. Depends on routes only, not on MPI.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/form.hpp"
#include "layout/route.hpp"

namespace seiche {

/// Position of a rank among the ranks of an exchange.
struct RankPosition {
  int rank = 0, ranks = 1;
  bool one_node = true;  ///< all ranks are on one node
};

/// Returns the largest number of elements of a message, at least 1. Between nodes, messages are below the eager limit
/// of MPI libraries (64 KiB). A larger message waits for the clear-to-send of its receiver, which queues behind the
/// receiver's own messages. Then both directions of a link alternate instead of being used at the same time.
std::int64_t largest_piece(bool one_node, std::size_t bytes_of_element);

struct Piece {
  int peer;
  std::size_t patch;
  Range part;  ///< elements of the patch in message order
};

/// Pieces of one end of a route. Step s sends to the s-th next rank and receives from the s-th previous one, which
/// balances the load of all ranks.
struct PieceLists {
  bool direct = true;  ///< no message needs a buffer
  std::vector<Piece> out, in;
};

struct Schedule {
  PieceLists source, target;

  Schedule(const RankPosition& position, const Route& route, const Form& form);
};

/// Number of messages of all exchanges in flight together, and the bytes of their buffers.
struct RequestLimits {
  std::size_t buffer_bytes, sends, receives;

  RequestLimits(std::span<const Schedule> parts, const Form& form);
  std::size_t memory() const { return (sends + receives) * buffer_bytes; }
};

}  // namespace seiche
