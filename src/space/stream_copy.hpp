// SPDX-License-Identifier: BSD-3-Clause
/// \file  Copies that write to memory directly, without reading the written lines into the cache before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace seiche {

#ifdef __SSE2__

/// Copies bytes. Other threads may see them only after complete_streams().
inline void stream_copy(std::byte* into, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t word = 16, line = 4 * word;
  const std::size_t head = (word - reinterpret_cast<std::uintptr_t>(into) % word) % word;
  if (bytes < head + line) {
    std::memcpy(into, from, bytes);
    return;
  }
  std::memcpy(into, from, head);
  std::size_t at = head;
  for (; at + line <= bytes; at += line) {
    __m128i words[4];
    for (std::size_t w = 0; w < 4; ++w)
      words[w] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + w * word));
    for (std::size_t w = 0; w < 4; ++w) _mm_stream_si128(reinterpret_cast<__m128i*>(into + at + w * word), words[w]);
  }
  for (; at + word <= bytes; at += word) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(into + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  std::memcpy(into + at, from + at, bytes - at);
}
inline void complete_streams() { _mm_sfence(); }

#else

inline void stream_copy(std::byte* into, const std::byte* from, std::size_t bytes) { std::memcpy(into, from, bytes); }
inline void complete_streams() {}

#endif

}  // namespace seiche
