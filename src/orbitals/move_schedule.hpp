// SPDX-License-Identifier: BSD-3-Clause
/// \file  Schedule of a redistribution: which bands of which tasks are moved in which round, and in how much memory.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "exchange/exchange_interface.hpp"
#include "layout/route.hpp"
#include "orbitals/redistribution.hpp"

namespace seiche {

inline constexpr std::int64_t element_size = sizeof(std::complex<double>);

/// Stages of a round: load, send, unload, release.
inline constexpr int move_stages = 4;
inline constexpr int usual_slots = 2 * (move_stages - 1) + 1;  ///< consecutive stages of a round are two steps apart
inline constexpr std::int64_t usual_memory = std::int64_t{64} << 20;

/// The block that this rank shares with another rank.
struct Shared {
  std::size_t rank = 0;
  RankBlock rank_block;
  std::int64_t size(std::int64_t components, std::int64_t rounds) const {
    return (rank_block.bands.size() + rounds - 1) / rounds * components * rank_block.waves;
  }
};

/// All blocks of one task in the source and in the target of this rank.
struct RankBlocks {
  RankBlocks(const MoveTask& task, std::size_t index, int rank);
  static std::int64_t size(const std::vector<Shared>& end, std::int64_t components, std::int64_t rounds) {
    std::int64_t sum = 0;
    for (const Shared& shared : end) sum += shared.size(components, rounds);
    return sum;
  }

  std::int64_t components;
  std::vector<Shared> source, target;
};

/// Tasks that are moved together, in `rounds` rounds.
class Batch {
 public:
  Batch(const std::vector<RankBlocks>& rank_blocks, const std::vector<std::size_t>& members, std::size_t ranks,
        std::int64_t rounds)
      : tasks_(members), rounds_(rounds) {
    source_.set_up(rank_blocks, members, &RankBlocks::source, ranks, rounds);
    target_.set_up(rank_blocks, members, &RankBlocks::target, ranks, rounds);
  }

  const std::vector<std::size_t>& tasks() const { return tasks_; }
  std::int64_t rounds() const { return rounds_; }
  /// Returns the number of elements shared with each rank in a round.
  const std::vector<std::int64_t>& source_sizes() const { return source_.sizes; }
  const std::vector<std::int64_t>& target_sizes() const { return target_.sizes; }

  /// Returns the parts of a round. `memory(rank)` is the address of the elements shared with a rank.
  template <class Memory>
  std::vector<BlockPart> source_parts(std::int64_t round, const Memory& memory) const {
    return block_parts(source_, round, memory);
  }
  template <class Memory>
  std::vector<BlockPart> target_parts(std::int64_t round, const Memory& memory) const {
    return block_parts(target_, round, memory);
  }

 private:
  /// Source or target of the route: the blocks of each rank, with their offsets in the memory shared with this rank.
  struct End {
    std::vector<std::vector<std::pair<const RankBlock*, std::int64_t>>> rank_blocks;
    std::vector<std::int64_t> sizes;

    void set_up(const std::vector<RankBlocks>& all, const std::vector<std::size_t>& members,
                const std::vector<Shared> RankBlocks::*end, std::size_t ranks, std::int64_t rounds) {
      rank_blocks.resize(ranks);
      sizes.resize(ranks);
      for (const std::size_t f : members) {
        for (const Shared& shared : all[f].*end) {
          rank_blocks[shared.rank].emplace_back(&shared.rank_block, sizes[shared.rank]);
          sizes[shared.rank] += shared.size(all[f].components, rounds);
        }
      }
    }
  };

  /// Distributes the bands of each block over the rounds, so that every pair of ranks has work in every round.
  template <class Memory>
  std::vector<BlockPart> block_parts(const End& end, std::int64_t round, const Memory& memory) const {
    std::vector<BlockPart> result;
    for (std::size_t q = 0; q < end.rank_blocks.size(); ++q) {
      if (end.rank_blocks[q].empty()) continue;
      std::complex<double>* data = memory(q);
      for (const auto& [rank_block, offset] : end.rank_blocks[q]) {
        const Range part = block(rank_block->bands.size(), static_cast<int>(rounds_), static_cast<int>(round));
        if (!part.empty())
          result.push_back(
              {rank_block, {rank_block->bands.low + part.low, rank_block->bands.low + part.high}, data + offset});
      }
    }
    return result;
  }

