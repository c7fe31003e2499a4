// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory aligned to cache lines, for arrays that line transforms run over, and sizes in whole lines.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace seiche {

inline constexpr std::size_t cache_line = 64;

/// Bytes of the cache that a core has for itself, its second level; 1 MB where the system does not tell.
inline std::int64_t core_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return 1 << 20;
}

/// The least multiple of `unit` that is not below `n`.
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
