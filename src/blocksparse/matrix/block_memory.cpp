// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory for values: aligned to cache lines, with huge pages for large allocations. A few large released
/// allocations are kept, because iterations request similar sizes repeatedly, and new pages are expensive.
#include "blocksparse/matrix/block_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <map>
#include <mutex>

#include "support/aligned_memory.hpp"

namespace seiche {

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20, least_kept = 2 * large_page;

/// Released allocations by size, at most `most_kept`. Together with the memory in use they never exceed the earlier
/// maximum.
class Store {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = kept_.lower_bound(bytes);
    if (found != kept_.end() && found->first <= bytes + bytes / 2) {
      const auto [size, piece] = *found;
      bytes_kept_ -= size;
      kept_.erase(found);
      return note(piece, size);
    }
    if (in_use_ + bytes_kept_ + bytes > peak_) let_go(peak_ > in_use_ + bytes ? peak_ - in_use_ - bytes : 0);
    return note(fresh(bytes), bytes);
  }

  void give_back(void* piece) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = sizes_.find(piece);
    in_use_ -= found->second;
    bytes_kept_ += found->second;
    kept_.emplace(found->second, piece);
    sizes_.erase(found);
    let_go(peak_ - in_use_);
  }

 private:
  static constexpr std::size_t most_kept = 4;

  void* fresh(std::size_t bytes) {
    void* piece = std::aligned_alloc(large_page, bytes);
    if (!piece) {
      let_go(0);
      piece = std::aligned_alloc(large_page, bytes);
    }
    if (!piece) throw std::bad_alloc();
    madvise(piece, bytes, MADV_HUGEPAGE);  // a request; without it pages are small
    return piece;
  }
  void* note(void* piece, std::size_t bytes) {
    sizes_[piece] = bytes;
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return piece;
  }
  void let_go(std::size_t until) noexcept {
    while (!kept_.empty() && (bytes_kept_ > until || kept_.size() > most_kept)) {
      const auto smallest = kept_.begin();
      bytes_kept_ -= smallest->first;
      std::free(smallest->second);
      kept_.erase(smallest);
    }
  }

  std::mutex mutex_;
  std::multimap<std::size_t, void*> kept_;
  std::map<void*, std::size_t> sizes_;  // of allocations in use
  std::size_t bytes_kept_ = 0, in_use_ = 0, peak_ = 0;
};

Store& store() {
  static Store* const one = new Store;  // outlives all matrices
  return *one;
}

std::size_t taken(std::size_t bytes) { return rounded_up(bytes, bytes >= least_kept ? large_page : cache_line); }

}  // namespace

std::int64_t bytes_taken(std::int64_t bytes) { return taken(bytes); }

template <class T>
T* RawAllocator<T>::allocate(std::size_t n) {
  const std::size_t bytes = n * sizeof(T);
  if (bytes >= least_kept) return static_cast<T*>(store().take(taken(bytes)));
  void* const p = std::aligned_alloc(cache_line, taken(bytes));
  if (!p) throw std::bad_alloc();
  return static_cast<T*>(p);
}

template <class T>
void RawAllocator<T>::deallocate(T* p, std::size_t n) noexcept {
  if (n * sizeof(T) >= least_kept) return store().give_back(p);
  std::free(p);
}

template struct RawAllocator<float>;
template struct RawAllocator<double>;
template struct RawAllocator<std::complex<float>>;
template struct RawAllocator<std::complex<double>>;
template struct RawAllocator<std::byte>;

}  // namespace seiche
