// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/block_messages.hpp"

namespace seiche {

Messages announced(const Communicator& comm, const std::function<MessageTable()>& of_mine) {
  constexpr std::int64_t failed = -1;  // in place of a size
  Messages messages;
  auto fault = fault_of([&] { messages.in = messages.out = of_mine(); });
  messages.out.bytes.resize(comm.size());
  messages.in.bytes.resize(comm.size());
  fault = or_memory_fault(fault);
  if (fault) std::fill(messages.out.bytes.begin(), messages.out.bytes.end(), failed);
  exchange_each(comm, messages.out.bytes, messages.in.bytes);
  const auto first = std::find(messages.in.bytes.begin(), messages.in.bytes.end(), failed);
  throw_of(comm, static_cast<int>(first - messages.in.bytes.begin()), fault);
  messages.in.find_offsets();
  return messages;
}

}  // namespace seiche
