// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tiles of work that fit into a core's cache, distributed over threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "fft/lines/line_fft.hpp"
#include "space/memory.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

/// Returns the stride of rows in elements of `bytes` bytes. It is an odd number of cache lines, so that columns do not
/// share cache sets.
inline std::int64_t padded_row(std::int64_t n, std::size_t bytes) {
  const auto line = std::max<std::int64_t>(static_cast<std::int64_t>(cache_line / bytes), 1);
  const std::int64_t lines = std::max<std::int64_t>((n + line - 1) / line, 1);
  return (lines % 2 == 1 ? lines : lines + 1) * line;
}
template <class Value>
std::int64_t padded_row(std::int64_t n) {
  return padded_row(n, sizeof(Value));
}

/// Returns the number of lines in a tile, for `n` points of `bytes` bytes: 8 to 64, about half of the level 1 cache.
inline std::int64_t tile_of_lines(std::int64_t n, std::size_t bytes) {
  constexpr std::int64_t half_of_cache = 32 * 1024;
  return std::clamp<std::int64_t>(half_of_cache / (n * static_cast<std::int64_t>(bytes)), 8, 64);
}

/// Returns the maximum size in bytes of a sphere's plane that is stored at full width.
inline std::int64_t largest_full_plane() { return core_cache() / 2; }

/// Batches of lines that are equal except the last one. There is a transform for each of both sizes.
class LineTiles {
 public:
  LineTiles() = default;
  /// Divides `lines.count` lines into the smallest number of tiles of at most `tile` lines. If lines do not share cache
  /// lines, tiles are as equal as possible, which often avoids a second transform.
  LineTiles(LineLibrary library, Lines lines, std::int64_t tile) : total_(lines.count), tile_(tile) {
    const bool apart = lines.in.distance != 1 && lines.out.distance != 1;
    if (apart && total_ > tile_) tile_ = (total_ + tiles() - 1) / tiles();
    lines.count = std::min(tile_, total_);
    if (total_ > 0) full_ = line_fft(library, lines);
    lines.count = total_ % tile_;
    if (lines.count > 0) rest_ = line_fft(library, lines);
  }
  std::int64_t tiles() const { return (total_ + tile_ - 1) / tile_; }
  Range lines(std::int64_t tile) const { return {tile * tile_, std::min((tile + 1) * tile_, total_)}; }
  void run(std::int64_t tile, const void* in, void* out) const {
    (lines(tile).size() == tile_ || !rest_ ? full_ : rest_)->run(in, out);
  }

 private:
  std::int64_t total_ = 0, tile_ = 1;
  std::shared_ptr<const LineFft> full_, rest_;
};

/// Calls work(i, thread) for i in [0, n) with `threads` threads. The first thread calls `between` after each of its
/// calls. An exception is rethrown after all calls.
template <class Work, class Between>
void for_tiles(std::int64_t n, int threads, const Work& work, const Between& between) {
  if (threads <= 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      work(i, 0);
      between();
    }
    return;
  }
  std::exception_ptr thrown;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t i = 0; i < n; ++i) {
    const int thread = omp_get_thread_num();
    try {
      work(i, thread);
      if (thread == 0) between();
    } catch (...) {
#pragma omp critical(seiche_for_tiles)
      thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// A block of memory for each thread.
template <class Value>
class Scratch {
 public:
  Scratch() = default;
  Scratch(int threads, std::int64_t size)
      : size_(padded_row<Value>(size)),
        memory_(static_cast<std::size_t>(threads * size_) * sizeof(Value), Fresh::zero) {}
  Value* of(int thread) { return reinterpret_cast<Value*>(memory_.data()) + thread * size_; }
  std::size_t bytes() const { return memory_.size(); }

 private:
  std::int64_t size_ = 0;
  Memory memory_;
};

}  // namespace seiche
