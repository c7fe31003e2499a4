// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/needs.hpp"

namespace seiche {

namespace {

template <class Value>
std::int64_t listed(const Listing<Value>& l) {
  return bytes_of(l.start) + bytes_of(l.index) + bytes_of(l.norm) + bytes_of(l.source) + bytes_of(l.ordinal) +
         bytes_of(l.data) + bytes_of(l.needed);
}

/// What the plans themselves hold.
template <class Value>
std::int64_t held(const Plans<Value>& p) {
  const Share& share = p.survey.share;
  std::int64_t bytes = listed(p.survey.a) + listed(p.survey.b) + bytes_of(p.survey.told_a) + bytes_of(p.survey.told_b) +
                       bytes_of(share.rows) + bytes_of(share.columns) + bytes_of(share.row_at) +
                       bytes_of(share.column_at);
  bytes += bytes_of(p.forecast.start) + bytes_of(p.forecast.columns) + bytes_of(p.forecast.row_operations) +
           bytes_of(p.forecast.row_eps);
  for (const Parcel& parcel : p.journey.parcels) {
    bytes += bytes_of(parcel.pieces) + bytes_of(parcel.send.offset) + bytes_of(parcel.send.count) +
             bytes_of(parcel.receive.offset) + bytes_of(parcel.receive.count);
  }
  bytes += bytes_of(p.grown.start) + bytes_of(p.grown.columns) + bytes_of(p.grown.offset);
  return bytes + bytes_of(p.mail.arriving) + bytes_of(p.mail.blocks);
}

/// Lists that passed between ranks while the plans were made: at most so many bytes for each block told of or asked
/// for.
template <class Value>
std::int64_t passed(const Plans<Value>& p) {
  constexpr std::int64_t per_block = 36;
  std::int64_t blocks = static_cast<std::int64_t>(p.survey.a.index.size() + p.survey.b.index.size());
  for (const auto* told : {&p.survey.told_a, &p.survey.told_b}) {
    for (const auto& list : *told) blocks += static_cast<std::int64_t>(list.size());
  }
  return per_block * blocks;
}

/// What exchanges keep for each panel: routes and pieces of messages.
template <class Value>
std::int64_t exchanges(const Plans<Value>& p) {
  constexpr std::int64_t per_rank = 1024, per_piece = 128, piece = 60 * 1024;
  const auto panels = static_cast<std::int64_t>(p.journey.panels.size());
  const auto ranks = static_cast<std::int64_t>(p.survey.told_a.size());
  if (p.slots == 0) return 0;
  return panels * (ranks + 4) * per_rank + (p.journey.bytes_sent + p.journey.bytes_received) / piece * per_piece;
}

/// What the threads keep to list the products of a row.
template <class Value>
std::int64_t working(const Plans<Value>& p) {
  constexpr std::int64_t per_product = 2 * 24;  // such lists may have twice the room that they need
  const auto columns = static_cast<std::int64_t>(p.survey.share.columns.size());
  return p.threads * (p.forecast.most_products * per_product + columns * 8);
}

}  // namespace

template <class Value>
std::int64_t memory_of(const Plans<Value>& p) {
  constexpr std::int64_t fixed = 64 * 1024;  // kernels, kinds of blocks, what does not grow
  const std::int64_t whole = bytes_taken(p.elements * static_cast<std::int64_t>(sizeof(Value)));
  const std::int64_t slots =
      p.slots * (room_of(p.journey.largest_send) + (p.zero_copy ? 0 : room_of(p.journey.largest_receive)));
  std::int64_t values = whole + exchanges(p) + working(p);
  if (p.layers > 1) {
    std::int64_t out = 0, in = 0;
    for (const std::int64_t bytes : p.mail.out) out += bytes;
    for (const std::int64_t bytes : p.mail.in) in += bytes;
    // what has been given back may be kept for others meanwhile
    values = std::max(values, whole + in + std::max(out, bytes_taken(p.mail.result_bytes)));
  }
  const auto blocks = static_cast<std::int64_t>(p.grown.columns.size());
  constexpr std::int64_t per_block = 1 + 4 + 4 + 4;  // whether filled, norm, column, norm once more to filter by
  const auto rows = static_cast<std::int64_t>(p.survey.share.row_at.size() + p.survey.share.column_at.size());
  constexpr std::int64_t per_row = 64;
  return held(p) + std::max(passed(p), values + slots + blocks * per_block) + rows * per_row + fixed;
}

template std::int64_t memory_of(const Plans<float>&);
template std::int64_t memory_of(const Plans<double>&);
template std::int64_t memory_of(const Plans<std::complex<float>>&);
template std::int64_t memory_of(const Plans<std::complex<double>>&);

}  // namespace seiche
