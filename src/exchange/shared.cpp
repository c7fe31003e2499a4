// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange inside one node. Ranks read and write each other's memory in a shared window. With a zero-copy
/// target no data move: the target ranks work on the values in the source memory, and only counters change. The source
/// memories of all ranks are contiguous, so that equal strides cover all of them.
#include <sched.h>

#include <algorithm>

#include "comm/agree.hpp"
#include "exchange/kinds.hpp"

namespace seiche {

namespace {

constexpr std::size_t flat_patch = 7;

void append(std::vector<std::int64_t>& flat, const Patch& p) {
  flat.insert(flat.end(), {p.offset, p.count[0], p.count[1], p.count[2], p.stride[0], p.stride[1], p.stride[2]});
}

Patch patch_at(const std::vector<std::int64_t>& flat, std::size_t index) {
  const std::int64_t* p = flat.data() + index * flat_patch;
  return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6]}};
}

/// Patches source[me] and target[me] of all other ranks, which are needed to access their memory.
struct RemotePatches {
  std::vector<Patch> source, target;
};

/// Collective. Exchanges the patches of all parts with one collective call, because it is slow. Returns numbers for
/// remote_patches_of().
std::vector<std::int64_t> patches_of_ranks(const Communicator& comm, std::span<const Route> parts) {
  std::vector<std::int64_t> to_ranks, from_ranks;
  together(comm, [&] {
    for (std::size_t q = 0; q < static_cast<std::size_t>(comm.size()); ++q) {
      for (const Route& part : parts) {
        append(to_ranks, part.source[q]);
        append(to_ranks, part.target[q]);
      }
    }
    from_ranks.resize(to_ranks.size());
  });
  exchange_each(comm, to_ranks, from_ranks);
  return from_ranks;
}

std::vector<RemotePatches> remote_patches_of(const std::vector<std::int64_t>& from_ranks, std::size_t parts) {
  std::vector<RemotePatches> remote(parts);
  const std::size_t patches = from_ranks.size() / flat_patch;
  for (std::size_t next = 0; next < patches;) {
    for (RemotePatches& part : remote) {
      part.source.push_back(patch_at(from_ranks, next++));
      part.target.push_back(patch_at(from_ranks, next++));
    }
  }
  return remote;
}

class SharedExchange : public Exchange {
 public:
  SharedExchange(const Communicator& comm, const Route& route, RemotePatches remote, const ExchangeRequest& request,
                 const ExchangeMemory& memory, std::size_t part)
      : comm_(comm),
        route_(route),
        remote_(std::move(remote)),
        element_(request.element),
        zero_copy_(request.target_memory == TargetMemory::zero_copy),
        queue_(request.queue),
        memory_(memory),
        turns_(memory.source.window().turns(part)),
        turn_(turns_[comm.rank()].count) {}  // value after earlier exchanges in this memory

  ~SharedExchange() override { queue_.drain(); }

  std::byte* source() override { return at(memory_.source.data(), route_.source_begin); }

  TargetPatch target(int rank) override {
    const auto q = static_cast<std::size_t>(rank);
    const Patch& patch = zero_copy_ ? remote_.source[q] : route_.target[q];
    return {at(zero_copy_ ? memory_.source.of(q) : memory_.target.data(), patch.offset), patch};
  }

  void start(Toward toward, Payload payload) override {
    toward_ = toward;
    payload_ = payload;
    in_flight_ = true;
    turns_[comm_.rank()].count.store(++turn_, std::memory_order_release);
  }

  bool poll() override {
    if (!in_flight_) return true;
    for (; arrived_ < comm_.size(); ++arrived_) {
      if (turns_[arrived_].count.load(std::memory_order_acquire) < turn_) return false;
    }
    return true;
  }

  void finish() override {
    if (!in_flight_) return;
    constexpr int spins_before_yield = 2000;  // about ten microseconds
    for (int spins = 0; !poll(); ++spins) {
      if (spins >= spins_before_yield) sched_yield();
    }
    in_flight_ = false;
    arrived_ = 0;
    if (!zero_copy_ && payload_ == Payload::values) fetch();
  }

 private:
  /// Copies the values from the memory of other ranks to this rank's own end. On a device, the copies are added to the
  /// queue. The next start() of this rank follows its event, so that other ranks do not change values before.
  void fetch() {
    const bool to_target = toward_ == Toward::target;
    const auto& remote = to_target ? remote_.source : remote_.target;
    const auto& mine = to_target ? route_.target : route_.source;
    std::byte* own = (to_target ? memory_.target : memory_.source).data();
    for (std::size_t q = 0; q < remote.size(); ++q) {
      std::byte* base = (to_target ? memory_.source : memory_.target).of(q);
      queue_.copy_patch(at(base, remote[q].offset), remote[q], at(own, mine[q].offset), mine[q], element_);
    }
  }

  std::byte* at(std::byte* base, std::int64_t offset) const {
    return base + static_cast<std::size_t>(offset) * element_;
  }

  Communicator comm_;
  Route route_;
  RemotePatches remote_;
  std::size_t element_;
  bool zero_copy_;
  Queue queue_;
  ExchangeMemory memory_;
  Turn* turns_;
  std::int64_t turn_;
  int arrived_ = 0;
  bool in_flight_ = false;
  Toward toward_ = Toward::target;
  Payload payload_ = Payload::release;
};

}  // namespace

std::vector<std::unique_ptr<Exchange>> make_shared_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory) {
  // also synchronizes: all ranks have cleared their memory
  const auto patches = patches_of_ranks(comm, parts);
  return made_together(comm, [&] {
    auto remote = remote_patches_of(patches, parts.size());
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      exchanges.push_back(
          std::make_unique<SharedExchange>(comm, parts[part], std::move(remote[part]), request, memory, part));
    }
    return exchanges;
  });
}

}  // namespace seiche
