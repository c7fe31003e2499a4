// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_pieces.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "support/require.hpp"

namespace seiche {

namespace {

using Shift = std::array<std::int64_t, 3>;

std::array<std::int64_t, 3> sizes_of(const GridShape& shape) { return {shape.nx, shape.ny, shape.nz}; }

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Box moved(Box box, const Shift& by) {
  for (std::size_t a = 0; a < 3; ++a) {
    box.axis[a].low += by[a];
    box.axis[a].high += by[a];
  }
  return box;
}

/// Calls visit(shift) for the shifts by whole periods that move a part of the box into the grid.
template <class Visit>
void each_image(const Box& box, const GridShape& shape, const Visit& visit) {
  if (box.empty()) return;
  const auto n = sizes_of(shape);
  std::array<Range, 3> periods;
  for (std::size_t a = 0; a < 3; ++a) {
    periods[a] = {floor_of(box.axis[a].low, n[a]), floor_of(box.axis[a].high - 1, n[a]) + 1};
  }
  for (std::int64_t z = periods[2].low; z < periods[2].high; ++z) {
    for (std::int64_t y = periods[1].low; y < periods[1].high; ++y) {
      for (std::int64_t x = periods[0].low; x < periods[0].high; ++x) visit(Shift{-x * n[0], -y * n[1], -z * n[2]});
    }
  }
}

/// Calls visit(index of the source box, shift, common box) for all points that a target box has in common with sources.
/// Sources are visited in ascending order for each shift. `common` is at the place of the source.
template <class Visit>
void each_common(const GridShape& shape, const BoxList& sources, const BoxTree& tree, const Box& target,
                 const Visit& visit) {
  std::vector<std::size_t> found;
  each_image(target, shape, [&](const Shift& shift) {
    const Box image = moved(target, shift);
    tree.search(image, found);
    for (const std::size_t s : found) visit(s, shift, intersect(image, sources[s]));
  });
}

/// Returns the piece of an array that a box covers.
BoxPiece piece_of(const Box& part, const FieldArray& array) {
  BoxPiece piece{{array.offset, {}, array.stride}, array.field_stride, 0};
  for (std::size_t a = 0; a < 3; ++a) {
    piece.patch.offset += (part.axis[a].low - array.box.axis[a].low) * array.stride[a];
    piece.patch.count[a] = part.axis[a].size();
  }
  return piece;
}

void add(PiecesOfPair& pair, BoxPiece piece) {
  piece.begin = pair.elements;
  pair.pieces.push_back(piece);
  pair.elements += piece.patch.size();
}

BoxList joined(const std::vector<BoxList>& by_rank) {
  BoxList all;
  for (const BoxList& list : by_rank) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::string in_words(const Box& box) {
  const auto& [x, y, z] = box.axis;
  return formatted("x [{}, {}), y [{}, {}), z [{}, {})", x.low, x.high, y.low, y.high, z.low, z.high);
}

void require_inside(const GridShape& shape, const BoxList& mine) {
  for (const Box& box : mine) {
    if (box.empty() || intersect(box, whole(shape)) == box) continue;
    fail(Fault::bad_argument, "boxes: a source box ({}) extends beyond the grid of {} x {} x {} points", in_words(box),
         shape.nx, shape.ny, shape.nz);
  }
}

}  // namespace

SourceBoxes::SourceBoxes(const std::vector<BoxList>& by_rank) : all(joined(by_rank)), tree(all) {
  std::size_t end = 0;
  for (const BoxList& list : by_rank) begin.push_back(std::exchange(end, end + list.size()));
  begin.push_back(end);
}

/// Each pair of boxes is checked by the rank of the later one.
void require_sound_sources(const GridShape& shape, int rank, const SourceBoxes& sources) {
  const BoxList mine = sources.of(rank);
  require_inside(shape, mine);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    sources.tree.search(mine[i], found);
    if (found.empty() || found.front() == sources.begin[static_cast<std::size_t>(rank)] + i) continue;
    const std::size_t first = found.front();
    fail(Fault::bad_argument,
         "boxes: the source boxes of ranks {} ({}) and {} ({}) overlap: assign each point to one box",
         sources.rank_of(first), in_words(sources.all[first]), rank, in_words(mine[i]));
  }
}

void require_covered(const GridShape& shape, const BoxList& targets, const SourceBoxes& sources) {
  for (const Box& box : targets) {
    std::int64_t found = 0;
    each_common(shape, sources.all, sources.tree, box,
                [&](std::size_t, const Shift&, const Box& common) { found += common.volume(); });
    if (found == box.volume()) continue;
    fail(Fault::bad_argument,
         "boxes: {} of the {} points of a target box ({}) are in no source box: add source boxes that contain them",
         box.volume() - found, box.volume(), in_words(box));
  }
}

BoxPieces pieces_of(const GridShape& shape, int rank, const SourceBoxes& sources, const std::vector<BoxList>& targets,
                    std::span<const FieldArray> source, std::span<const FieldArray> target) {
  const auto me = static_cast<std::size_t>(rank);
  const std::size_t ranks = targets.size();
  BoxPieces all{std::vector<PiecesOfPair>(ranks), std::vector<PiecesOfPair>(ranks), {}, {}};
  const BoxList mine = sources.of(rank);
  const BoxTree my_tree(mine);
  for (std::size_t q = 0; q < ranks; ++q) {
    PiecesOfPair& out = q == me ? all.own_source : all.source[q];
    for (const Box& box : targets[q]) {
      each_common(shape, mine, my_tree, box,
                  [&](std::size_t s, const Shift&, const Box& common) { add(out, piece_of(common, source[s])); });
    }
  }
  for (std::size_t t = 0; t < targets[me].size(); ++t) {
    each_common(shape, sources.all, sources.tree, targets[me][t],
                [&](std::size_t s, const Shift& shift, const Box& common) {
                  const auto q = static_cast<std::size_t>(sources.rank_of(s));
                  PiecesOfPair& in = q == me ? all.own_target : all.target[q];
                  add(in, piece_of(moved(common, {-shift[0], -shift[1], -shift[2]}), target[t]));
                });
  }
  return all;
}

}  // namespace seiche
