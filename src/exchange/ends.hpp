// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of a rank at both ends of a route whose values are sent in messages, and the elements that stay on the
/// rank.
#pragma once

#include <span>
#include <vector>

#include "exchange/exchange_interface.hpp"

namespace seiche {

/// A route with its memory.
class Ends {
 public:
  /// `kept`: source elements of this rank that are also its target. `moved` does not contain them.
  Ends(Route moved, const Patch& kept, int rank, const ExchangeRequest& request)
      : moved_(std::move(moved)), kept_(kept), rank_(rank), request_(request) {}

  void place_in(const ExchangeMemory& memory) { memory_ = memory; }

  const Route& route() const { return moved_; }  ///< route of the elements that are sent or copied
  std::byte* source_memory() const { return memory_.source.data(); }
  std::byte* target_memory() const { return memory_.target.data(); }
  std::byte* source() const { return at(source_memory(), moved_.source_begin); }
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

/// Creates the ends of several routes that share one buffer.
std::vector<Ends> ends_of(std::span<const Route> parts, int rank, const ExchangeRequest& request);

}  // namespace seiche
