// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/block_messages.hpp"

#include "comm/check.hpp"
#include "exchange/exchange_interface.hpp"

namespace seiche {

MessageTable arriving_messages(const Communicator& comm, const MessageTable& out) {
  std::vector<std::int64_t> in(out.bytes.size());
  check(MPI_Alltoall(out.bytes.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, comm.get()), "MPI_Alltoall");
  return MessageTable(std::move(in));
}

Memory pass_bytes(const Communicator& comm, const MessageTable& out, const MessageTable& in,
                  const std::function<void(std::byte*)>& fill) {
  const Route route{out.total, in.total, out.patches(), in.patches()};
  const ExchangeRequest request{.algorithm = Algorithm::pairwise, .element = 1, .target_memory = TargetMemory::own};
  const ExchangeMemory memory = memory_for(comm, {&route, 1}, request, Fresh::raw);
  fill(memory.source.data());
  const auto exchange = std::move(make_exchanges(comm, {&route, 1}, request, memory).front());
  exchange->start(Toward::target, Payload::values);
  exchange->finish();
  return memory.target;
}

}  // namespace seiche
