// SPDX-License-Identifier: BSD-3-Clause
/// \file  Intersections of source boxes with the periodic images of target boxes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "boxes/box_tree.hpp"
#include "layout/route.hpp"
#include "seiche/field_array.hpp"

namespace seiche {

/// Boxes of one rank, in their order.
using BoxList = std::vector<Box>;

/// Elements of a box in the array of a caller.
struct BoxPiece {
  Patch patch;                    ///< elements of the first field
  std::int64_t field_stride = 0;  ///< between fields
  std::int64_t begin = 0;         ///< number of elements in the earlier pieces of the pair
};

/// Elements of this rank that another rank has at the other end. Both ranks list the same elements in the same order.
struct PiecesOfPair {
  std::vector<BoxPiece> pieces;
  std::int64_t elements = 0;  ///< of one field
};

/// Elements of this rank at both ends, by the rank at the other end. Elements that stay on this rank are in
/// `own_source` and `own_target`.
struct BoxPieces {
  std::vector<PiecesOfPair> source, target;
  PiecesOfPair own_source, own_target;
};

/// The source boxes of all ranks, with an index for searches.
struct SourceBoxes {
  explicit SourceBoxes(const std::vector<BoxList>& by_rank);
  BoxList of(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {all.begin() + static_cast<std::ptrdiff_t>(begin[r]),
            all.begin() + static_cast<std::ptrdiff_t>(begin[r + 1])};
  }
  /// Returns the rank of a position in `all`.
  int rank_of(std::size_t position) const {
    return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), position) - begin.begin()) - 1;
  }

  BoxList all;                     ///< in the order of ranks
  std::vector<std::size_t> begin;  ///< position of the first box of each rank, and the number of all boxes
  BoxTree tree;
};

/// Checks the source boxes of a rank. \throws Error if they overlap with others or leave the grid
void require_sound_sources(const GridShape& shape, int rank, const SourceBoxes& sources);
/// Checks the target boxes of a rank. \throws Error if a point is in no source box
void require_covered(const GridShape& shape, const BoxList& targets, const SourceBoxes& sources);

/// Returns the pieces of a rank. \pre the boxes of all ranks are sound
BoxPieces pieces_of(const GridShape& shape, int rank, const SourceBoxes& sources, const std::vector<BoxList>& targets,
                    std::span<const FieldArray> source, std::span<const FieldArray> target);

/// Calls visit(part of a, part of b) for at most five parts of two patches with the same counts. Together they have the
/// elements `wanted` in message order. `axis`: the last axis with more than one element.
template <class Visit>
void each_part(const Patch& a, const Patch& b, const Range& wanted, const Visit& visit, std::size_t axis = 2) {
  const std::int64_t slice = axis == 0 ? 1 : a.count[0] * (axis == 1 ? 1 : a.count[1]);
  const auto slices = [axis](Patch patch, const Range& range) {
    patch.offset += range.low * patch.stride[axis];
    patch.count[axis] = range.size();
    return patch;
  };
  for (std::int64_t at = wanted.low; at < wanted.high;) {
    const std::int64_t first = at / slice, begin = first * slice;
    if (at == begin && wanted.high - at >= slice) {
      const Range complete{first, wanted.high / slice};
      visit(slices(a, complete), slices(b, complete));
      at = complete.high * slice;
    } else {
      const Range one{first, first + 1};
      const std::int64_t end = std::min(wanted.high, begin + slice);
      each_part(slices(a, one), slices(b, one), {at - begin, end - begin}, visit, axis - 1);
      at = end;
    }
  }
}

/// Calls visit(piece, its elements) for the pieces that have elements `wanted` of a pair.
template <class Visit>
void each_piece(const PiecesOfPair& pair, const Range& wanted, const Visit& visit) {
  if (wanted.empty()) return;
  const auto later = [](std::int64_t at, const BoxPiece& piece) { return at < piece.begin; };
  auto piece = std::upper_bound(pair.pieces.begin(), pair.pieces.end(), wanted.low, later) - 1;
  for (; piece != pair.pieces.end() && piece->begin < wanted.high; ++piece) {
    visit(*piece, Range{std::max<std::int64_t>(wanted.low - piece->begin, 0),
                        std::min(wanted.high - piece->begin, piece->patch.size())});
  }
}

}  // namespace seiche
