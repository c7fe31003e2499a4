// SPDX-License-Identifier: BSD-3-Clause
/// \file  What travels together: which bands of which freights go in which round, in how much memory.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "layout/route.hpp"
#include "waves/shuttle.hpp"

namespace seiche {

inline constexpr std::int64_t element_size = sizeof(std::complex<double>);

/// Those of a round on its way: it is loaded, sent, unloaded, and its memory handed back.
inline constexpr int stages = 4;

/// What this rank shares with another.
struct Shared {
  std::size_t rank = 0;
  Lot lot;
  std::int64_t size(std::int64_t components, std::int64_t rounds) const {
    return (lot.bands.size() + rounds - 1) / rounds * components * lot.waves;
  }
};

/// All lots of one freight at both ends of this rank.
struct Lots {
  Lots(const Freight& freight, std::size_t index, int rank);
  static std::int64_t size(const std::vector<Shared>& end, std::int64_t components, std::int64_t rounds) {
    std::int64_t sum = 0;
    for (const Shared& shared : end) sum += shared.size(components, rounds);
    return sum;
  }

  std::int64_t components;
  std::vector<Shared> near, far;
};

/// Freights that travel side by side, in `rounds` parts.
class Batch {
 public:
  Batch(const std::vector<Lots>& lots, const std::vector<std::size_t>& members, std::size_t ranks, std::int64_t rounds)
      : freights_(members.size()), rounds_(rounds) {
    near_.set_up(lots, members, &Lots::near, ranks, rounds);
    far_.set_up(lots, members, &Lots::far, ranks, rounds);
  }

  std::size_t freights() const { return freights_; }
  std::int64_t rounds() const { return rounds_; }
  /// Elements shared with each rank in a round.
  const std::vector<std::int64_t>& near_sizes() const { return near_.sizes; }
  const std::vector<std::int64_t>& far_sizes() const { return far_.sizes; }

  /// `memory(rank)` is where the elements shared with a rank lie.
  template <class Memory>
  std::vector<Load> near_loads(std::int64_t round, const Memory& memory) const {
    return loads(near_, round, memory);
  }
  template <class Memory>
  std::vector<Load> far_loads(std::int64_t round, const Memory& memory) const {
    return loads(far_, round, memory);
  }

 private:
  /// One end of the route: lots by rank, each with its place in the memory shared with that rank.
  struct End {
    std::vector<std::vector<std::pair<const Lot*, std::int64_t>>> lots;
    std::vector<std::int64_t> sizes;

    void set_up(const std::vector<Lots>& all, const std::vector<std::size_t>& members,
                const std::vector<Shared> Lots::*end, std::size_t ranks, std::int64_t rounds) {
      lots.resize(ranks);
      sizes.resize(ranks);
      for (const std::size_t f : members) {
        for (const Shared& shared : all[f].*end) {
          lots[shared.rank].emplace_back(&shared.lot, sizes[shared.rank]);
          sizes[shared.rank] += shared.size(all[f].components, rounds);
        }
      }
    }
  };

  /// The bands of each lot are spread over the rounds, so that every pair of ranks is busy in every round.
  template <class Memory>
  std::vector<Load> loads(const End& end, std::int64_t round, const Memory& memory) const {
    std::vector<Load> result;
    for (std::size_t q = 0; q < end.lots.size(); ++q) {
      if (end.lots[q].empty()) continue;
      std::complex<double>* data = memory(q);
      for (const auto& [lot, offset] : end.lots[q]) {
        const Range part = block(lot->bands.size(), static_cast<int>(rounds_), static_cast<int>(round));
        if (!part.empty())
          result.push_back({lot, {lot->bands.low + part.low, lot->bands.low + part.high}, data + offset});
      }
    }
    return result;
  }

  std::size_t freights_;
  std::int64_t rounds_;
  End near_, far_;
};

inline std::int64_t sum(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// Batches that follow each other over one route, which is wide enough for each, so that the pipeline does not run
/// empty between them.
class Voyage {
 public:
  /// Collective. Takes the batch along if no end of any rank then exceeds `limit` elements, nor by a quarter what a
  /// batch has there. Takes the first one in any case.
  bool takes(const Communicator& comm, const Batch& batch, std::int64_t limit) {
    Voyage wider = *this;
    const bool fits = wider.near_.takes(batch.near_sizes(), limit) && wider.far_.takes(batch.far_sizes(), limit);
    if (!legs_.empty() && maximum(comm, std::int64_t{!fits}) > 0) return false;
    wider.legs_.push_back({&batch, rounds()});
    *this = std::move(wider);
    return true;
  }

  std::int64_t rounds() const { return legs_.empty() ? 0 : legs_.back().begin + legs_.back().batch->rounds(); }
  std::size_t freights() const {
    return std::accumulate(legs_.begin(), legs_.end(), std::size_t{0},
                           [](std::size_t n, const Leg& leg) { return n + leg.batch->freights(); });
  }
  Route route() const { return {sum(near_.sizes), sum(far_.sizes), near_.patches(), far_.patches()}; }

  /// `near`: this rank's near memory, laid out as route() says.
  std::vector<Load> near_loads(std::byte* near, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    const auto patches = near_.patches();
    return leg.batch->near_loads(round - leg.begin, [&](std::size_t q) {
      return reinterpret_cast<std::complex<double>*>(near) + patches[q].offset;
    });
  }
  std::vector<Load> far_loads(Exchange& exchange, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    return leg.batch->far_loads(round - leg.begin, [&](std::size_t q) {
      return reinterpret_cast<std::complex<double>*>(exchange.far(static_cast<int>(q)).data);
    });
  }

 private:
  struct Leg {
    const Batch* batch;
    std::int64_t begin;  ///< its first round
  };
  struct End {
    std::vector<std::int64_t> sizes;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< in all, of any batch

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
  End near_, far_;
};

/// How many slots there are, and the elements that each end of one may have.
struct Pace {
  int slots;
  std::int64_t limit;
};

/// A batch, and how it travels.
struct Consignment {
  Batch batch;
  Pace pace;
  bool at_home;  ///< every rank keeps what it has
  bool like(const Consignment& other) const { return pace.slots == other.pace.slots && at_home == other.at_home; }
};

/// Collective. All freights, in the order in which they go.
std::vector<Consignment> consign(const Communicator& comm, const std::vector<Freight>& freights,
                                 const std::vector<Lots>& lots, std::int64_t memory, bool abreast);

}  // namespace seiche
