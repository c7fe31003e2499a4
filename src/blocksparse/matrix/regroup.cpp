// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/regroup.hpp"

#include <algorithm>
#include <optional>

#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/matrix/scalar.hpp"
#include "comm/agree.hpp"

namespace seiche {

namespace {

/// A part of a block that becomes part of another block.
struct BlockPiece {
  BlockPlace at;  ///< the new block
  std::int32_t row, column, rows, columns;
  std::int64_t size() const { return static_cast<std::int64_t>(rows) * columns; }
};

template <class Value>
struct Part {
  BlockPiece piece;
  const Value* from;
  std::int64_t pitch;  ///< distance between columns

  bool zero() const {
    for (std::int32_t c = 0; c < piece.columns; ++c) {
      const Value* column = from + c * pitch;
      if (std::any_of(column, column + piece.rows, [](const Value& x) { return x != Value(0); })) return false;
    }
    return true;
  }
};

/// Calls visit(part) for all parts of the blocks of this rank.
template <class Value, class Visit>
void each_part(const BlockMatrix<Value>& matrix, const Regrouping& rows, const Regrouping& columns,
               const Visit& visit) {
  each_block(matrix, [&](const StoredBlock& b) {
    for (const BlockSegment& column : columns.of(b.at.column)) {
      for (const BlockSegment& row : rows.of(b.at.row)) {
        const Part<Value> part{{{row.block, column.block}, row.there, column.there, row.size, column.size},
                               matrix.values().data() + b.offset + column.here * b.rows + row.here,
                               b.rows};
        if (!part.zero()) visit(part);
      }
    }
  });
}

/// Copies received parts, which are contiguous, to their positions.
template <class Value>
void place_pieces(const std::vector<std::vector<BlockPiece>>& arrived, const Value* next, BlockMatrix<Value>& result) {
  std::vector<BlockPlace> entries;
  for (const auto& list : arrived) {
    for (const BlockPiece& piece : list) entries.push_back(piece.at);
  }
  result.reserve(std::move(entries));
  Value* const into = result.change_values().data();
  const BlockFinder<Value> find(result);
  for (const auto& list : arrived) {
    for (const BlockPiece& piece : list) {
      const std::int64_t pitch = result.layout().row_sizes[static_cast<std::size_t>(piece.at.row)];
      Value* first = into + find(piece.at) + piece.column * pitch + piece.row;
      for (std::int32_t c = 0; c < piece.columns; ++c, next += piece.rows) {
        std::copy_n(next, piece.rows, first + c * pitch);
      }
    }
  }
}

}  // namespace

Regrouping::Regrouping(std::vector<std::vector<BlockSegment>> segments) : segments_(std::move(segments)) {
  for (const auto& list : segments_) {
    for (const BlockSegment& s : list) {
      const auto block = static_cast<std::size_t>(s.block);
      if (block >= sizes_.size()) sizes_.resize(block + 1);
      sizes_[block] += s.size;
    }
  }
}

bool Regrouping::changes() const {
  for (std::size_t b = 0; b < segments_.size(); ++b) {
    if (segments_[b].size() != 1 || segments_[b][0].block != static_cast<std::int32_t>(b)) return true;
  }
  return false;
}

Regrouping Regrouping::inverse() const {
  std::vector<std::vector<BlockSegment>> back(sizes_.size());
  for (std::size_t b = 0; b < segments_.size(); ++b) {
    for (const BlockSegment& s : segments_[b]) {
      back[static_cast<std::size_t>(s.block)].push_back({static_cast<std::int32_t>(b), s.there, s.here, s.size});
    }
  }
  return Regrouping(std::move(back));
}

template <class Value>
BlockMatrix<Value> regroup(const BlockMatrix<Value>& matrix, const Regrouping& rows, const Regrouping& columns,
                           SharedLayout into) {
  if (matrix.symmetry() != Symmetry::none) {
    return regroup(redistribute(matrix, matrix.shared_layout()), rows, columns, std::move(into));
  }
  const Communicator& comm = matrix.layout().comm;
  using Pieces = std::vector<std::vector<BlockPiece>>;
  const auto owner = [&](const BlockPiece& piece) {
    return static_cast<std::size_t>(into->owner(piece.at.row, piece.at.column));
  };
  const auto size_of_piece = [](const BlockPiece& piece) { return piece.size(); };
  Messages messages;
  Pieces arriving;
  const auto leaving = [&] {
    Pieces lists(static_cast<std::size_t>(comm.size()));
    each_part(matrix, rows, columns, [&](const Part<Value>& part) { lists[owner(part.piece)].push_back(part.piece); });
    messages.out = messages_of<Value>(lists, size_of_piece);
    return lists;
  };
  pass_lists(comm, leaving, [&](Pieces lists) {
    arriving = std::move(lists);
    messages.in = messages_of<Value>(arriving, size_of_piece);
  });
  const auto pack = [&](std::byte* first) {
    auto next = messages.out.offset;
    each_part(matrix, rows, columns, [&](const Part<Value>& part) {
      std::int64_t& at = next[owner(part.piece)];
      auto* values = reinterpret_cast<Value*>(first + at);
      for (std::int32_t c = 0; c < part.piece.columns; ++c) {
        values = std::copy_n(part.from + c * part.pitch, part.piece.rows, values);
      }
      at += part.piece.size() * static_cast<std::int64_t>(sizeof(Value));
    });
  };
  std::optional<BlockMatrix<Value>> result;
  pass_once(
      comm, [&] { return messages.route(); }, pack,
      [&](const std::byte* arrived) {
        result.emplace(into);
        place_pieces(arriving, reinterpret_cast<const Value*>(arrived), *result);
        set_error_bound(*result, matrix.error_bound());
      });
  return std::move(*result);
}

#define SEICHE_REGROUP(Value) \
  template BlockMatrix<Value> regroup(const BlockMatrix<Value>&, const Regrouping&, const Regrouping&, SharedLayout)
SEICHE_REGROUP(float);
SEICHE_REGROUP(double);
SEICHE_REGROUP(std::complex<float>);
SEICHE_REGROUP(std::complex<double>);

}  // namespace seiche
