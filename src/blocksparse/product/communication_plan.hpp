// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which blocks travel for each panel of a product, from whom and to whom.
#pragma once

#include "blocksparse/matrix/messages.hpp"
#include "blocksparse/product/panels.hpp"

namespace seiche {

/// Blocks that leave for one panel, for each receiver in turn, and the messages that carry them and those that come.
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
  double seconds_index = 0;  ///< spent on asking and being asked
};

/// Collective. Cuts the share into panels, and asks the owners for the blocks.
template <class Value>
CommunicationPlan plan_communication(const IndexExchange<Value>& index, const BlockMatrix<Value>& a,
                                     const BlockMatrix<Value>& b, const PanelCount& count);

/// Gives the blocks that come from others their places: each panel's behind one another from arrivals(panel, source).
template <class Value>
void place_arrivals(IndexExchange<Value>& index, const CommunicationPlan& plan,
                    const std::function<std::byte*(std::int64_t panel, int source)>& arrivals);

/// Copies what leaves to where it leaves from, contiguous.
void pack_parcel(const Parcel& parcel, std::byte* into, int threads);

}  // namespace seiche
