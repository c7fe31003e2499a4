// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistributes a matrix, its transpose, or the full matrix of a stored triangle.
#include "blocksparse/matrix/redistribute_blocks.hpp"

#include <optional>

#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/matrix/scalar.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// A block that redistribute() sends, transposed and conjugated if needed.
template <class Value>
struct Copy {
  const Value* from;
  std::int64_t rows, columns;  ///< before the transposition
  BlockPlace at;               ///< in the result
  bool turn, conjugated;
  Real<Value> sign;

  std::int64_t size() const { return rows * columns; }
  void write(Value* into) const {
    const auto element = [this](std::int64_t n) {
      const Value x = from[n] * sign;
      return conjugated ? conjugate(x) : x;
    };
    const std::int64_t outer = turn ? rows : 1, inner = size() / outer, step = turn ? rows : 1;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < inner; ++i) *into++ = element(o + i * step);
    }
  }
};

/// Calls visit(copy) for each block of op(matrix): twice for off-diagonal blocks if one triangle is stored.
template <class Value, class Visit>
void each_copy(const BlockMatrix<Value>& matrix, Transpose op, const Visit& visit) {
  const Symmetry symmetry = matrix.symmetry();
  const bool turned = op != Transpose::no, conjugated = op == Transpose::conjugate;
  each_block(matrix, [&](const StoredBlock& b) {
    const auto copy = [&](bool turn, bool conj, Real<Value> sign) {
      const BlockPlace at = turn ? BlockPlace{b.at.column, b.at.row} : b.at;
      visit(Copy<Value>{matrix.values().data() + b.offset, b.rows, b.columns, at, turn, conj, sign});
    };
    copy(turned, conjugated, 1);
    if (symmetry == Symmetry::none || b.on_diagonal()) return;
    copy(!turned, conjugated != (symmetry == Symmetry::hermitian),
         symmetry == Symmetry::antisymmetric ? Real<Value>(-1) : Real<Value>(1));
  });
}

/// Copies received blocks, which are contiguous, to their positions.
template <class Value>
void place_blocks(const std::vector<std::vector<BlockPlace>>& arrived, const Value* next, BlockMatrix<Value>& result) {
  std::vector<BlockPlace> entries;
  std::size_t blocks = 0;
  for (const auto& list : arrived) blocks += list.size();
  entries.reserve(blocks);
  for (const auto& list : arrived) entries.insert(entries.end(), list.begin(), list.end());
  result.reserve(std::move(entries));
  Value* const into = result.change_values().data();
  const BlockFinder<Value> find(result);
  for (const auto& list : arrived) {
    for (const BlockPlace& at : list) {
      const std::int64_t n = block_size(result.layout(), at);
      std::copy(next, next + n, into + find(at));
      next += n;
    }
  }
}

/// The blocks that are sent to another layout.
struct Move {
  std::vector<std::vector<BlockPlace>> arriving;  ///< from each rank, in its order
  Messages messages;

  /// Returns the peak memory, including the result.
  std::int64_t memory() const {
    constexpr std::int64_t per_block = 2 * sizeof(BlockPlace) + 12;  // lists of blocks, here and in the result
    std::int64_t blocks = 0;
    for (const auto& list : arriving) blocks += std::ssize(list);
    const std::int64_t in = messages.in.total;
    return in + std::max(messages.out.total, bytes_taken(in)) + blocks * per_block;
  }
};

/// Collective.
template <class Value>
Move plan_move(const BlockMatrix<Value>& matrix, const BlockLayout& layout, Transpose op) {
  Move move;
  const auto leaving = [&] {
    std::vector<std::vector<BlockPlace>> lists(layout.comm.size());
    each_copy(matrix, op,
              [&](const Copy<Value>& copy) { lists[layout.owner(copy.at.row, copy.at.column)].push_back(copy.at); });
    move.messages.out = messages_of_blocks<Value>(layout, lists);
    return lists;
  };
  pass_lists(matrix.layout().comm, leaving, [&](std::vector<std::vector<BlockPlace>> arriving) {
    move.arriving = std::move(arriving);
    move.messages.in = messages_of_blocks<Value>(layout, move.arriving);
  });
  return move;
}

}  // namespace

template <class Value>
BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op,
                                       const Announce& announce) {
  const BlockLayout& from = matrix.layout();
  const Move move = plan_move(matrix, *layout, op);
  if (announce) announce(move.memory());
  const auto pack = [&](std::byte* first) {
    auto next = move.messages.out.offset;
    each_copy(matrix, op, [&](const Copy<Value>& copy) {
      std::int64_t& at = next[layout->owner(copy.at.row, copy.at.column)];
      copy.write(reinterpret_cast<Value*>(first + at));
      at += copy.size() * sizeof(Value);
    });
  };
  std::optional<BlockMatrix<Value>> result;
  pass_once(
      from.comm, [&] { return move.messages.route(); }, pack,
      [&](const std::byte* arrived) {
        result.emplace(layout);
        place_blocks(move.arriving, reinterpret_cast<const Value*>(arrived), *result);
        set_error_bound(*result, matrix.error_bound());
      });
  return std::move(*result);
}

template <class Value>
BlockMatrix<Value> redistribute(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op) {
  const bool swaps = op != Transpose::no;
  const BlockLayout& from = matrix.layout();
  together(from.comm, "redistribute", [&](EqualArguments& same) {
    require(layout != nullptr && (swaps ? from.column_sizes : from.row_sizes) == layout->row_sizes &&
                (swaps ? from.row_sizes : from.column_sizes) == layout->column_sizes,
            Fault::bad_argument,
            "the block sizes of the matrix and of the new layout differ: give a layout with the same block sizes");
    require(from.comm.get() == layout->comm.get(), Fault::bad_argument,
            "the matrix and the new layout have different communicators: create both layouts from the same one");
    same.add("op", op).add("bytes of a value", sizeof(Value)).add("symmetry", matrix.symmetry());
    add_layout(add_layout(same, from), *layout);
  });
  return redistribute_within(matrix, std::move(layout), op, nullptr);
}

#define SEICHE_REDISTRIBUTE(Value)                                                              \
  template BlockMatrix<Value> redistribute(const BlockMatrix<Value>&, SharedLayout, Transpose); \
  template BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>&, SharedLayout, Transpose, const Announce&)
SEICHE_REDISTRIBUTE(float);
SEICHE_REDISTRIBUTE(double);
SEICHE_REDISTRIBUTE(std::complex<float>);
SEICHE_REDISTRIBUTE(std::complex<double>);

}  // namespace seiche
