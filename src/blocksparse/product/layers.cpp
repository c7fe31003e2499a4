// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/layers.hpp"

namespace seiche {

namespace {

/// Calls work(position, number) for each accumulated block, in order.
template <class Value, class Work>
void each_accumulated(const ProductPlan<Value>& plan, const Work& work) {
  const Share& share = plan.index.share;
  const CompressedRows& blocks = plan.accumulator.blocks;
  for (std::int64_t r = 0; r < blocks.rows(); ++r) {
    for (std::int64_t n = blocks.start[r]; n < blocks.start[r + 1]; ++n)
      work(BlockPlace{share.rows[r], share.columns[blocks.index[n]]}, n);
  }
}

/// Returns all blocks of the result, each once.
template <class Value>
std::vector<BlockPlace> blocks_of_result(const LayerMessages& messages, const BlockMatrix<Value>& c, bool adds_to_old) {
  std::vector<BlockPlace> blocks;
  for (const auto& list : messages.arriving) blocks.insert(blocks.end(), list.begin(), list.end());
  if (adds_to_old) each_block(c, [&](const StoredBlock& b) { blocks.push_back(b.at); });
  const auto key = [](const BlockPlace& at) { return std::pair(at.row, at.column); };
  std::sort(blocks.begin(), blocks.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
  const auto same = [&](const auto& x, const auto& y) { return key(x) == key(y); };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
  return blocks;
}

/// Copies the accumulated blocks to the send buffer.
template <class Value>
void pack_layer(const ProductPlan<Value>& plan, const BlockLayout& layout, std::byte* first) {
  auto next = plan.layers.values.out.offset;
  each_accumulated(plan, [&](const BlockPlace& at, std::int64_t n) {
    std::int64_t& into = next[layout.owner(at.row, at.column)];
    const std::int64_t size = block_size(layout, at);
    const Value* v = plan.accumulator.values.data() + plan.accumulator.offset[n];
    std::copy(v, v + size, reinterpret_cast<Value*>(first + into));
    into += size * sizeof(Value);
  });
}

/// Computes result = beta * C in the blocks of C.
template <class Value>
void put_old(const BlockMatrix<Value>& c, Value beta, const BlockFinder<Value>& find, Value* into) {
  each_block(c, [&](const StoredBlock& b) {
    Value* const to = into + find(b.at);
    const Value* from = c.values().data() + b.offset;
    for (std::int64_t k = 0; k < b.size(); ++k) to[k] = beta == Value(1) ? from[k] : beta * from[k];
  });
}

}  // namespace

template <class Value>
LayerMessages plan_layers(const ProductPlan<Value>& plan, const BlockMatrix<Value>& c, bool adds_to_old) {
  const BlockLayout& layout = c.layout();
  LayerMessages messages;
  const auto leaving = [&] {
    std::vector<std::vector<BlockPlace>> lists(layout.comm.size());
    each_accumulated(plan,
                     [&](const BlockPlace& at, std::int64_t) { lists[layout.owner(at.row, at.column)].push_back(at); });
    messages.values.out = messages_of_blocks<Value>(layout, lists);
    return lists;
  };
  pass_lists(layout.comm, leaving, [&](std::vector<std::vector<BlockPlace>> arriving) {
    messages.arriving = std::move(arriving);
    messages.values.in = messages_of_blocks<Value>(layout, messages.arriving);
    messages.blocks = blocks_of_result(messages, c, adds_to_old);
    for (const BlockPlace& at : messages.blocks) messages.result_bytes += block_size(layout, at) * sizeof(Value);
  });
  return messages;
}

template <class Value>
std::int64_t add_layers(ProductPlan<Value>& plan, const Product<Value>& product, BlockMatrix<Value>& c) {
  LayerMessages& messages = plan.layers;
  const SharedLayout shared = c.shared_layout();
  const auto pack = [&](std::byte* first) {
    pack_layer(plan, *shared, first);
    plan.accumulator.values = {};
  };
  pass_once(
      shared->comm, [&] { return messages.values.route(); }, pack,
      [&](const std::byte* arrived) {
        if (product.beta == Value(0)) c = BlockMatrix<Value>(shared, c.symmetry());
        BlockMatrix<Value> result(shared, c.symmetry());
        result.reserve(std::move(messages.blocks));
        Value* const into = result.change_values().data();
        const BlockFinder<Value> find(result);
        put_old(c, product.beta, find, into);
        for (int layer = 0; layer < plan.groups.layers(); ++layer) {
          for (int q = 0; q < shared->comm.size(); ++q) {
            if (plan.groups.layer_of(*shared, q) != layer) continue;
            const auto* from = reinterpret_cast<const Value*>(arrived + messages.values.in.offset[q]);
            for (const BlockPlace& at : messages.arriving[q]) {
              Value* const to = into + find(at);
              const std::int64_t size = block_size(*shared, at);
              for (std::int64_t k = 0; k < size; ++k) to[k] += product.alpha * from[k];
              from += size;
            }
          }
        }
        c = std::move(result);
      });
  return messages.values.in.total - messages.values.in.bytes[shared->comm.rank()];
}

#define SEICHE_LAYERS(Value)                                                                      \
  template LayerMessages plan_layers(const ProductPlan<Value>&, const BlockMatrix<Value>&, bool); \
  template std::int64_t add_layers(ProductPlan<Value>&, const Product<Value>&, BlockMatrix<Value>&)
SEICHE_LAYERS(float);
SEICHE_LAYERS(double);
SEICHE_LAYERS(std::complex<float>);
SEICHE_LAYERS(std::complex<double>);

}  // namespace seiche
