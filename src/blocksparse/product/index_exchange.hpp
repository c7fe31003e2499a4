// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exchanges the indices of existing blocks and their norms between ranks before blocks are sent.
#pragma once

#include <vector>

#include "blocksparse/matrix/compressed_rows.hpp"
#include "blocksparse/product/share.hpp"

namespace seiche {

/// The blocks of one operand that this rank may need: of A in rows of the share, by inner block; of B in rows of inner
/// blocks, by column of the share.
template <class Value>
struct OperandIndex {
  CompressedRows blocks;
  std::vector<float> norm;
  std::vector<std::int32_t> source, ordinal;  ///< owner (-1: this rank), and position in its notices to this rank
  std::vector<const Value*> data;             ///< set by place_own_blocks() and place_arrivals()
  std::vector<char> needed;
  /// This rank's blocks in the notices to each other rank, in order.
  std::vector<std::vector<std::int64_t>> told;
};

template <class Value>
struct IndexExchange {
  Share share;
  OperandIndex<Value> a, b;
  OperandIndex<Value>& operand(int number) { return number == 0 ? a : b; }
  const OperandIndex<Value>& operand(int number) const { return number == 0 ? a : b; }
  std::vector<std::int64_t> row_blocks;  ///< of A in each row of the share, including other layers
  std::int64_t bytes = 0;                ///< received
  double seconds = 0;                    ///< time of the exchange
};

/// Sets the addresses and norms of blocks of this rank.
template <class Value>
void place_own_blocks(OperandIndex<Value>& index, const BlockMatrix<Value>& m) {
  const std::vector<std::int64_t>& own = index.told[m.layout().comm.rank()];
  const std::vector<float>& norms = m.norms();
  for (std::size_t entry = 0; entry < index.source.size(); ++entry) {
    if (index.source[entry] >= 0) continue;
    const std::int64_t number = own[index.ordinal[entry]];
    index.data[entry] = m.values().data() + m.offset()[number];
    index.norm[entry] = norms[number];
  }
}

/// Collective. Sends norms and positions of blocks to all ranks with a share that contains them.
template <class Value>
IndexExchange<Value> exchange_index(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c,
                                    const ReplicationGroups& groups);

}  // namespace seiche
