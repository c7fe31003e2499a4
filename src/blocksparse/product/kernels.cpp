// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/kernels.hpp"

#include <mpi.h>

#include <array>
#include <complex>
#include <random>
#include <type_traits>

#include "blocksparse/matrix/block_memory.hpp"
#include "seiche/block_product.hpp"
#include "support/blas.hpp"
#if SEICHE_XSMM
#include <libxsmm.h>
#endif

extern "C" {  // BLAS functions with Fortran names
void sgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*, const int*,
            const void*, const int*, const void*, void*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*, const int*,
            const void*, const int*, const void*, void*, const int*);
void cgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*, const int*,
            const void*, const int*, const void*, void*, const int*);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const void*, const void*, const int*,
            const void*, const int*, const void*, void*, const int*);
}

namespace seiche {

template <class Value>
void Kernel<Value>::by_blas(const Value* a, const Value* b, Value* c, bool fresh) const {
  const auto alone = lock_blas();
  const Value one(1), beta(fresh ? 0 : 1);
  auto* gemm = sgemm_;
  if constexpr (std::is_same_v<Value, double>) gemm = dgemm_;
  if constexpr (std::is_same_v<Value, std::complex<float>>) gemm = cgemm_;
  if constexpr (std::is_same_v<Value, std::complex<double>>) gemm = zgemm_;
  gemm("N", "N", &m, &n, &k, &one, a, &m, b, &k, &beta, c, &m);
}

#if SEICHE_XSMM
namespace {
constexpr int largest_made = 80;  // beyond this size BLAS is as fast, and the generated code is long

void make(Kernel<double>& kernel, double beta, Kernel<double>::Code& code) {
  const double one = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  code = libxsmm_dmmdispatch(kernel.m, kernel.n, kernel.k, nullptr, nullptr, nullptr, &one, &beta, &flags, &prefetch);
}
void make(Kernel<float>& kernel, float beta, Kernel<float>::Code& code) {
  const float one = 1;
  const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  code = libxsmm_smmdispatch(kernel.m, kernel.n, kernel.k, nullptr, nullptr, nullptr, &one, &beta, &flags, &prefetch);
}
}  // namespace
const char* kernel_library() { return "libxsmm"; }
#else
const char* kernel_library() { return "blas"; }
#endif

template <class Value>
Kernel<Value> kernel_for(int m, int n, int k) {
  Kernel<Value> kernel{m, n, k};
#if SEICHE_XSMM
  if constexpr (std::is_floating_point_v<Value>) {
    if (m <= largest_made && n <= largest_made && k <= largest_made) {
      make(kernel, 0, kernel.replacing);
      make(kernel, 1, kernel.adding);
      if (!kernel.replacing) kernel.adding = nullptr;
    }
  }
#endif
  return kernel;
}

template <class Value>
KernelTable<Value>::KernelTable(const std::vector<std::int32_t>& m, const std::vector<std::int32_t>& n,
                                const std::vector<std::int32_t>& k)
    : n_kinds_(n.size()), k_kinds_(k.size()) {
  constexpr std::size_t most = 4096;  // with many sizes, generating the code would take longer than running it
  const bool few = m.size() * n.size() * k.size() <= most;
  for (const std::int32_t rows : m) {
    for (const std::int32_t columns : n) {
      for (const std::int32_t inner : k) {
        kernels_.push_back(few ? kernel_for<Value>(rows, columns, inner) : Kernel<Value>{rows, columns, inner});
      }
    }
  }
}

template struct Kernel<float>;
template struct Kernel<double>;
template struct Kernel<std::complex<float>>;
template struct Kernel<std::complex<double>>;
template class KernelTable<float>;
template class KernelTable<double>;
template class KernelTable<std::complex<float>>;
template class KernelTable<std::complex<double>>;

double small_product_rate(std::array<int, 3> shape, std::int64_t bytes) {
  const auto [m, n, k] = shape;
  const auto kernel = kernel_for<double>(m, n, k);
  const std::int64_t a_size = m * k, b_size = k * n, c_size = m * n;
  const std::int64_t blocks = std::max<std::int64_t>(1, bytes / (8 * (a_size + b_size + c_size)));
  RawVector<double> a(a_size * blocks), b(b_size * blocks), c(c_size * blocks);
  for (auto* values : {&a, &b, &c}) std::fill(values->begin(), values->end(), 0.5);
  std::mt19937 random(1);
  std::vector<std::array<std::int64_t, 3>> order(4096);
  for (auto& triple : order) {
    for (auto& block : triple) block = static_cast<std::int64_t>(random()) % blocks;
  }
  const double operations = 2.0 * m * n * k;
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const auto repeats = static_cast<std::int64_t>(5e8 / operations) + 1;
    const double start = MPI_Wtime();
    for (std::int64_t r = 0; r < repeats; ++r) {
      const auto& at = order[r % 4096];
      kernel(a.data() + at[0] * a_size, b.data() + at[1] * b_size, c.data() + at[2] * c_size, true);
    }
    best = std::max(best, operations * static_cast<double>(repeats) / (MPI_Wtime() - start) * 1e-9);
  }
  return best;
}

}  // namespace seiche
