// SPDX-License-Identifier: BSD-3-Clause
/// \file  Counts the C++ allocations of each simulated process; all of them run in one system process.
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "account.hpp"

namespace {

std::int64_t live = 0, most = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  live += static_cast<std::int64_t>(malloc_usable_size(memory));
  most = std::max(most, live);
  return memory;
}

void discount(void* memory) {
  live -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

namespace seiche::simulation {
std::int64_t most_allocated() { return most; }
}  // namespace seiche::simulation

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t) noexcept { discount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { discount(memory); }
