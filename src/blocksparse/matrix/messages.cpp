// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/matrix/messages.hpp"

#include "comm/check.hpp"
#include "exchange/kinds.hpp"

namespace seiche {

MessageTable arriving_messages(const Communicator& comm, const MessageTable& out) {
  std::vector<std::int64_t> in(out.bytes.size());
  check(MPI_Alltoall(out.bytes.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, comm.get()), "MPI_Alltoall");
  return MessageTable(std::move(in));
}

aligned_vector<std::byte> pass_bytes(const Communicator& comm, const MessageTable& out, const MessageTable& in,
                                     const std::function<void(std::byte*)>& fill) {
  const Route route{out.total, in.total, out.patches(), in.patches()};
  const auto memory = std::make_shared<EndMemory>();
  std::vector<Ends> ends = ends_of({&route, 1}, comm.rank(), TargetMemory::own);
  ends.front().place_in(memory, 1);
  fill(ends.front().source());
  const auto exchange = std::move(make_pairwise_exchanges(comm, Form{1}, std::move(ends)).front());
  exchange->start(Toward::target, Payload::values);
  exchange->finish();
  return std::move(memory->target);
}

}  // namespace seiche
