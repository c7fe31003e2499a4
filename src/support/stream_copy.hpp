// SPDX-License-Identifier: BSD-3-Clause
/// \file  Copies with non-temporal stores, which bypass the caches, for memory that is not read soon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "support/aligned_memory.hpp"

namespace seiche {

#ifdef __SSE2__

/// Copies bytes. Only whole cache lines use non-temporal stores, because parts of lines are slower. Other threads may
/// see the bytes only after complete_streams().
inline void stream_copy(void* into, const void* from, std::size_t bytes) {
  constexpr std::size_t word = sizeof(__m128i);
  auto* write = static_cast<std::byte*>(into);
  const auto* read = static_cast<const std::byte*>(from);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(into) % cache_line;
  std::size_t at = std::min(bytes, (cache_line - beyond) % cache_line);
  if (at > 0) std::memcpy(write, read, at);
  for (; at + cache_line <= bytes; at += cache_line) {
    for (std::size_t part = at; part < at + cache_line; part += word) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(write + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(read + part)));
    }
  }
  if (at < bytes) std::memcpy(write + at, read + at, bytes - at);
}
/// Orders the stores of stream_copy() before later stores of this thread.
inline void complete_streams() { _mm_sfence(); }

#else

inline void stream_copy(void* into, const void* from, std::size_t bytes) { std::memcpy(into, from, bytes); }
inline void complete_streams() {}

#endif

}  // namespace seiche
