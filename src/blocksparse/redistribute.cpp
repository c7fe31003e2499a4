// SPDX-License-Identifier: BSD-3-Clause
/// \file  A matrix, its transpose or the whole of a stored triangle in another layout.
#include <numeric>

#include "blocksparse/parts.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// A block that redistribute() sends: turned (transposed) and conjugated on the way.
template <class Value>
struct Copy {
  const Value* from;
  std::int64_t rows, columns;  ///< before it is turned
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

/// Calls visit(copy) for each block of op(matrix): two for those off the diagonal where one triangle is stored.
template <class Value, class Visit>
void each_copy(const BlockMatrix<Value>& matrix, Transpose op, const Visit& visit) {
  const BlockLayout& from = matrix.layout();
  const bool turned = op != Transpose::no, conjugated = op == Transpose::conjugate;
  each_block(matrix, [&](std::size_t, std::size_t b, std::size_t i, std::size_t j) {
    const auto row = static_cast<std::int32_t>(i), column = static_cast<std::int32_t>(j);
    const Value* v = matrix.values().data() + matrix.offset()[b];
    const auto copy = [&](bool turn, bool conj, Real<Value> sign) {
      const BlockPlace at = turn ? BlockPlace{column, row} : BlockPlace{row, column};
      visit(Copy<Value>{v, from.row_sizes[i], from.column_sizes[j], at, turn, conj, sign});
    };
    copy(turned, conjugated, 1);
    if (matrix.symmetry() == Symmetry::none || i == j) return;
    copy(!turned, conjugated != (matrix.symmetry() == Symmetry::hermitian),
         matrix.symmetry() == Symmetry::antisymmetric ? Real<Value>(-1) : Real<Value>(1));
  });
}

/// Blocks that arrive in a row, put in their places.
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

}  // namespace

template <class Value>
BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op,
                                       const Announce& announce) {
  const bool swaps = op != Transpose::no;
  const BlockLayout& from = matrix.layout();
  require((swaps ? from.column_sizes : from.row_sizes) == layout->row_sizes &&
              (swaps ? from.row_sizes : from.column_sizes) == layout->column_sizes,
          Fault::bad_argument,
          "the blocks of the matrix do not fit the layout it should go to; their sizes must agree");
  const auto ranks = static_cast<std::size_t>(from.comm.size());
  std::vector<std::vector<BlockPlace>> leaving(ranks);
  each_copy(matrix, op, [&](const Copy<Value>& copy) {
    leaving[static_cast<std::size_t>(layout->owner(copy.at.row, copy.at.column))].push_back(copy.at);
  });
  const auto arriving = pass_things(from.comm, leaving);
  const auto out = bytes_per_rank<Value>(*layout, leaving), in = bytes_per_rank<Value>(*layout, arriving);
  leaving = {};
  const std::int64_t going = std::accumulate(out.begin(), out.end(), std::int64_t{0}),
                     coming = std::accumulate(in.begin(), in.end(), std::int64_t{0});
  constexpr std::int64_t per_block = 2 * sizeof(BlockPlace) + 12;  // what lists them, here and in the result
  std::int64_t blocks = 0;
  for (const auto& list : arriving) blocks += static_cast<std::int64_t>(list.size());
  if (announce) announce(coming + std::max(going, bytes_taken(coming)) + blocks * per_block);

  const auto row = pass_row(from.comm, out, in, [&](std::byte* first) {
    auto next = starts_in_row(out);
    each_copy(matrix, op, [&](const Copy<Value>& copy) {
      std::int64_t& at = next[static_cast<std::size_t>(layout->owner(copy.at.row, copy.at.column))];
      copy.write(reinterpret_cast<Value*>(first + at));
      at += copy.size() * static_cast<std::int64_t>(sizeof(Value));
    });
  });
  BlockMatrix<Value> result(std::move(layout));
  place_blocks(arriving, reinterpret_cast<const Value*>(row.data()), result);
  result.error = matrix.error;
  return result;
}

template <class Value>
BlockMatrix<Value> redistribute(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op) {
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
