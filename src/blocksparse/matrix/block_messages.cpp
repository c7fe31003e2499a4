// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/block_messages.hpp"

namespace seiche {

Messages announced(const Communicator& comm, const std::function<MessageTable()>& of_mine) {
  Messages messages;
  together(comm, [&] { messages.in = messages.out = of_mine(); });
  exchange_each(comm, messages.out.bytes, messages.in.bytes);
  messages.in.find_offsets();
  return messages;
}

}  // namespace seiche
