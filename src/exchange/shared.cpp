// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange inside one node: neighbours read and write each other's memory in a shared window. With a lent
/// far end the values do not move at all: the far ranks work on them where they lie, and only a signal passes. The near
/// memories of all ranks lie one after another without gaps, so that equal strides run through all of them.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/copy_patch.hpp"
#include "exchange/kinds.hpp"
#include "support/memory.hpp"

namespace seiche {

namespace {

/// How often this rank has handed the values over; one per rank, each on lines of its own.
struct alignas(2 * cache_line) Turn {
  std::atomic<std::int64_t> count{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::vector<std::int64_t> flattened(const std::vector<Patch>& patches) {
  std::vector<std::int64_t> flat;
  for (const Patch& p : patches) {
    flat.insert(flat.end(), {p.offset, p.count[0], p.count[1], p.count[2], p.stride[0], p.stride[1], p.stride[2]});
  }
  return flat;
}
constexpr std::size_t flat_patch = 7;

Patch patch_at(const std::vector<std::int64_t>& flat, std::size_t index) {
  const std::int64_t* p = flat.data() + index * flat_patch;
  return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6]}};
}

/// The memory of both ends of all ranks: all near memories in a row, then all far ones (where they are not lent), then
/// the turns of each part. Rank 0 allocates.
class Segment {
 public:
  Segment(const Communicator& comm, std::int64_t near_size, std::int64_t far_size, std::size_t element, bool lent,
          std::size_t parts)
      : comm_(comm) {
    const auto near_sizes = gather_all(comm_, near_size), far_sizes = gather_all(comm_, far_size);
    std::size_t end = 0;
    std::vector<std::size_t> near_at, far_at;
    for (const std::int64_t size : near_sizes) {
      near_at.push_back(end);
      end += static_cast<std::size_t>(size) * element;
    }
    for (const std::int64_t size : far_sizes) {
      end = aligned(end);
      far_at.push_back(end);
      end += lent ? 0 : static_cast<std::size_t>(size) * element;
    }
    const std::size_t turns_at = aligned(end);
    const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
    std::byte* base = allocate(turns_at + parts * ranks * sizeof(Turn));
    for (const std::size_t offset : near_at) near_.push_back(base + offset);
    for (const std::size_t offset : far_at) far_.push_back(base + offset);
    std::memset(near_[me], 0, static_cast<std::size_t>(near_size) * element);
    if (!lent) std::memset(far_[me], 0, static_cast<std::size_t>(far_size) * element);
    turns_ = reinterpret_cast<Turn*>(base + turns_at);
    for (std::size_t part = 0; part < parts; ++part) new (turns(part) + me) Turn;
    check(MPI_Barrier(comm_.get()), "MPI_Barrier");  // every turn counter exists before anybody looks at it
  }

  std::byte* near(std::size_t rank) const { return near_[rank]; }
  std::byte* far(std::size_t rank) const { return far_[rank]; }
  /// One for each rank.
  Turn* turns(std::size_t part) const { return turns_ + part * static_cast<std::size_t>(comm_.size()); }

 private:
  static std::size_t aligned(std::size_t offset) { return (offset + sizeof(Turn) - 1) / sizeof(Turn) * sizeof(Turn); }

  std::byte* allocate(std::size_t bytes) {
    MPI_Win raw = MPI_WIN_NULL;
    void* mine = nullptr;
    const std::size_t here = comm_.rank() == 0 ? bytes + sizeof(Turn) : 0;  // room to align the base
    check(MPI_Win_allocate_shared(static_cast<MPI_Aint>(here), 1, MPI_INFO_NULL, comm_.get(), &mine, &raw),
          "MPI_Win_allocate_shared");
    window_ = WindowHandle(raw);
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    check(MPI_Win_shared_query(raw, 0, &size, &unit, &base), "MPI_Win_shared_query");
    // every process maps the window page by page, so all agree on the offset to the next aligned address
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return static_cast<std::byte*>(base) + (aligned(address) - address);
  }

