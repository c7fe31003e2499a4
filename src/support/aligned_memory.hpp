// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory aligned to cache lines, and rounding of sizes.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace seiche {

inline constexpr std::size_t cache_line = 64;

/// Returns the size of a core's level 2 cache in bytes; 1 MiB if it is unknown.
inline std::int64_t core_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return 1 << 20;
}

/// Returns the smallest multiple of `unit` that is not less than `n`.
template <class Integer>
constexpr Integer rounded_up(Integer n, Integer unit) {
  return (n + unit - 1) / unit * unit;
}

template <class T>
struct CacheAligned {
  using value_type = T;
  CacheAligned() = default;
  template <class Other>
  CacheAligned(const CacheAligned<Other>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{cache_line})); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{cache_line}); }
  template <class Other>
  bool operator==(const CacheAligned<Other>&) const noexcept {
    return true;
  }
};

template <class T>
using aligned_vector = std::vector<T, CacheAligned<T>>;

}  // namespace seiche
