// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange of data on a device through messages in other memory: on the host, or on the device where MPI
/// accesses it. Kernels copy values to the messages and back.
#include "comm/agree.hpp"
#include "exchange/kinds.hpp"
#include "space/copy_patch.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Copies are added to the queue, so that kernels before and after them keep their order without waiting.
class StagedExchange : public Exchange {
 public:
  /// `inner`: exchange of the messages, whose route is `messages`.
  StagedExchange(std::unique_ptr<Exchange> inner, Ends ends, Route messages, int rank, const ExchangeMemory& memory,
                 const ExchangeRequest& request)
      : inner_(std::move(inner)),
        ends_(std::move(ends)),
        messages_(std::move(messages)),
        me_(static_cast<std::size_t>(rank)),
        memory_(memory),
        element_(request.element),
        queue_(request.queue) {}
  ~StagedExchange() override { queue_.drain(); }

  std::byte* source() override { return ends_.source(); }
  TargetPatch target(int rank) override { return ends_.target(rank); }

  Event prepare(Toward toward, Payload payload) override {
    if (payload == Payload::release) return {};
    prepared_ = true;
    const bool to_target = toward == Toward::target;
    if (to_target) {
      copy(ends_.route().source, memory_.source, messages_.source, memory_.sent_source);
    } else {
      copy(ends_.route().target, memory_.target, messages_.target, memory_.sent_target);
    }
    keep_own(to_target);
    return queue_.record();
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
      copy(messages_.target, memory_.sent_target, ends_.route().target, memory_.target);
    } else {
      copy(messages_.source, memory_.sent_source, ends_.route().source, memory_.source);
    }
  }

 private:
  /// Copies patches only, because other parts of the route use the memory between them.
  void copy(const std::vector<Patch>& patches, const Memory& from, const std::vector<Patch>& into_patches,
            const Memory& into) const {
    for (std::size_t q = 0; q < patches.size(); ++q) {
      if (q != me_) copy_patch(patches[q], from, into_patches[q], into);
    }
  }
  /// Copies the elements that stay on this rank.
  void keep_own(bool to_target) const {
    const Patch &source = ends_.route().source[me_], &target = ends_.route().target[me_];
    to_target ? copy_patch(source, memory_.source, target, memory_.target)
              : copy_patch(target, memory_.target, source, memory_.source);
  }
  void copy_patch(const Patch& patch, const Memory& from, const Patch& into_patch, const Memory& into) const {
    queue_.copy_patch(at(from, patch), patch, at(into, into_patch), into_patch, element_);
  }
  std::byte* at(const Memory& memory, const Patch& patch) const {
    return memory.data() + static_cast<std::size_t>(patch.offset) * element_;
  }

  std::unique_ptr<Exchange> inner_;
  Ends ends_;
  Route messages_;
  std::size_t me_;
  ExchangeMemory memory_;
  std::size_t element_;
  Queue queue_;
  bool prepared_ = false, arriving_ = false;
  Toward toward_ = Toward::target;
};

}  // namespace

ExchangeRequest request_of_messages(ExchangeRequest request) {
  request.queue = Queue();
  return request;
}

std::vector<Route> routes_of_messages(std::span<const Route> parts, int rank) {
  std::vector<Route> routes(parts.begin(), parts.end());
  const auto place = [&](std::vector<Patch> Route::*patches, std::int64_t Route::*size) {
    std::int64_t end = 0;
    for (Route& route : routes) {
      (route.*patches)[static_cast<std::size_t>(rank)] = Patch{};
      for (Patch& patch : route.*patches) {
        patch = packed(patch);
        patch.offset = std::exchange(end, end + patch.size());
      }
    }
    for (Route& route : routes) route.*size = end;
  };
  place(&Route::source, &Route::source_size);
  place(&Route::target, &Route::target_size);
  for (Route& route : routes) route.source_begin = 0;
  return routes;
}

std::vector<std::unique_ptr<Exchange>> make_staged_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory) {
  require(request.target_memory == TargetMemory::own, Fault::internal,
          "a staged exchange has no zero-copy targets: request targets with their own memory");
  const std::vector<Route> messages = routes_of_messages(parts, comm.rank());
  auto inner = make_exchanges(comm, messages, request_of_messages(request), {memory.sent_source, memory.sent_target});
  std::vector<Ends> ends = ends_of(parts, comm.rank(), request);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    ends[part].place_in(memory);
    exchanges.push_back(std::make_unique<StagedExchange>(std::move(inner[part]), std::move(ends[part]), messages[part],
                                                         comm.rank(), memory, request));
  }
  return exchanges;
}

}  // namespace seiche
