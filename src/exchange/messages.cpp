// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange with messages of any transport. Patches that are not contiguous are packed.
#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "exchange/form.hpp"
#include "exchange/kinds.hpp"

namespace seiche {

namespace {

/// One end of the route: its memory, and the message buffer of the transport. Both are the same if no packing is
/// needed.
struct MessageEnd {
  const std::vector<Patch>* patches;
  std::byte* memory;
  aligned_vector<std::byte> staging;
  Messages messages;
  bool direct = true;
};

/// Tells whether messages can be sent from and received into the memory directly.
bool travels_as_it_is(const std::vector<Patch>& patches, const Form& form, std::int64_t padded_count) {
  return !form.rounded && padded_count == 0 &&
         std::all_of(patches.begin(), patches.end(), [](const Patch& patch) { return patch.contiguous(); });
}

/// Collective. Returns the common count of all messages, or 0 if each message has its own count. The common count is at
/// least 1, because an empty buffer would look like MPI_IN_PLACE.
std::int64_t padded_count_of(const Communicator& comm, const Route& route, const TransportKind& kind) {
  if (!kind.padded) return 0;
  std::int64_t largest = 1;
  for (const Patch& patch : route.source) largest = std::max(largest, patch.size());
  for (const Patch& patch : route.target) largest = std::max(largest, patch.size());
  return maximum(comm, largest);
}

class MessageExchange : public Exchange {
 public:
  MessageExchange(const Communicator& comm, const Form& form, Ends ends, const TransportKind& kind)
      : form_(form), ends_(std::move(ends)) {
    const Route& route = ends_.route();
    const std::int64_t padded_count = padded_count_of(comm, route, kind);
    together(comm, [&] {
      set_up(source_, route.source, ends_.source_memory(), padded_count);
      set_up(target_, route.target, ends_.target_memory(), padded_count);
    });
    transport_ = kind.make(comm, form_.sent_bytes(), source_.messages, target_.messages);
  }

  std::byte* source() override { return ends_.source(); }
  TargetPatch target(int rank) override { return ends_.target(rank); }

  void start(Toward toward, Payload payload) override {
    if (payload == Payload::release) return;
    MessageEnd& from = toward == Toward::target ? source_ : target_;
    into_ = toward == Toward::target ? &target_ : &source_;
    if (!from.direct) {
      each_message(from, [&](const Patch& patch, const Range& all, std::byte* message) {
        pack(from.memory, patch, all, message, form_);
      });
    }
    transport_->start(from.messages, into_->messages);
  }
  bool ordered() const override { return transport_->ordered(); }
  bool poll() override { return !into_ || transport_->poll(); }
  void finish() override {
    if (!into_) return;
    MessageEnd& into = *std::exchange(into_, nullptr);
    transport_->finish();
    if (into.direct) return;
    each_message(into, [&](const Patch& patch, const Range& all, const std::byte* message) {
      unpack(message, patch, all, into.memory, form_);
    });
  }

 private:
  void set_up(MessageEnd& end, const std::vector<Patch>& patches, std::byte* memory, std::int64_t padded_count) {
    end.patches = &patches;
    end.memory = memory;
    std::int64_t packed_offset = 0;
    end.direct = travels_as_it_is(patches, form_, padded_count);
    for (const Patch& patch : patches) {
      end.messages.offset.push_back(packed_offset);
      end.messages.count.push_back(padded_count > 0 ? padded_count : patch.size());
      packed_offset += end.messages.count.back();
    }
    if (!end.direct) end.staging.assign(static_cast<std::size_t>(packed_offset) * form_.sent_bytes(), std::byte{0});
    end.messages.buffer = end.direct ? memory : end.staging.data();
    for (std::size_t q = 0; end.direct && q < patches.size(); ++q) {
      end.messages.offset[q] = patches[q].size() == 0 ? 0 : patches[q].offset;
    }
  }

  template <class Visit>
  void each_message(MessageEnd& end, const Visit& visit) const {
    for (std::size_t q = 0; q < end.patches->size(); ++q) {
      const Patch& patch = (*end.patches)[q];
      const std::size_t begin = static_cast<std::size_t>(end.messages.offset[q]) * form_.sent_bytes();
      if (patch.size() > 0) visit(patch, Range{0, patch.size()}, end.staging.data() + begin);
    }
  }

  Form form_;
  Ends ends_;
  MessageEnd source_, target_;
  std::unique_ptr<Transport> transport_;
  MessageEnd* into_ = nullptr;
};

}  // namespace

std::size_t memory_of_messages(const Communicator& comm, const Route& route, const Form& form,
                               const TransportKind& kind) {
  const std::int64_t padded_count = padded_count_of(comm, route, kind);
  std::int64_t buffers = 0;
  std::array<std::int64_t, 2> travelling{};
  for (const auto* patches : {&route.source, &route.target}) {
    std::int64_t& packed = travelling[patches == &route.target];
    for (const Patch& patch : *patches) packed += padded_count > 0 ? padded_count : patch.size();
    if (!travels_as_it_is(*patches, form, padded_count)) buffers += packed;
  }
  if (kind.own_elements) buffers += kind.own_elements(travelling[0], travelling[1]);
  return static_cast<std::size_t>(buffers) * form.sent_bytes();
}

std::unique_ptr<Exchange> make_message_exchange(const Communicator& comm, const Form& form, Ends ends,
                                                const TransportKind& kind) {
  return std::make_unique<MessageExchange>(comm, form, std::move(ends), kind);
}

}  // namespace seiche
