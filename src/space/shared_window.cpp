// SPDX-License-Identifier: BSD-3-Clause
#include "space/shared_window.hpp"

#include <cstring>
#include <new>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "device/cuda.hpp"
#include "space/memory.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::size_t aligned(std::size_t offset) { return rounded_up(offset, sizeof(Turn)); }

/// Collective. Returns the handles of all ranks.
std::vector<MemoryHandle> handles_of_all(const Communicator& comm, const MemoryHandle& mine) {
  std::vector<std::int64_t> words(sizeof mine / sizeof(std::int64_t));
  std::memcpy(words.data(), mine.data(), sizeof mine);
  words = join_all(comm, words);
  std::vector<MemoryHandle> all(static_cast<std::size_t>(comm.size()));
  std::memcpy(all.data(), words.data(), all.size() * sizeof mine);
  return all;
}

/// Opens device memory of another rank.
std::shared_ptr<std::byte> opened(const MemoryHandle& handle) {
  return {static_cast<std::byte*>(cuda_device().open_shared(handle)),
          [](std::byte* memory) { cuda_device().close_shared(memory); }};
}

}  // namespace

SharedWindow::SharedWindow(const Communicator& comm, const Sizes& sizes, std::size_t turn_sets, Space space)
    : comm_(comm), sizes_(sizes), turn_sets_(turn_sets), space_(space) {
  std::array<std::vector<std::size_t>, 2> offsets;
  std::size_t end = 0;
  for (std::size_t section = 0; section < sizes.size(); ++section) {
    const std::size_t here = space == Space::host ? sizes[section] : 0;
    for (const std::int64_t size : gather_all(comm_, static_cast<std::int64_t>(here))) {
      if (section > 0) end = aligned(end);  // parts of different ranks do not share cache lines
      offsets[section].push_back(end);
      end += static_cast<std::size_t>(size);
    }
  }
  const std::size_t turns_at = aligned(end);
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  std::byte* base = allocate(turns_at + turn_sets * ranks * sizeof(Turn));
  if (space == Space::cuda) share_device_memory();
  for (std::size_t section = 0; space == Space::host && section < sizes.size(); ++section) {
    for (const std::size_t offset : offsets[section]) parts_[section].push_back(base + offset);
  }
  turns_ = reinterpret_cast<Turn*>(base + turns_at);
  for (std::size_t set = 0; set < turn_sets; ++set) new (turns(set) + me) Turn;
  check(MPI_Barrier(comm_.get()), "MPI_Barrier");  // all counters must exist before any rank reads them
}

/// Collective. Allocates the parts of this rank, and opens those of other ranks.
void SharedWindow::share_device_memory() {
  for (std::size_t section = 0; section < sizes_.size(); ++section) {
    MemoryHandle mine{};
    together(comm_, [&] {
      own_.push_back(cuda_memory(sizes_[section], Fresh::zero));
      if (sizes_[section] > 0) mine = cuda_device().share(own_.back().get());
    });
    std::byte* const here = own_.back().get();
    const std::vector<MemoryHandle> all = handles_of_all(comm_, mine);
    together(comm_, [&] {
      for (int rank = 0; rank < comm_.size(); ++rank) {
        const MemoryHandle& handle = all[static_cast<std::size_t>(rank)];
        const bool opens = rank != comm_.rank() && handle != MemoryHandle{};
        if (opens) mapped_.push_back(opened(handle));
        parts_[section].push_back(rank == comm_.rank() ? here : opens ? mapped_.back().get() : nullptr);
      }
    });
  }
}

std::byte* SharedWindow::allocate(std::size_t bytes) {
  MPI_Win raw = MPI_WIN_NULL;
  void* mine = nullptr;
  const std::size_t here = comm_.rank() == 0 ? bytes + sizeof(Turn) : 0;  // extra space to align the base
  const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(here), 1, MPI_INFO_NULL, comm_.get(), &mine, &raw);
  window_ = WindowHandle(raw);
  together(comm_, [&] {
    require(code == MPI_SUCCESS, Fault::bad_argument,
            "MPI could not allocate {} bytes of memory shared by the processes of a node: use more processes, a "
            "smaller case or another exchange algorithm",
            bytes);
  });
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  check(MPI_Win_shared_query(raw, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // the mapping is aligned to pages, so that the offset to the next aligned address is equal on all processes
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  return static_cast<std::byte*>(base) + (aligned(address) - address);
}

}  // namespace seiche
