// SPDX-License-Identifier: BSD-3-Clause
/// \file  This rank's memory at both ends of a route whose values travel in messages, and what of them does not travel.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "support/memory.hpp"

namespace seiche {

using Bytes = aligned_vector<std::byte>;

/// Shared by the exchanges whose routes are parts of one.
struct EndMemory {
  Bytes source, target;
};

/// A route in that memory.
class Ends {
 public:
  /// `kept`: patches of this rank's source that are its target as well, so that `moved` does without them.
  Ends(Route moved, const Patch& kept, int rank, TargetMemory target_memory)
      : moved_(std::move(moved)), kept_(kept), rank_(rank), target_memory_(target_memory) {}

  /// Takes memory of elements of so many bytes; new memory is zero.
  void place_in(std::shared_ptr<EndMemory> memory, std::size_t element);

  const Route& route() const { return moved_; }  ///< of what travels, and of what is copied
  std::int64_t elements() const { return moved_.source_size + moved_.target_size; }
  Bytes& source_memory() const { return memory_->source; }
  Bytes& target_memory() const { return memory_->target; }
  std::byte* source() const { return at(source_memory(), moved_.near_begin); }
  TargetPatch target(int rank) const;

 private:
  std::byte* at(Bytes& memory, std::int64_t offset) const {
    return memory.data() + static_cast<std::size_t>(offset) * element_;
  }

  Route moved_;
  Patch kept_;
  int rank_;
  TargetMemory target_memory_;
  std::shared_ptr<EndMemory> memory_;
  std::size_t element_ = 0;
};

/// Of parts of one route, whose memory they share.
std::vector<Ends> ends_of(std::span<const Route> parts, int rank, TargetMemory target_memory);

}  // namespace seiche
