// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small dense products: C = A B or C += A B for contiguous, column-major blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace seiche {

/// The product of m x k and k x n blocks. LIBXSMM generates code for real shapes up to a limit; BLAS is used for the
/// others, and if LIBXSMM is absent.
template <class Value>
struct Kernel {
  using Code = void (*)(const Value* a, const Value* b, Value* c, ...);
  int m = 0, n = 0, k = 0;
  Code replacing = nullptr, adding = nullptr;  // null: BLAS

  /// `fresh`: C is replaced, otherwise the product is added.
  void operator()(const Value* a, const Value* b, Value* c, bool fresh) const {
    if (adding) {
      (fresh ? replacing : adding)(a, b, c);
    } else {
      by_blas(a, b, c, fresh);
    }
  }
  void by_blas(const Value* a, const Value* b, Value* c, bool fresh) const;
};

template <class Value>
Kernel<Value> kernel_for(int m, int n, int k);

/// Returns "libxsmm" or "blas".
const char* kernel_library();

/// The kernels of a product, by classes of block sizes.
template <class Value>
class KernelTable {
 public:
  /// Classes of block sizes along rows, columns and the inner index.
  KernelTable(const std::vector<std::int32_t>& m, const std::vector<std::int32_t>& n,
              const std::vector<std::int32_t>& k);

  const Kernel<Value>& operator()(std::size_t m_kind, std::size_t n_kind, std::size_t k_kind) const {
    return kernels_[(m_kind * n_kinds_ + n_kind) * k_kinds_ + k_kind];
  }

 private:
  std::size_t n_kinds_, k_kinds_;
  std::vector<Kernel<Value>> kernels_;
};

}  // namespace seiche
