// SPDX-License-Identifier: BSD-3-Clause
#include "boxes/box_traffic.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "comm/agree.hpp"
#include "support/formatted.hpp"
#include "tuning/policy.hpp"

namespace seiche {

std::int64_t sum_of(const std::vector<PiecesOfPair>& pairs) {
  std::int64_t elements = 0;
  for (const PiecesOfPair& pair : pairs) elements += pair.elements;
  return elements;
}

BoxTraffic traffic_of(const BoxPieces& pieces) {
  const auto partners = [](const std::vector<PiecesOfPair>& pairs) {
    return std::count_if(pairs.begin(), pairs.end(), [](const PiecesOfPair& pair) { return pair.elements > 0; });
  };
  return {std::max(sum_of(pieces.source), sum_of(pieces.target)),
          std::max(partners(pieces.source), partners(pieces.target)), pieces.own_source.elements};
}

BoxTraffic largest(const Communicator& comm, const BoxTraffic& mine) {
  const auto [elements, partners, own] = bounds(comm, std::array{mine.elements, mine.partners, mine.own}, std::nullopt);
  return {elements.second, partners.second, own.second};
}

std::string in_words(const BoxTraffic& most, std::int64_t fields, std::size_t element) {
  const auto bytes = [element](std::int64_t elements) { return decade(elements * static_cast<std::int64_t>(element)); };
  return formatted("boxes with 1e{} bytes for {} ranks and 1e{} bytes that stay, 1e{} fields of {}-byte values",
                   bytes(most.elements), most.partners, bytes(most.own), decade(fields), element);
}

}  // namespace seiche
