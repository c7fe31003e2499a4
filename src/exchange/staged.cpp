// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange of data on a device through the host: copy to the host, exchange, copy back.
#include "comm/agree.hpp"
#include "exchange/kinds.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Copies are added to the queue, so that kernels before and after them keep their order without waiting.
class StagedExchange : public Exchange {
 public:
  StagedExchange(std::unique_ptr<Exchange> inner, Ends ends, const ExchangeMemory& memory,
                 const ExchangeRequest& request)
      : inner_(std::move(inner)),
        ends_(std::move(ends)),
        memory_(memory),
        element_(request.element),
        queue_(request.queue) {}
  ~StagedExchange() override { queue_.drain(); }

  std::byte* source() override { return ends_.source(); }
  TargetPatch target(int rank) override { return ends_.target(rank); }

  Event prepare(Toward toward, Payload payload) override {
    if (payload == Payload::release) return {};
    prepared_ = true;
    return toward == Toward::target ? copy(ends_.route().source, memory_.source, memory_.host_source)
                                    : copy(ends_.route().target, memory_.target, memory_.host_target);
  }
  void start(Toward toward, Payload payload) override {
    if (payload == Payload::values && !prepared_) prepare(toward, payload).wait();
    prepared_ = false;
    arriving_ = payload == Payload::values;
    toward_ = toward;
    inner_->start(toward, payload);
  }
  bool ordered() const override { return inner_->ordered(); }
  bool poll() override { return inner_->poll(); }
  void finish() override {
    inner_->finish();
    if (!std::exchange(arriving_, false)) return;
    if (toward_ == Toward::target) {
      copy(ends_.route().target, memory_.host_target, memory_.target);
    } else {
      copy(ends_.route().source, memory_.host_source, memory_.source);
    }
  }

 private:
  /// Copies patches only, because other parts of the route use the memory between them.
  Event copy(const std::vector<Patch>& patches, const Memory& from, const Memory& into) const {
    for (const Patch& patch : patches) {
      const std::size_t begin = static_cast<std::size_t>(patch.offset) * element_;
      queue_.copy_patch(from.data() + begin, patch, into.data() + begin, patch, element_);
    }
    return queue_.record();
  }

  std::unique_ptr<Exchange> inner_;
  Ends ends_;
  ExchangeMemory memory_;
  std::size_t element_;
  Queue queue_;
  bool prepared_ = false, arriving_ = false;
  Toward toward_ = Toward::target;
};

}  // namespace

ExchangeRequest on_host(ExchangeRequest request) {
  request.queue = Queue();
  return request;
}

std::vector<std::unique_ptr<Exchange>> make_staged_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory) {
  require(request.target_memory == TargetMemory::own, Fault::internal,
          "an exchange staged through the host has no zero-copy targets: request targets with their own memory");
  auto inner = make_exchanges(comm, parts, on_host(request), {memory.host_source, memory.host_target});
  std::vector<Ends> ends = ends_of(parts, comm.rank(), request);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    ends[part].place_in(memory);
    exchanges.push_back(
        std::make_unique<StagedExchange>(std::move(inner[part]), std::move(ends[part]), memory, request));
  }
  return exchanges;
}

}  // namespace seiche