  Communicator comm_;
  WindowHandle window_;
  std::vector<std::byte*> near_, far_;
  Turn* turns_ = nullptr;
};

class SharedExchange : public Exchange {
 public:
  SharedExchange(const Communicator& comm, const Route& route, std::size_t element, bool lent,
                 std::shared_ptr<const Segment> segment, std::size_t part)
      : comm_(comm),
        route_(route),
        element_(element),
        lent_(lent),
        segment_(std::move(segment)),
        turns_(segment_->turns(part)) {
    // what every rank calls near[me], far[me]: each needs the other side's patches to reach into its memory
    const auto ranks = static_cast<std::size_t>(comm.size()), me = static_cast<std::size_t>(comm.rank());
    const auto near_of_all = join_all(comm, flattened(route.near)), far_of_all = join_all(comm, flattened(route.far));
    for (std::size_t q = 0; q < ranks; ++q) {
      their_near_.push_back(patch_at(near_of_all, q * ranks + me));
      their_far_.push_back(patch_at(far_of_all, q * ranks + me));
    }
  }

  std::byte* near() override { return segment_->near(me()); }

  FarPatch far(int rank) override {
    const auto q = static_cast<std::size_t>(rank);
    const Patch& patch = lent_ ? their_near_[q] : route_.far[q];
    return {at(lent_ ? segment_->near(q) : segment_->far(me()), patch.offset), patch};
  }

  void start(Toward toward, Cargo cargo) override {
    toward_ = toward;
    cargo_ = cargo;
    under_way_ = true;
    turns_[comm_.rank()].count.store(++turn_, std::memory_order_release);
  }

  bool poll() override {
    if (!under_way_) return true;
    for (; arrived_ < comm_.size(); ++arrived_) {
      if (turns_[arrived_].count.load(std::memory_order_acquire) < turn_) return false;
    }
    return true;
  }

  void finish() override {
    if (!under_way_) return;
    constexpr int spins_before_yield = 2000;  // some ten microseconds
    for (int spins = 0; !poll(); ++spins) {
      if (spins >= spins_before_yield) sched_yield();
    }
    under_way_ = false;
    arrived_ = 0;
    if (!lent_ && cargo_ == Cargo::values) fetch();
  }

 private:
  /// Copies the values from where the neighbours have them to this rank's own end.
  void fetch() {
    const bool to_far = toward_ == Toward::far;
    const auto& theirs = to_far ? their_near_ : their_far_;
    const auto& mine = to_far ? route_.far : route_.near;
    std::byte* own = to_far ? segment_->far(me()) : near();
    for (std::size_t q = 0; q < theirs.size(); ++q) {
      std::byte* base = to_far ? segment_->near(q) : segment_->far(q);
      copy_patch(at(base, theirs[q].offset), theirs[q], at(own, mine[q].offset), mine[q], element_);
    }
  }

  std::size_t me() const { return static_cast<std::size_t>(comm_.rank()); }
  std::byte* at(std::byte* base, std::int64_t offset) const {
    return base + static_cast<std::size_t>(offset) * element_;
  }

  Communicator comm_;
  Route route_;
  std::size_t element_;
  bool lent_;
  std::shared_ptr<const Segment> segment_;
  Turn* turns_;
  std::vector<Patch> their_near_, their_far_;
  std::int64_t turn_ = 0;
  int arrived_ = 0;
  bool under_way_ = false;
  Toward toward_ = Toward::far;
  Cargo cargo_ = Cargo::nothing;
};

}  // namespace

std::vector<std::unique_ptr<Exchange>> make_shared_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             std::size_t element, FarEnd far_end) {
  const bool lent = far_end == FarEnd::lent;
  const auto segment = std::make_shared<const Segment>(comm, parts.front().near_size, parts.front().far_size, element,
                                                       lent, parts.size());
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    exchanges.push_back(std::make_unique<SharedExchange>(comm, parts[part], element, lent, segment, part));
  }
  return exchanges;
}

}  // namespace seiche
