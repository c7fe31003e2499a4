// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory for values, not initialized, with huge pages for large allocations; and sizes of lists in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace seiche {

template <class T>
struct RawAllocator {
  using value_type = T;
  RawAllocator() = default;
  template <class Other>
  RawAllocator(const RawAllocator<Other>&) noexcept {}
  T* allocate(std::size_t n);
  void deallocate(T* p, std::size_t n) noexcept;
  template <class U, class... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) > 0) ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
  template <class Other>
  bool operator==(const RawAllocator<Other>&) const noexcept {
    return true;
  }
};
template <class Value>
using RawVector = std::vector<Value, RawAllocator<Value>>;

/// Returns the size of a RawVector of so many bytes: large ones take whole huge pages.
std::int64_t bytes_taken(std::int64_t bytes);

/// Returns the bytes of a list.
template <class Thing, class Memory>
std::int64_t bytes_of(const std::vector<Thing, Memory>& list) {
  return static_cast<std::int64_t>(list.capacity() * sizeof(Thing));
}
template <class Thing>
std::int64_t bytes_of(const std::vector<std::vector<Thing>>& lists) {
  auto bytes = static_cast<std::int64_t>(lists.capacity() * sizeof(std::vector<Thing>));
  for (const auto& list : lists) bytes += bytes_of(list);
  return bytes;
}

}  // namespace seiche
