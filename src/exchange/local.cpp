// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange without messages: all elements stay on their rank.
#include "comm/agree.hpp"
#include "exchange/kinds.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

class Local : public Exchange {
 public:
  Local(const Route& route, const ExchangeRequest& request, std::size_t rank, const ExchangeMemory& memory)
      : source_(route.source[rank]),
        target_(route.target[rank]),
        rank_(rank),
        begin_(route.source_begin),
        element_(request.element),
        zero_copy_(request.target_memory == TargetMemory::zero_copy),
        queue_(request.queue),
        memory_(memory) {}
  ~Local() override { queue_.drain(); }

  std::byte* source() override { return at(memory_.source, begin_); }
  TargetPatch target(int rank) override {
    const Patch none;
    if (static_cast<std::size_t>(rank) != rank_) return {source(), none};
    return zero_copy_ ? TargetPatch{at(memory_.source, source_.offset), source_}
                      : TargetPatch{at(memory_.target, target_.offset), target_};
  }
  void start(Toward toward, Payload payload) override {
    if (zero_copy_ || payload == Payload::release) return;
    std::byte *source = at(memory_.source, source_.offset), *target = at(memory_.target, target_.offset);
    if (toward == Toward::target) {
      queue_.copy_patch(source, source_, target, target_, element_);
    } else {
      queue_.copy_patch(target, target_, source, source_, element_);
    }
  }
  bool in_queue() const override { return true; }
  bool poll() override { return true; }
  void finish() override {}

 private:
  std::byte* at(const Memory& memory, std::int64_t offset) const {
    return memory.data() + static_cast<std::size_t>(offset) * element_;
  }

  Patch source_, target_;
  std::size_t rank_;
  std::int64_t begin_;
  std::size_t element_;
  bool zero_copy_;
  Queue queue_;
  ExchangeMemory memory_;
};

}  // namespace

void require_local(const Communicator& comm, std::span<const Route> parts) {
  together(comm, [&] {
    for (const Route& part : parts) {
      require(part.leaving(comm.rank()) == 0, Fault::bad_argument,
              "the exchange algorithm 'local' sends nothing, but rank {} has values for other ranks: use automatic, "
              "pairwise or alltoallv",
              comm.rank());
    }
  });
}

std::vector<std::unique_ptr<Exchange>> make_local_exchanges(std::span<const Route> parts,
                                                            const ExchangeRequest& request, int rank,
                                                            const ExchangeMemory& memory) {
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const Route& part : parts) {
    exchanges.push_back(std::make_unique<Local>(part, request, static_cast<std::size_t>(rank), memory));
  }
  return exchanges;
}

}  // namespace seiche
