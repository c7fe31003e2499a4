// SPDX-License-Identifier: BSD-3-Clause
/// \file  The blocks that are sent for each panel of a product, with their sources and targets.
#pragma once

#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/product/panels.hpp"

namespace seiche {

/// The blocks that are sent for one panel, by target, and the messages that are sent and received.
struct Parcel {
  struct Piece {
    const std::byte* data;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces;
  MessageTable send, receive;
};

struct CommunicationPlan {
  Panels panels;
  std::vector<Parcel> parcels;  ///< one per panel
  std::int64_t largest_send = 0, largest_receive = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0, bytes_whole_panels = 0, bytes_index = 0;
  double seconds_index = 0;  ///< time of requests
};

/// Collective. Cuts the share into panels, and requests the blocks from their owners. \param fault of this rank in the
/// steps before. \throws the error of any rank
template <class Value>
CommunicationPlan plan_communication(const IndexExchange<Value>& index, const BlockMatrix<Value>& a,
                                     const BlockMatrix<Value>& b, const PanelCount& count,
                                     const std::optional<Error>& fault);

/// Assigns positions to blocks from other ranks: the blocks of each panel are consecutive from arrivals(panel, source).
template <class Value>
void place_arrivals(IndexExchange<Value>& index, const CommunicationPlan& plan,
                    const std::function<std::byte*(std::int64_t panel, int source)>& arrivals);

/// Copies the sent blocks to the contiguous send buffer.
void pack_parcel(const Parcel& parcel, std::byte* into, int threads);

}  // namespace seiche
