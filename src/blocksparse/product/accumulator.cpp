// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/accumulator.hpp"

#include <complex>

namespace seiche {

template <class Value>
Accumulator<Value> lay_out(const SymbolicProduct& symbolic, const Share& share, const BlockMatrix<Value>& c,
                           bool adds_to_old) {
  Accumulator<Value> accumulator;
  CompressedRows& blocks = accumulator.blocks;
  const std::int64_t most = symbolic.blocks.entries() + (adds_to_old ? c.local_blocks() : 0);
  blocks.start.reserve(share.rows.size() + 1);
  blocks.index.reserve(most);
  accumulator.offset.reserve(most);
  std::vector<std::int32_t> old;
  for (std::int64_t r = 0; r < symbolic.blocks.rows(); ++r) {
    const auto made = symbolic.blocks.index.begin();
    old.clear();
    for (std::int64_t n = adds_to_old ? c.row_start()[r] : 0; adds_to_old && n < c.row_start()[r + 1]; ++n)
      old.push_back(share.column_at[c.columns()[n]]);
    std::set_union(made + symbolic.blocks.start[r], made + symbolic.blocks.start[r + 1], old.begin(), old.end(),
                   std::back_inserter(blocks.index));
    for (std::int64_t n = blocks.start.back(); n < blocks.entries(); ++n) {
      accumulator.offset.push_back(accumulator.elements);
      accumulator.elements += std::int64_t{share.row_sizes[r]} * share.column_sizes[blocks.index[n]];
    }
    blocks.end_row();
  }
  return accumulator;
}

template <class Value>
void take_memory(Accumulator<Value>& accumulator, BlockMatrix<Value>& c, bool serves_again) {
  accumulator.filled.assign(accumulator.blocks.entries(), 0);
  RawVector<Value>& values = accumulator.values;
  if (serves_again) {
    std::swap(values, inside(c).values);
    c.reserve({});
  }
  // releases memory that is too small before it allocates
  if (std::ssize(values) != accumulator.elements) values.clear();
  if (static_cast<std::int64_t>(values.capacity()) < accumulator.elements) values = RawVector<Value>();
  values.resize(accumulator.elements);
}

template <class Value>
void hand_over(Accumulator<Value>&& accumulator, const Share& share, BlockMatrix<Value>& c) {
  BlockStorage<Value>& storage = inside(c);
  storage.blocks.index.resize(accumulator.blocks.entries());
  std::transform(accumulator.blocks.index.begin(), accumulator.blocks.index.end(), storage.blocks.index.begin(),
                 [&](std::int32_t place) { return share.columns[place]; });
  storage.blocks.start = std::move(accumulator.blocks.start);
  storage.offset = std::move(accumulator.offset);
  storage.values = std::move(accumulator.values);
  storage.lent = {};
  storage.norms = std::move(accumulator.norms);
}

#define SEICHE_ACCUMULATOR(Value)                                                                             \
  template Accumulator<Value> lay_out(const SymbolicProduct&, const Share&, const BlockMatrix<Value>&, bool); \
  template void take_memory(Accumulator<Value>&, BlockMatrix<Value>&, bool);                                  \
  template void hand_over(Accumulator<Value>&&, const Share&, BlockMatrix<Value>&)
SEICHE_ACCUMULATOR(float);
SEICHE_ACCUMULATOR(double);
SEICHE_ACCUMULATOR(std::complex<float>);
SEICHE_ACCUMULATOR(std::complex<double>);

}  // namespace seiche
