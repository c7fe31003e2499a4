// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agree.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "support/memory_reserve.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Collective. Calls `allocate`, which makes room for so many bytes. Few bytes come from the reserve of memory, without
/// an agreement.
template <class Allocate>
void make_room(const Communicator& comm, std::int64_t bytes, const Allocate& allocate) {
  constexpr std::int64_t few = 1024;
  bytes > few ? together(comm, allocate) : allocate();
}

/// Broadcasts the size with the first bytes, so that short texts need one message.
void broadcast_from(const Communicator& comm, int root, std::string& bytes) {
  struct Head {
    std::int64_t size;
    std::array<char, 504> first;
  };
  Head head{std::ssize(bytes), {}};
  bytes.copy(head.first.data(), head.first.size());
  check(MPI_Bcast(&head, sizeof head, MPI_BYTE, root, comm.get()), "MPI_Bcast");
  const std::int64_t size = head.size, sent = std::min(size, std::ssize(head.first));
  make_room(comm, size, [&] { bytes.resize(static_cast<std::size_t>(size)); });
  std::copy_n(head.first.begin(), sent, bytes.begin());
  for (std::int64_t done = sent; done < size;) {
    const std::int64_t piece = std::min(size - done, count_limit());
    check(MPI_Bcast(bytes.data() + done, mpi_count(piece), MPI_BYTE, root, comm.get()), "MPI_Bcast");
    done += piece;
  }
}

template <class Value>
Value reduce(const Communicator& comm, Value mine, MPI_Datatype type, MPI_Op op) {
  Value all{};
  check(MPI_Allreduce(&mine, &all, 1, type, op, comm.get()), "MPI_Allreduce");
  return all;
}

template <class Value>
void reduce_in_pieces(const Communicator& comm, std::span<Value> values, MPI_Datatype type, MPI_Op op) {
  const std::int64_t size = std::ssize(values);
  for (std::int64_t done = 0; done < size;) {
    const std::int64_t piece = std::min(size - done, count_limit());
    check(MPI_Allreduce(MPI_IN_PLACE, values.data() + done, mpi_count(piece), type, op, comm.get()), "MPI_Allreduce");
    done += piece;
  }
}

template <class Value>
std::vector<Value> join(const Communicator& comm, const std::vector<Value>& mine, MPI_Datatype type) {
  const auto sizes = gather_all(comm, static_cast<std::int64_t>(mine.size()));
  std::vector<int> counts;
  for (const std::int64_t size : sizes) counts.push_back(mpi_count(size));
  const auto starts = mpi_starts(counts);
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::vector<Value> all;
  make_room(comm, total * static_cast<std::int64_t>(sizeof(Value)),
            [&] { all.resize(static_cast<std::size_t>(total)); });
  check(MPI_Allgatherv(mine.data(), counts[static_cast<std::size_t>(comm.rank())], type, all.data(), counts.data(),
                       starts.data(), type, comm.get()),
        "MPI_Allgatherv");
  return all;
}

int rank_if_failed(const Communicator& comm, const std::optional<Error>& mine) {
  return mine ? comm.rank() : comm.size();
}

}  // namespace

void throw_of(const Communicator& comm, int first, const std::optional<Error>& mine) {
  if (first == comm.size()) return;
  std::string sentence = mine ? mine->what() : "";
  broadcast_from(comm, first, sentence);
  int fault = mine ? static_cast<int>(mine->fault()) : 0;
  check(MPI_Bcast(&fault, 1, MPI_INT, first, comm.get()), "MPI_Bcast");
  throw Error(static_cast<Fault>(fault), sentence);
}

std::optional<Error> or_memory_fault(const std::optional<Error>& mine) { return mine ? mine : memory_fault(); }

void agree_asleep(const Communicator& comm, const std::optional<Error>& fault) {
  constexpr int polls_before_sleep = 100;
  const std::optional<Error> mine = or_memory_fault(fault);
  const int own = rank_if_failed(comm, mine);
  int first = 0, done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm.get(), &request), "MPI_Iallreduce");
  for (int polls = 0; !done; ++polls) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!done && polls >= polls_before_sleep) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  throw_of(comm, first, mine);
}

void broadcast(const Communicator& comm, std::string& bytes) { broadcast_from(comm, 0, bytes); }

