// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange by messages over any wire: values whose patches do not lie in a row are packed on the way.
#include <algorithm>

#include "comm/agree.hpp"
#include "exchange/copy_patch.hpp"
#include "exchange/kinds.hpp"
#include "support/memory.hpp"

namespace seiche {

namespace {

using Bytes = aligned_vector<std::byte>;

/// One end of the route: its memory, and the buffer from or into which the wire moves messages (the memory itself where
/// its patches allow).
struct End {
  const std::vector<Patch>* patches;
  Bytes memory, staging;
  Messages messages;
  bool direct = true;
  std::byte* wire_buffer() { return direct ? memory.data() : staging.data(); }
};

class MessageExchange : public Exchange {
 public:
  MessageExchange(const Route& route, std::size_t element, std::unique_ptr<Wire> wire, std::int64_t padded_count)
      : route_(route), element_(element), wire_(std::move(wire)) {
    set_up(near_, route_.near, route_.near_size, padded_count);
    set_up(far_, route_.far, route_.far_size, padded_count);
  }

  std::byte* near() override { return near_.memory.data(); }
  FarPatch far(int rank) override {
    const Patch& patch = route_.far[static_cast<std::size_t>(rank)];
    return {element_at(far_.memory, patch.offset), patch};
  }

  void start(Toward toward, Cargo cargo) override {
    if (cargo == Cargo::nothing) return;
    End& from = toward == Toward::far ? near_ : far_;
    into_ = toward == Toward::far ? &far_ : &near_;
    if (!from.direct) pack(from);
    wire_->start(from.wire_buffer(), from.messages, into_->wire_buffer(), into_->messages);
  }
  bool poll() override { return !into_ || wire_->poll(); }
  void finish() override {
    if (!into_) return;
    wire_->finish();
    if (!into_->direct) unpack(*into_);
    into_ = nullptr;
  }

 private:
  void set_up(End& end, const std::vector<Patch>& patches, std::int64_t size, std::int64_t padded_count) {
    end.patches = &patches;
    end.memory.assign(static_cast<std::size_t>(size) * element_, std::byte{0});
    std::int64_t packed_offset = 0;
    const bool padded = wire_->padded();
    for (std::size_t q = 0; q < patches.size(); ++q) {
      const Patch& patch = patches[q];
      end.direct = end.direct && !padded && patch.contiguous();
      end.messages.offset.push_back(packed_offset);
      end.messages.count.push_back(padded ? padded_count : patch.size());
      packed_offset += end.messages.count.back();
    }
    if (!end.direct) {
      end.staging.assign(static_cast<std::size_t>(packed_offset) * element_, std::byte{0});
      return;
    }
    for (std::size_t q = 0; q < patches.size(); ++q) end.messages.offset[q] = patches[q].offset;
  }

  void pack(End& end) const {
    for (std::size_t q = 0; q < end.patches->size(); ++q) {
      const Patch& patch = (*end.patches)[q];
      copy_patch(element_at(end.memory, patch.offset), patch, element_at(end.staging, end.messages.offset[q]),
                 packed(patch), element_);
    }
  }
  void unpack(End& end) const {
    for (std::size_t q = 0; q < end.patches->size(); ++q) {
      const Patch& patch = (*end.patches)[q];
      copy_patch(element_at(end.staging, end.messages.offset[q]), packed(patch), element_at(end.memory, patch.offset),
                 patch, element_);
    }
  }
  std::byte* element_at(Bytes& memory, std::int64_t offset) const {
    return memory.data() + static_cast<std::size_t>(offset) * element_;
  }

  Route route_;
  std::size_t element_;
  std::unique_ptr<Wire> wire_;
  End near_, far_;
  End* into_ = nullptr;
};

std::int64_t largest_message(const Communicator& comm, const Route& route) {
  std::int64_t largest = 0;
  for (const Patch& patch : route.near) largest = std::max(largest, patch.size());
  for (const Patch& patch : route.far) largest = std::max(largest, patch.size());
  return maximum(comm, largest);
}

}  // namespace

std::unique_ptr<Exchange> make_message_exchange(const Communicator& comm, const Route& route, std::size_t element,
                                                const WireMaker& wire) {
  return std::make_unique<MessageExchange>(route, element, wire(comm, element), largest_message(comm, route));
}

}  // namespace seiche
