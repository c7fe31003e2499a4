// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/product_plan.hpp"

namespace seiche {

namespace {

template <class Value>
std::int64_t held_by(const OperandIndex<Value>& index) {
  return bytes_of(index.blocks) + bytes_of(index.norm) + bytes_of(index.source) + bytes_of(index.ordinal) +
         bytes_of(index.data) + bytes_of(index.needed) + bytes_of(index.told);
}

std::int64_t held_by(const Share& share) {
  return bytes_of(share.rows) + bytes_of(share.columns) + bytes_of(share.row_at) + bytes_of(share.column_at) +
         bytes_of(share.row_sizes) + bytes_of(share.column_sizes) + bytes_of(share.inner_sizes);
}

std::int64_t held_by(const CommunicationPlan& plan) {
  std::int64_t bytes = bytes_of(plan.panels.all) + bytes_of(plan.panels.panel_at);
  for (const Parcel& parcel : plan.parcels)
    bytes += bytes_of(parcel.pieces) + bytes_of(parcel.arrivals) + bytes_of(parcel.send) + bytes_of(parcel.receive);
  return bytes;
}

/// Returns an upper bound of the lists exchanged while the plan was created: bytes per announced or requested block.
template <class Value>
std::int64_t passed(const ProductPlan<Value>& p) {
  constexpr std::int64_t per_block = 36;
  std::int64_t blocks = p.index.a.blocks.entries() + p.index.b.blocks.entries();
  for (const auto* index : {&p.index.a, &p.index.b}) {
    for (const auto& list : index->told) blocks += std::ssize(list);
  }
  return per_block * blocks;
}

/// Returns the memory of the exchanges of all panels: routes and pieces of messages.
template <class Value>
std::int64_t exchanges(const ProductPlan<Value>& p) {
  constexpr std::int64_t per_rank = 1024, per_piece = 128, piece = 60 * 1024;
  if (p.slots == 0) return 0;
  const CommunicationPlan& c = p.communication;
  return c.panels.count() * (std::ssize(p.index.a.told) + 4) * per_rank +
         (c.bytes_sent + c.bytes_received) / piece * per_piece;
}

/// Returns the memory of the threads for lists of products of a group of rows.
template <class Value>
std::int64_t working(const ProductPlan<Value>& p, int threads) {
  constexpr std::int64_t per_product = 2 * 24;  // such lists may have twice the required capacity
  const auto columns = std::ssize(p.index.share.columns);
  const std::int64_t products = std::min(p.symbolic.most_products, p.order.inner * columns);
  return threads * (p.order.rows * (products * per_product + columns * 4) + columns * 4);
}

/// Returns the memory of the values of C, and of the sum over layers.
template <class Value>
std::int64_t of_values(const ProductPlan<Value>& p, int threads) {
  const std::int64_t whole = bytes_taken(p.accumulator.elements * sizeof(Value));
  const std::int64_t while_working = whole + exchanges(p) + working(p, threads);
  if (p.groups.layers() == 1) return while_working;
  // released memory may be kept for other matrices
  return std::max(while_working, whole + p.layers.values.in.total +
                                     std::max(p.layers.values.out.total, bytes_taken(p.layers.result_bytes)));
}

}  // namespace

template <class Value>
std::int64_t held_by(const ProductPlan<Value>& p) {
  return held_by(p.index.a) + held_by(p.index.b) + held_by(p.index.share) + bytes_of(p.index.row_blocks) +
         bytes_of(p.symbolic.blocks) + bytes_of(p.symbolic.row_operations) + bytes_of(p.symbolic.row_eps) +
         held_by(p.communication) + bytes_of(p.accumulator.blocks) + bytes_of(p.accumulator.offset) +
         bytes_of(p.layers.arriving) + bytes_of(p.layers.blocks);
}

template <class Value>
std::int64_t memory_estimate(const ProductPlan<Value>& p, int threads) {
  constexpr std::int64_t fixed = 64 * 1024;  // kernels, classes of blocks, and other constant parts
  const CommunicationPlan& c = p.communication;
  const std::int64_t slots = p.slots * (room_of(c.largest_send) + (p.zero_copy() ? 0 : room_of(c.largest_receive)));
  constexpr std::int64_t per_block = 1 + 4 + 4 + 4;  // flag, norm, column, and norm for the filter
  const std::int64_t blocks = p.accumulator.blocks.entries();
  const std::int64_t rows = std::ssize(p.index.share.row_at) + std::ssize(p.index.share.column_at);
  constexpr std::int64_t per_row = 64;
  return held_by(p) + std::max(passed(p), of_values(p, threads) + slots + blocks * per_block) + rows * per_row + fixed;
}

#define SEICHE_PLAN_MEMORY(Value)                           \
  template std::int64_t held_by(const ProductPlan<Value>&); \
  template std::int64_t memory_estimate(const ProductPlan<Value>&, int)
SEICHE_PLAN_MEMORY(float);
SEICHE_PLAN_MEMORY(double);
SEICHE_PLAN_MEMORY(std::complex<float>);
SEICHE_PLAN_MEMORY(std::complex<double>);

}  // namespace seiche