void reduce_each(const Communicator& comm, std::span<std::int64_t> values, MPI_Op op) {
  reduce_in_pieces(comm, values, MPI_INT64_T, op);
}
void reduce_each(const Communicator& comm, std::span<double> values, MPI_Op op) {
  reduce_in_pieces(comm, values, MPI_DOUBLE, op);
}
std::vector<std::int64_t> sum_each(const Communicator& comm, std::vector<std::int64_t> mine) {
  reduce_each(comm, mine, MPI_SUM);
  return mine;
}
std::vector<std::int64_t> maximum_each(const Communicator& comm, std::vector<std::int64_t> mine) {
  reduce_each(comm, mine, MPI_MAX);
  return mine;
}

void exchange_each(const Communicator& comm, std::span<const std::int64_t> to_ranks,
                   std::span<std::int64_t> from_ranks) {
  const int each = mpi_count(std::ssize(to_ranks) / comm.size());
  check(MPI_Alltoall(to_ranks.data(), each, MPI_INT64_T, from_ranks.data(), each, MPI_INT64_T, comm.get()),
        "MPI_Alltoall");
}

void gather_each(const Communicator& comm, std::span<const double> mine, std::span<double> of_ranks) {
  const int each = mpi_count(std::ssize(mine));
  check(MPI_Allgather(mine.data(), each, MPI_DOUBLE, of_ranks.data(), each, MPI_DOUBLE, comm.get()), "MPI_Allgather");
}

void broadcast_among(const Communicator& comm, const std::vector<int>& members, std::span<std::byte> bytes) {
  const int tag = body_of(comm).fresh_tags();
  const auto found = std::find(members.begin(), members.end(), comm.rank());
  if (found == members.end()) return;
  const auto me = found - members.begin(), count = std::ssize(members);
  const auto each_piece = [&](const auto& call) {
    for (std::size_t done = 0; done < bytes.size();) {
      const auto piece = std::min(std::ssize(bytes) - static_cast<std::int64_t>(done), count_limit());
      call(bytes.data() + done, mpi_count(piece));
      done += static_cast<std::size_t>(piece);
    }
  };
  std::ptrdiff_t step = 1;  // member m receives from m - step, where step is the highest power of two in m
  while (2 * step <= me) step *= 2;
  if (me > 0) {
    each_piece([&](std::byte* at, int n) {
      check(MPI_Recv(at, n, MPI_BYTE, members[static_cast<std::size_t>(me - step)], tag, comm.get(), MPI_STATUS_IGNORE),
            "MPI_Recv");
    });
  }
  for (std::ptrdiff_t next = me == 0 ? 1 : 2 * step; me + next < count; next *= 2) {
    each_piece([&](std::byte* at, int n) {
      check(MPI_Send(at, n, MPI_BYTE, members[static_cast<std::size_t>(me + next)], tag, comm.get()), "MPI_Send");
    });
  }
}

std::int64_t sum(const Communicator& comm, std::int64_t mine) { return reduce(comm, mine, MPI_INT64_T, MPI_SUM); }
std::pair<std::int64_t, std::int64_t> bounds(const Communicator& comm, std::int64_t mine) {
  std::array<std::int64_t, 2> least{mine, ~mine};
  check(MPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT64_T, MPI_MIN, comm.get()), "MPI_Allreduce");
  return {least[0], ~least[1]};
}
void least_of(const Communicator& comm, std::span<std::int64_t> values, const std::optional<Error>& mine) {
  const std::optional<Error> fault = or_memory_fault(mine);
  values[0] = rank_if_failed(comm, fault);
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_MIN, comm.get()),
        "MPI_Allreduce");
  throw_of(comm, static_cast<int>(values[0]), fault);
}
std::int64_t maximum(const Communicator& comm, std::int64_t mine) { return reduce(comm, mine, MPI_INT64_T, MPI_MAX); }
double maximum(const Communicator& comm, double mine) { return reduce(comm, mine, MPI_DOUBLE, MPI_MAX); }

std::vector<std::int64_t> gather_all(const Communicator& comm, std::int64_t mine) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(comm.size()));
  check(MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, comm.get()), "MPI_Allgather");
  return all;
}

std::vector<std::int64_t> join_all(const Communicator& comm, const std::vector<std::int64_t>& mine) {
  return join(comm, mine, MPI_INT64_T);
}
std::vector<double> join_all(const Communicator& comm, const std::vector<double>& mine) {
  return join(comm, mine, MPI_DOUBLE);
}

}  // namespace seiche
