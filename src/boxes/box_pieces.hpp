// SPDX-License-Identifier: BSD-3-Clause
/// \file  Intersections of source boxes with the periodic images of target boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/route.hpp"
#include "seiche/field_array.hpp"

namespace seiche {

/// Boxes of one rank, in their order.
using BoxList = std::vector<Box>;

/// Elements of a box in the array of a caller.
struct Piece {
  Patch patch;                    ///< elements of the first field
  std::int64_t field_stride = 0;  ///< between fields
};

/// Elements of this rank that another rank has at the other end. Both ranks list the same elements in the same order.
struct PiecesOfPair {
  std::vector<Piece> pieces;
  std::int64_t elements = 0;  ///< of one field
};

/// Elements of this rank at both ends, by the rank at the other end. Elements that stay on this rank are in
/// `own_source` and `own_target`.
struct BoxPieces {
  std::vector<PiecesOfPair> source, target;
  PiecesOfPair own_source, own_target;
};

/// Checks the source boxes of a rank. \throws Error if they overlap with others or leave the grid
void require_sound_sources(const GridShape& shape, int rank, const std::vector<BoxList>& sources);
/// Checks the target boxes of a rank. \throws Error if a point is in no source box
void require_covered(const GridShape& shape, const BoxList& targets, const std::vector<BoxList>& sources);

/// Returns the pieces of a rank. \pre the boxes of all ranks are sound
BoxPieces pieces_of(const GridShape& shape, int rank, const std::vector<BoxList>& sources,
                    const std::vector<BoxList>& targets, std::span<const FieldArray> source,
                    std::span<const FieldArray> target);

}  // namespace seiche
