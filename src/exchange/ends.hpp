// SPDX-License-Identifier: BSD-3-Clause
/// \file  The memory of a rank at both ends of a route whose values travel in messages, and what of them does not
/// travel.
#pragma once

#include <span>
#include <vector>

#include "exchange/exchange.hpp"

namespace seiche {

/// A route in memory.
class Ends {
 public:
  /// `kept`: patches of this rank's source that are its target as well, so that `moved` does without them.
  Ends(Route moved, const Patch& kept, int rank, const ExchangeRequest& request)
      : moved_(std::move(moved)), kept_(kept), rank_(rank), request_(request) {}

  void place_in(const ExchangeMemory& memory) { memory_ = memory; }

  const Route& route() const { return moved_; }  ///< of what travels, and of what is copied
  std::byte* source_memory() const { return memory_.source.data(); }
  std::byte* target_memory() const { return memory_.target.data(); }
  std::byte* source() const { return at(source_memory(), moved_.near_begin); }
  TargetPatch target(int rank) const;

 private:
  std::byte* at(std::byte* memory, std::int64_t offset) const {
    return memory + static_cast<std::size_t>(offset) * request_.element;
  }

  Route moved_;
  Patch kept_;
  int rank_;
  ExchangeRequest request_;
  ExchangeMemory memory_;
};

/// Of parts of one route.
std::vector<Ends> ends_of(std::span<const Route> parts, int rank, const ExchangeRequest& request);

}  // namespace seiche
