// SPDX-License-Identifier: BSD-3-Clause
/// \file  Panels: the parts into which a rank cuts its share of a product, and the blocks that travel for each.
#pragma once

#include <memory>
#include <vector>

#include "blocksparse/survey.hpp"
#include "exchange/exchange.hpp"
#include "layout/route.hpp"
#include "support/memory.hpp"

namespace seiche {

/// Along what a rank cuts its share. Where only A or only B travels, by rows or columns of C, so that each block of C
/// is worked on once; else by the inner index. In each case the terms of a block of C are added in the same order.
enum class Axis { rows, columns, inner };

/// Rows, columns (places in the share) and inner blocks of one panel.
struct Panel {
  Range rows, columns, inner;
};

/// A message for each pair of ranks, in bytes of one buffer.
struct Mail {
  std::vector<std::int64_t> offset, count;
};

/// Blocks that leave for one panel: for each receiver in turn.
struct Parcel {
  struct Piece {
    const std::byte* data;
    std::int64_t bytes;
  };
  std::vector<Piece> pieces;
  Mail send, receive;
};

struct Itinerary {
  Axis axis = Axis::inner;
  std::vector<Panel> panels;
  std::vector<Parcel> parcels;  ///< one per panel
  std::int64_t largest_send = 0, largest_receive = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0, bytes_whole_panels = 0, bytes_index = 0;
  double seconds_index = 0;  ///< spent on asking and being asked
};

struct PanelCount {
  int wanted = 0;       ///< 0: by size
  bool coarse = false;  ///< half as many as that
};

/// Collective. Cuts the share into panels, and asks the owners for the blocks.
template <class Value>
Itinerary plan_journey(Survey<Value>& s, const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c,
                       const PanelCount& count);

/// Gives the blocks that come from others their places, each panel's at the target of its exchange.
template <class Value>
void place_arrivals(Survey<Value>& s, const Itinerary& journey, const BlockLayout& c, const BlockSizes& inner_sizes,
                    const std::vector<std::unique_ptr<Exchange>>& exchanges);

/// So many bytes, and a few more, so that values behind them are aligned.
inline std::int64_t room_of(std::int64_t bytes) { return rounded_up<std::int64_t>(bytes, 128); }

/// The way of a parcel, in bytes: its source is what leaves, its target what arrives, with room for the largest
/// parcel.
Route route_of(const Itinerary& journey, const Parcel& parcel);

/// Copies what leaves into a row.
void pack_parcel(const Parcel& parcel, std::byte* into, int threads);

}  // namespace seiche
