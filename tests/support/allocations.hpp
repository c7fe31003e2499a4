// SPDX-License-Identifier: BSD-3-Clause
/// \file  Hooks on all C++ allocations of a process, for tests of the memory that the library uses. Include it in one
/// file of a program, and link seiche_mpi_profile.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "support/mpi_test.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {

inline std::int64_t allocations = 0, live_bytes = 0, most_bytes = 0;

/// Number of the allocation of at least `smallest_failing` bytes that fails, counted from now; 0: none fails.
inline std::int64_t failing = 0;
inline constexpr std::size_t large = 16384;  // bytes
inline std::size_t smallest_failing = large;
/// Largest allocation for which there is memory after a handler of std::set_new_handler() has freed some.
inline constexpr std::size_t served_by_handler = 1536;

/// Fails like operator new without memory. Returns if a handler frees enough.
inline void run_out_of_memory(std::size_t bytes) {
  const std::new_handler handler = std::get_new_handler();
  do {
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  } while (bytes > served_by_handler);
}

inline void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  if (failing > 0 && bytes >= smallest_failing && --failing == 0) run_out_of_memory(bytes);
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  most_bytes = std::max(most_bytes, live_bytes);
  return memory;
}

inline void discount(void* memory) {
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

inline double of_all_ranks(std::int64_t mine) {
  auto sum = static_cast<double>(mine);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Collective. Returns the bytes that `work` uses on all ranks: the sum of the peaks. Windows are divided evenly
/// between ranks, because one rank allocates them for all.
template <class Work>
double bytes_taken(const Work& work) {
  mpi_profile::start_counting();
  const std::int64_t before = live_bytes;
  most_bytes = live_bytes;
  work();
  const double windows = of_all_ranks(mpi_profile::window_bytes()) / ranks();
  double bytes = std::max(static_cast<double>(most_bytes), static_cast<double>(live_bytes) + windows) -
                 static_cast<double>(before);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return bytes;
}

}  // namespace seiche::testing

void* operator new(std::size_t bytes) { return seiche::testing::counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return seiche::testing::counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return seiche::testing::counted(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { seiche::testing::discount(memory); }
void operator delete(void* memory, std::size_t) noexcept { seiche::testing::discount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { seiche::testing::discount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { seiche::testing::discount(memory); }