  std::vector<std::size_t> tasks_;
  std::int64_t rounds_;
  End source_, target_;
};

inline std::int64_t sum(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// Batches that are moved one after another over one route. The route is large enough for each of them, so that the
/// pipeline does not drain between batches.
class TransferSchedule {
 public:
  /// Collective. Adds the batch unless the source or target of a rank would exceed `limit` elements, or a quarter more
  /// than its smallest batch needs. Always adds the first batch. Returns whether the batch was added.
  bool takes(const Communicator& comm, const Batch& batch, std::int64_t limit) {
    TransferSchedule wider;
    bool fits = false;
    const auto fault = fault_of([&] {
      wider = *this;
      fits = wider.source_.takes(batch.source_sizes(), limit) && wider.target_.takes(batch.target_sizes(), limit);
      wider.legs_.push_back({&batch, rounds()});
    });
    const bool exceeded = bounds<1>(comm, {std::int64_t{!fits}}, fault)[0].second > 0;
    if (!legs_.empty() && exceeded) return false;
    *this = std::move(wider);
    return true;
  }

  std::int64_t rounds() const { return legs_.empty() ? 0 : legs_.back().begin + legs_.back().batch->rounds(); }
  std::size_t tasks() const {
    return std::accumulate(legs_.begin(), legs_.end(), std::size_t{0},
                           [](std::size_t n, const Leg& leg) { return n + leg.batch->tasks().size(); });
  }
  /// Returns the tasks whose bands are moved in a round.
  const std::vector<std::size_t>& tasks_in(std::int64_t round) const { return leg_of(round).batch->tasks(); }
  Route route() const { return {sum(source_.sizes), sum(target_.sizes), source_.patches(), target_.patches()}; }

  /// `source` is this rank's source memory of route().
  std::vector<BlockPart> source_parts(std::byte* source, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    const auto patches = source_.patches();
    return leg.batch->source_parts(round - leg.begin, [&](std::size_t q) {
      return reinterpret_cast<std::complex<double>*>(source) + patches[q].offset;
    });
  }
  std::vector<BlockPart> target_parts(Exchange& exchange, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    return leg.batch->target_parts(round - leg.begin, [&](std::size_t q) {
      return reinterpret_cast<std::complex<double>*>(exchange.target(static_cast<int>(q)).data);
    });
  }

 private:
  struct Leg {
    const Batch* batch;
    std::int64_t begin;  ///< first round
  };
  struct End {
    std::vector<std::int64_t> sizes;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< total elements of the smallest batch

    bool takes(const std::vector<std::int64_t>& more, std::int64_t limit) {
      sizes.resize(more.size());
      for (std::size_t q = 0; q < more.size(); ++q) sizes[q] = std::max(sizes[q], more[q]);
      least = std::min(least, sum(more));
      return sum(sizes) <= std::min(limit, least + least / 4);
    }
    std::vector<Patch> patches() const {
      std::vector<Patch> all;
      std::int64_t offset = 0;
      for (const std::int64_t size : sizes) {
        all.push_back(row_patch(offset, size));
        offset += size;
      }
      return all;
    }
  };
  const Leg& leg_of(std::int64_t round) const {
    return *std::prev(std::upper_bound(legs_.begin(), legs_.end(), round,
                                       [](std::int64_t r, const Leg& leg) { return r < leg.begin; }));
  }

  std::vector<Leg> legs_;
  End source_, target_;
};

/// The number of slots, and the largest number of elements in the source or target of one slot.
struct Pace {
  int slots;
  std::int64_t limit;
};

/// A batch, with its slots and memory.
struct ScheduledBatch {
  Batch batch;
  Pace pace;
  bool stays;  ///< every rank has the same holdings before and after
  bool like(const ScheduledBatch& other) const { return pace.slots == other.pace.slots && stays == other.stays; }
};

/// The order of tasks, and how many are moved together.
enum class Order {
  spread,        ///< neighbouring tasks have different ranks, so that many ranks are busy
  side_by_side,  ///< as `spread`, and as many tasks together as fit
  as_given
};

/// What the source and the target want.
struct MoveRequest {
  Order order;
  std::int64_t bytes_of_round;  ///< see Endpoint
};

/// Collective. Returns the batches of all tasks in the order in which they are moved. `policy` determines slots and
/// memory. Its memory must not be 0. `rank_blocks` are the blocks of the tasks and must outlive the batches.
std::vector<ScheduledBatch> schedule_batches(const Communicator& comm, const std::vector<MoveTask>& tasks,
                                             const std::vector<RankBlocks>& rank_blocks, const Policy& policy,
                                             const MoveRequest& request);

}  // namespace seiche
