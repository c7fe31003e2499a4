// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/schedule.hpp"

#include <algorithm>

#include "comm/check.hpp"

namespace seiche {

namespace {

constexpr std::size_t sends_in_flight = 16;
constexpr std::size_t receives_in_flight = 64;  // posted early if they need no buffer

std::int64_t piece_size(const RankPosition& position, const Form& form) {
  return form.whole ? count_limit() : largest_piece(position.one_node, form.sent_bytes());
}

std::vector<Piece> pieces_of(const RankPosition& position, const std::vector<Patch>& patches, std::int64_t piece,
                             int direction) {
  std::vector<Piece> pieces;
  for (int step = 1; step < position.ranks; ++step) {
    const int peer = (position.rank + direction * step + position.ranks) % position.ranks;
    const auto q = static_cast<std::size_t>(peer);
    for (std::int64_t low = 0; low < patches[q].size(); low += piece) {
      pieces.push_back({peer, q, {low, std::min(low + piece, patches[q].size())}});
    }
  }
  return pieces;
}

PieceLists lists_of(const RankPosition& position, const std::vector<Patch>& patches, std::int64_t piece,
                    const Form& form) {
  PieceLists lists{!form.rounded, pieces_of(position, patches, piece, +1), pieces_of(position, patches, piece, -1)};
  for (const Patch& patch : patches) lists.direct = lists.direct && patch.contiguous();
  return lists;
}

}  // namespace

std::int64_t largest_piece(bool one_node, std::size_t bytes_of_element) {
  constexpr std::size_t eager = 60 * 1024, cache_of_core = 512 * 1024;
  const std::size_t elements = (one_node ? cache_of_core : eager) / bytes_of_element;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(elements), 1, count_limit());
}

Schedule::Schedule(const RankPosition& position, const Route& route, const Form& form)
    : source(lists_of(position, route.source, piece_size(position, form), form)),
      target(lists_of(position, route.target, piece_size(position, form), form)) {}

/// With many ranks, messages are much smaller than the limit of a piece.
RequestLimits::RequestLimits(std::span<const Schedule> parts, const Form& form) {
  std::size_t out = 0, in = 0;
  std::int64_t buffered = 0;
  for (const Schedule& part : parts) {
    out += std::max(part.source.out.size(), part.target.out.size());
    in += std::max(part.source.in.size(), part.target.in.size());
    if (part.source.direct && part.target.direct) continue;
    for (const auto* pieces : {&part.source.out, &part.source.in, &part.target.out, &part.target.in}) {
      for (const Piece& one : *pieces) buffered = std::max(buffered, one.part.size());
    }
  }
  buffer_bytes = static_cast<std::size_t>(buffered) * form.sent_bytes();
  sends = std::min(out, sends_in_flight);
  receives = std::min(in, buffer_bytes > 0 ? sends_in_flight : receives_in_flight);
}

}  // namespace seiche
