// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/segment.hpp"

#include <cstring>
#include <new>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::size_t aligned(std::size_t offset) { return rounded_up(offset, sizeof(Turn)); }

}  // namespace

Segment::Segment(const Communicator& comm, std::int64_t source_size, std::int64_t target_size, std::size_t element,
                 bool zero_copy, std::size_t parts)
    : comm_(comm), parts_(parts) {
  const auto source_sizes = gather_all(comm_, source_size), target_sizes = gather_all(comm_, target_size);
  std::size_t end = 0;
  std::vector<std::size_t> source_at, target_at;
  for (const std::int64_t size : source_sizes) {
    source_at.push_back(end);
    end += static_cast<std::size_t>(size) * element;
  }
  for (const std::int64_t size : target_sizes) {
    end = aligned(end);
    target_at.push_back(end);
    end += zero_copy ? 0 : static_cast<std::size_t>(size) * element;
  }
  const std::size_t turns_at = aligned(end);
  const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
  std::byte* base = allocate(turns_at + parts * ranks * sizeof(Turn));
  for (const std::size_t offset : source_at) source_.push_back(base + offset);
  for (const std::size_t offset : target_at) target_.push_back(base + offset);
  source_bytes_ = static_cast<std::size_t>(source_size) * element;
  target_bytes_ = zero_copy ? 0 : static_cast<std::size_t>(target_size) * element;
  turns_ = reinterpret_cast<Turn*>(base + turns_at);
  for (std::size_t part = 0; part < parts; ++part) new (turns(part) + me) Turn;
  check(MPI_Barrier(comm_.get()), "MPI_Barrier");  // every turn counter exists before anybody looks at it
}

bool Segment::holds(std::int64_t source_size, std::int64_t target_size, std::size_t element, std::size_t parts) const {
  return static_cast<std::size_t>(source_size) * element <= source_bytes_ &&
         static_cast<std::size_t>(target_size) * element <= target_bytes_ && parts <= parts_;
}

void Segment::clear() const {
  const auto me = static_cast<std::size_t>(comm_.rank());
  std::memset(source_[me], 0, source_bytes_);
  std::memset(target_[me], 0, target_bytes_);
}

std::byte* Segment::allocate(std::size_t bytes) {
  MPI_Win raw = MPI_WIN_NULL;
  void* mine = nullptr;
  const std::size_t here = comm_.rank() == 0 ? bytes + sizeof(Turn) : 0;  // room to align the base
  const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(here), 1, MPI_INFO_NULL, comm_.get(), &mine, &raw);
  window_ = WindowHandle(raw);
  together(comm_, [&] {
    require(
        code == MPI_SUCCESS, Fault::bad_argument,
        "the processes of a node cannot share {} bytes of memory; use more processes, a smaller case or another way",
        bytes);
  });
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  check(MPI_Win_shared_query(raw, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // every process maps the window page by page, so all agree on the offset to the next aligned address
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  return static_cast<std::byte*>(base) + (aligned(address) - address);
}

}  // namespace seiche
