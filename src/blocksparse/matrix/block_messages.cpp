// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/block_messages.hpp"

#include "exchange/exchange_interface.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

Messages announced(const Communicator& comm, const std::function<MessageTable()>& of_mine) {
  Messages messages;
  together(comm, [&] { messages.in = messages.out = of_mine(); });
  exchange_each(comm, messages.out.bytes, messages.in.bytes);
  messages.in.find_offsets();
  return messages;
}

void pass_bytes(const Communicator& comm, const Messages& messages, const std::function<void(std::byte*)>& fill,
                const std::function<void(const std::byte*)>& take) {
  const Route route = made_together(comm, [&] {
    return Route{messages.out.total, messages.in.total, messages.out.patches(), messages.in.patches()};
  });
  const ExchangeRequest request{.algorithm = Algorithm::pairwise, .element = 1, .target_memory = TargetMemory::own};
  ExchangeMemory memory = memory_for(comm, {&route, 1}, request, Fresh::raw);
  {
    const auto exchange = std::move(make_exchanges(comm, {&route, 1}, request, memory).front());
    const Stage send{[&](std::int64_t, int) { fill(memory.source.data()); },
                     [&](std::int64_t, int) {
                       return PostedExchanges{{exchange.get(), Toward::target, Payload::values}};
                     }};
    const Stage arrive{nullptr, nullptr};
    Pipeline(comm, 1).run(1, {send, arrive});
  }
  memory.source = {};  // `take` may need as much
  together(comm, [&] { take(memory.target.data()); });
}

}  // namespace seiche
