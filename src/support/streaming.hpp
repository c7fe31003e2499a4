// SPDX-License-Identifier: BSD-3-Clause
/// \file  Non-temporal stores, which bypass the caches, for memory that is not read soon.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "support/aligned_memory.hpp"

namespace seiche {

/// Copies `n` values. Whole cache lines use non-temporal stores if the processor supports them. Call end_streaming()
/// before other threads read the values.
template <class T>
void stream(const T* from, std::int64_t n, T* into) {
  static_assert(std::is_trivially_copyable_v<T> && cache_line % sizeof(T) == 0);
  std::int64_t i = 0;
#if defined(__SSE2__)
  constexpr auto in_a_line = static_cast<std::int64_t>(cache_line / sizeof(T));
  const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(into) % cache_line);
  if (beyond % static_cast<std::int64_t>(sizeof(T)) == 0) {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    for (const std::int64_t edge = std::min(n, (in_a_line - beyond / size) % in_a_line); i < edge; ++i) {
      into[i] = from[i];
    }
    for (; i + in_a_line <= n; i += in_a_line) {
      const auto* source = reinterpret_cast<const __m128i*>(from + i);
      auto* target = reinterpret_cast<__m128i*>(into + i);
      for (std::size_t part = 0; part < cache_line / sizeof(__m128i); ++part) {
        _mm_stream_si128(target + part, _mm_loadu_si128(source + part));
      }
    }
  }
#endif
  for (; i < n; ++i) into[i] = from[i];
}

/// Orders non-temporal stores before later stores of this thread.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace seiche
