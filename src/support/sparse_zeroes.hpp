// SPDX-License-Identifier: BSD-3-Clause
/// \file  Zeroed address space that uses memory only for accessed pages. Arrays of 1D FFTs may have a stride of a plane
/// and extend over a whole grid.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace seiche {

class SparseZeroes {
 public:
  explicit SparseZeroes(std::size_t bytes)
      : bytes_(std::max<std::size_t>(bytes, 1)),
        data_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(data_, bytes_, MADV_NOHUGEPAGE);  // otherwise each access allocates a huge page
  }
  ~SparseZeroes() { ::munmap(data_, bytes_); }
  SparseZeroes(const SparseZeroes&) = delete;
  SparseZeroes& operator=(const SparseZeroes&) = delete;
  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace seiche
