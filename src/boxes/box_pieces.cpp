// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_pieces.hpp"

#include <fmt/core.h>

#include <array>
#include <string>

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

/// Calls visit(index of the target box, index of the source box, shift, common box) for all common points of the boxes
/// of two ranks. `common` is at the place of the source.
template <class Visit>
void each_common(const GridShape& shape, const BoxList& sources, const BoxList& targets, const Visit& visit) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    each_image(targets[t], shape, [&](const Shift& shift) {
      const Box image = moved(targets[t], shift);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        const Box common = intersect(image, sources[s]);
        if (!common.empty()) visit(t, s, shift, common);
      }
    });
  }
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

std::string in_words(const Box& box) {
  const auto& [x, y, z] = box.axis;
  return fmt::format("x [{}, {}), y [{}, {}), z [{}, {})", x.low, x.high, y.low, y.high, z.low, z.high);
}

void require_inside(const GridShape& shape, const BoxList& mine) {
  for (const Box& box : mine) {
    require(box.empty() || intersect(box, whole(shape)) == box, Fault::bad_argument,
            "boxes: a source box ({}) extends beyond the grid of {} x {} x {} points", in_words(box), shape.nx,
            shape.ny, shape.nz);
  }
}

/// Each pair of boxes is checked by the rank of the later one.
void require_apart(int rank, const std::vector<BoxList>& sources) {
  const BoxList& mine = sources[static_cast<std::size_t>(rank)];
  for (int other = 0; other <= rank; ++other) {
    const BoxList& theirs = sources[static_cast<std::size_t>(other)];
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t end = other == rank ? i : theirs.size();
      for (std::size_t j = 0; j < end; ++j) {
        require(intersect(mine[i], theirs[j]).empty(), Fault::bad_argument,
                "boxes: the source boxes of ranks {} ({}) and {} ({}) overlap: assign each point to one box", other,
                in_words(theirs[j]), rank, in_words(mine[i]));
      }
    }
  }
}

}  // namespace

void require_sound_sources(const GridShape& shape, int rank, const std::vector<BoxList>& sources) {
  require(shape.nx > 0 && shape.ny > 0 && shape.nz > 0, Fault::bad_argument,
          "boxes: the grid needs at least one point along each axis (got {} x {} x {})", shape.nx, shape.ny, shape.nz);
  require_inside(shape, sources[static_cast<std::size_t>(rank)]);
  require_apart(rank, sources);
}

void require_covered(const GridShape& shape, const BoxList& targets, const std::vector<BoxList>& sources) {
  for (const Box& box : targets) {
    std::int64_t found = 0;
    for (const BoxList& theirs : sources) {
      each_common(shape, theirs, {box},
                  [&](std::size_t, std::size_t, const Shift&, const Box& common) { found += common.volume(); });
    }
    require(found == box.volume(), Fault::bad_argument,
            "boxes: {} of the {} points of a target box ({}) are in no source box: add source boxes that contain them",
            box.volume() - found, box.volume(), in_words(box));
  }
}

BoxPieces pieces_of(const GridShape& shape, int rank, const std::vector<BoxList>& sources,
                    const std::vector<BoxList>& targets, std::span<const FieldArray> source,
                    std::span<const FieldArray> target) {
  const auto me = static_cast<std::size_t>(rank);
  BoxPieces all{std::vector<PiecesOfPair>(sources.size()), std::vector<PiecesOfPair>(sources.size()), {}, {}};
  for (std::size_t q = 0; q < sources.size(); ++q) {
    PiecesOfPair& out = q == me ? all.own_source : all.source[q];
    PiecesOfPair& in = q == me ? all.own_target : all.target[q];
    each_common(shape, sources[me], targets[q], [&](std::size_t, std::size_t s, const Shift&, const Box& common) {
      add(out, piece_of(common, source[s]));
    });
    each_common(shape, sources[q], targets[me], [&](std::size_t t, std::size_t, const Shift& shift, const Box& common) {
      add(in, piece_of(moved(common, {-shift[0], -shift[1], -shift[2]}), target[t]));
    });
  }
  return all;
}

}  // namespace seiche
