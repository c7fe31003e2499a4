// SPDX-License-Identifier: BSD-3-Clause
#include "space/shared_window.hpp"

#include <new>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::size_t aligned(std::size_t offset) { return rounded_up(offset, sizeof(Turn)); }

}  // namespace

SharedWindow::SharedWindow(const Communicator& comm, const Sizes& sizes, std::size_t turn_sets)
    : comm_(comm), sizes_(sizes), turn_sets_(turn_sets) {
  std::array<std::vector<std::size_t>, 2> offsets;
  std::size_t end = 0;
  for (std::size_t section = 0; section < sizes.size(); ++section) {
    for (const std::int64_t size : gather_all(comm_, static_cast<std::int64_t>(sizes[section]))) {
      if (section > 0) end = aligned(end);  // parts of different ranks do not share cache lines
      offsets[section].push_back(end);
      end += static_cast<std::size_t>(size);
    }
  }
  const std::size_t turns_at = aligned(end);
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  std::byte* base = allocate(turns_at + turn_sets * ranks * sizeof(Turn));
  for (std::size_t section = 0; section < sizes.size(); ++section) {
    for (const std::size_t offset : offsets[section]) parts_[section].push_back(base + offset);
  }
  turns_ = reinterpret_cast<Turn*>(base + turns_at);
  for (std::size_t set = 0; set < turn_sets; ++set) new (turns(set) + me) Turn;
  check(MPI_Barrier(comm_.get()), "MPI_Barrier");  // all counters must exist before any rank reads them
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
