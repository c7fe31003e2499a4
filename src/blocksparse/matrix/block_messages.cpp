// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/block_messages.hpp"

#include "exchange/exchange_interface.hpp"

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
  const auto route = [&] {
    return Route{messages.out.total, messages.in.total, messages.out.patches(), messages.in.patches()};
  };
  pass_once(comm, route, fill, take);
}

}  // namespace seiche
