// SPDX-License-Identifier: BSD-3-Clause
/// \file  A one-sided wire: each rank puts its messages into windows of the others. Windows are memory that MPI
/// allocates: Open MPI 4 opens a caller's own memory on some networks only.
#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/transport.hpp"
#include "support/memory.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Where in the windows of the others this rank's messages for one end go; messages lie there by rank of origin.
struct Places {
  const Messages* end;
  std::vector<std::int64_t> mine, theirs;  // in elements

  Places(const Communicator& comm, const Messages& messages) : end(&messages) {
    std::int64_t next = 0;
    for (const std::int64_t count : messages.count) {
      mine.push_back(next);
      next += count;
    }
    size = next;
    theirs = exchange_each(comm, mine);
  }
  std::int64_t size = 0;
};

/// Collective. `bytes` of this rank that the others may put into.
WindowHandle open_window(const Communicator& comm, std::size_t bytes, std::size_t element, void*& memory) {
  MPI_Win raw = MPI_WIN_NULL;
  const int code = MPI_Win_allocate(static_cast<MPI_Aint>(bytes), static_cast<int>(element), MPI_INFO_NULL, comm.get(),
                                    &memory, &raw);
  WindowHandle made(raw);
  together(comm, [&] {
    const auto refused = fault_of([&] { check(code, "MPI_Win_allocate"); });
    if (!refused) return;  // Open MPI leaves windows to UCX, which has none over TCP
    fail(Fault::unsupported,
         "the way 'put' needs windows, and MPI opens none between these processes ({}); choose automatic, pairwise or "
         "alltoallv, or give Open MPI's mpiexec: --mca osc ^ucx",
         refused->what());
  });
  return made;
}

class Put : public Transport {
 public:
  Put(const Communicator& comm, std::size_t element, const Messages& source, const Messages& target)
      : comm_(comm), element_(element_type(element)), bytes_(element), source_(comm, source), target_(comm, target) {
    // whole cache lines: MPICH 4.0 mixes up places in windows whose sizes are not multiples of 16 bytes
    const std::size_t size =
        rounded_up(static_cast<std::size_t>(std::max(source_.size, target_.size)) * element, cache_line);
    void* memory = nullptr;
    window_ = open_window(comm, size, element, memory);
    memory_ = static_cast<std::byte*>(memory);
    check(MPI_Win_set_errhandler(window_.get(), MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm.get(), &group), "MPI_Comm_group");
    everyone_ = GroupHandle(group);
  }

  void start(const Messages& from, const Messages& into) override {
    into_ = &into == source_.end ? &source_ : &target_;
    check(MPI_Win_post(everyone_.get(), 0, window_.get()), "MPI_Win_post");
    check(MPI_Win_start(everyone_.get(), 0, window_.get()), "MPI_Win_start");
    const int ranks = comm_.size();
    for (int step = 0; step < ranks; ++step) {
      const int peer = (comm_.rank() + step) % ranks;
      const auto q = static_cast<std::size_t>(peer);
      if (from.count[q] == 0) continue;
      const int count = mpi_count(from.count[q]);
      check(MPI_Put(from.buffer + bytes(from.offset[q]), count, element_.get(), peer, into_->theirs[q], count,
                    element_.get(), window_.get()),
            "MPI_Put");
    }
  }
  /// Puts are seen to their end by finish(): MPI offers no test of an epoch's own side.
  bool poll() override { return true; }
  void finish() override {
    if (!into_) return;
    const Places& into = *std::exchange(into_, nullptr);
    check(MPI_Win_complete(window_.get()), "MPI_Win_complete");
    check(MPI_Win_wait(window_.get()), "MPI_Win_wait");
    for (std::size_t q = 0; q < into.mine.size(); ++q) {
      if (into.end->count[q] == 0) continue;
      std::memcpy(into.end->buffer + bytes(into.end->offset[q]), memory_ + bytes(into.mine[q]),
                  bytes(into.end->count[q]));
    }
  }

 private:
  std::size_t bytes(std::int64_t count) const { return static_cast<std::size_t>(count) * bytes_; }

  Communicator comm_;
  DatatypeHandle element_;
  std::size_t bytes_;
  GroupHandle everyone_;
  Places source_, target_;
  WindowHandle window_;
  std::byte* memory_ = nullptr;
  const Places* into_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> make_put(const Communicator& comm, std::size_t element, const Messages& source,
                                    const Messages& target) {
  return std::make_unique<Put>(comm, element, source, target);
}

}  // namespace seiche
