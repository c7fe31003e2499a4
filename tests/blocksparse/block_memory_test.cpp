// SPDX-License-Identifier: BSD-3-Clause
/// \file  What products say of their memory, against what the C library hands out: every allocation of the process,
/// MPI's included, is counted by hooks that the products know nothing of, and shared windows by MPI's profiling
/// interface.
#include <malloc.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "blocksparse/matrix/block_memory.hpp"
#include "seiche/block_product.hpp"
#include "support/mpi_test.hpp"

// What the hooks stand for, by glibc's own names.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

std::atomic<std::int64_t> in_use{0}, peak{0};
std::int64_t window_bytes = 0, windows_freed = 0;

/// Aligned pieces, by what was asked for: the C library takes up to the alignment more, and nobody touches it.
class AlignedPieces {
 public:
  void add(void* memory, std::size_t n) {
    for (auto& piece : pieces_) {
      void* none = nullptr;
      if (piece.memory.compare_exchange_strong(none, memory)) return void(piece.bytes = static_cast<std::int64_t>(n));
    }
    std::abort();  // more pieces than this test takes
  }
  /// \return bytes; -1: not one of them
  std::int64_t remove(void* memory) {
    for (auto& piece : pieces_) {
      if (piece.memory != memory) continue;
      const std::int64_t bytes = piece.bytes;
      piece.memory = nullptr;
      return bytes;
    }
    return -1;
  }

 private:
  struct Piece {
    std::atomic<void*> memory{nullptr};
    std::atomic<std::int64_t> bytes{0};
  };
  std::array<Piece, 256> pieces_{};
} large_pieces;
constexpr std::size_t large = std::size_t{1} << 20;

void* taken(void* memory, std::int64_t bytes) {
  const std::int64_t now = in_use += bytes;
  for (std::int64_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return memory;
}
void* taken(void* memory) {
  return memory ? taken(memory, static_cast<std::int64_t>(malloc_usable_size(memory))) : nullptr;
}
void* taken_aligned(std::size_t alignment, std::size_t n) {
  void* const memory = __libc_memalign(alignment, n);
  if (!memory || alignment < large) return taken(memory);
  large_pieces.add(memory, n);
  return taken(memory, static_cast<std::int64_t>(n));
}
void given_back(void* memory) {
  if (!memory) return;
  constexpr std::uintptr_t page = large - 1;
  const bool may_be_aligned = (reinterpret_cast<std::uintptr_t>(memory) & page) == 0;
  const std::int64_t bytes = may_be_aligned ? large_pieces.remove(memory) : -1;
  in_use -= bytes >= 0 ? bytes : static_cast<std::int64_t>(malloc_usable_size(memory));
}

}  // namespace

// The hooks.
extern "C" {
void* malloc(std::size_t n) noexcept { return taken(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t size) noexcept { return taken(__libc_calloc(n, size)); }
void* realloc(void* memory, std::size_t n) noexcept {
  given_back(memory);
  return taken(__libc_realloc(memory, n));
}
void* memalign(std::size_t alignment, std::size_t n) noexcept { return taken_aligned(alignment, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept { return taken_aligned(alignment, n); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t n) noexcept {
  *memory = taken_aligned(alignment, n);
  return *memory ? 0 : ENOMEM;
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window) {
  window_bytes += size;
  return PMPI_Win_allocate_shared(size, unit, info, comm, memory, window);
}
int MPI_Win_free(MPI_Win* window) {
  ++windows_freed;
  return PMPI_Win_free(window);
}
void free(void* memory) noexcept {
  given_back(memory);
  __libc_free(memory);
}
}

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;

constexpr std::int64_t of_mpi = 1 << 20;  // lists of requests and buffers that MPI takes and keeps

/// Symmetric in i and j, so that operands may store one triangle.
bool is_there(std::int32_t i, std::int32_t j, double fill) {
  const std::uint64_t low = static_cast<std::uint64_t>(std::min(i, j)),
                      high = static_cast<std::uint64_t>(std::max(i, j));
  std::uint64_t x = (low * 1000003U + high) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  return i == j || static_cast<double>(x >> 11) * 0x1p-53 < fill;
}

struct Case {
  const char* name = "";
  std::size_t blocks = 120;
  BlockSizes sizes{23};
  double fill = 0.2, beta = 0;
  Transpose op_a = Transpose::no;
  Symmetry symmetry = Symmetry::none;
  bool keeps = false;  ///< C has held a smaller product before
  ProductOptions options{};
};

BlockMatrix<double> sample(const SharedLayout& layout, double fill, Symmetry symmetry = Symmetry::none) {
  BlockMatrix<double> m(layout, symmetry);
  std::vector<BlockPlace> entries;
  for (const std::int32_t i : m.rows()) {
    for (std::int32_t j = symmetry == Symmetry::none ? 0 : i;
         j < static_cast<std::int32_t>(layout->column_sizes.size()); ++j) {
      if (layout->owner(i, j) == testing::rank() && is_there(i, j, fill)) entries.push_back({i, j});
    }
  }
  m.reserve(std::move(entries));
  double next = 0.1;
  for (double& v : m.change_values()) v = std::exp(-4 * (next = std::fmod(next + 0.618034, 1.0)));
  return m;
}

/// What one product took beside what was there before, what it said, and when.
struct Watch {
  std::int64_t took = 0, announced = 0, took_before_announced = -1;
  std::int64_t windows = 0;   ///< of all ranks, in equal parts: one of them allocates what all use
  bool always_within = true;  ///< of what had been announced until then
};

std::int64_t of_all_ranks(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

Watch watch(const Case& of) {
  BlockSizes sizes;
  for (std::size_t i = 0; i < of.blocks; ++i) sizes.push_back(of.sizes[i % of.sizes.size()]);
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, sizes, sizes);
  const auto a = sample(layout, of.fill, of.symmetry), b = sample(layout, of.fill, of.symmetry);
  BlockMatrix<double> c(layout);
  if (of.beta != 0) c = sample(layout, 0.3);
  a.norms(), b.norms();
  // Once with small matrices, for what MPI and the kernels' code take and keep.
  BlockMatrix<double> little = sample(layout, 0.02), first(layout);
  Multiplier multiply(of.options);
  multiply(Product<double>{little, little}, of.keeps ? c : first);

  // The library keeps memory that was given back, up to what was once in use. This, never touched, leaves none to
  // serve.
  static std::vector<RawVector<double>> hoard;
  hoard.emplace_back(std::size_t{1} << 25);

  Watch seen;
  window_bytes = 0;
  const std::int64_t before = in_use;
  peak = before;
  multiply.options().memory_needed = [&](std::int64_t bytes) {
    const std::int64_t so_far = peak - before;
    if (seen.took_before_announced < 0) {
      seen.took_before_announced = so_far;
    } else {
      seen.always_within = seen.always_within && so_far <= seen.announced + of_mpi;
    }
    seen.announced = bytes;
  };
  try {
    multiply(Product<double>{a, b, 1.0, of.beta, of.op_a}, c);
  } catch (...) {
    seen.took = peak - before;
    if (of.options.policy.memory > 0) return seen;
    throw;
  }
  seen.took = peak - before;
  seen.windows = of_all_ranks(window_bytes) / testing::ranks();
  if (testing::rank() == 0) {
    std::printf("%-28s announced %8.3f MB, took %8.3f MB and %8.3f MB of windows, %6.3f MB of them before\n", of.name,
                static_cast<double>(seen.announced) * 1e-6, static_cast<double>(seen.took) * 1e-6,
                static_cast<double>(seen.windows) * 1e-6, static_cast<double>(seen.took_before_announced) * 1e-6);
  }
  return seen;
}

std::vector<Case> cases() {
  Case plain{"23"};
  Case kept = plain, added = plain, turned = plain, triangle = plain, threads = plain, filtered = plain, layers = plain;
  kept.name = "23, into memory of C";
  kept.keeps = true;
  added.name = "23, beta";
  added.beta = 0.5;
  turned.name = "23, transposed";
  turned.op_a = Transpose::yes;
  triangle.name = "23, triangles";
  triangle.symmetry = Symmetry::symmetric;
  threads.name = "23, 2 threads, window 5";
  threads.options.threads = 2;
  threads.options.policy.window = 5;
  filtered.name = "23, filtered";
  filtered.options.eps = 1;
  Case small{"5 and 13", 300, {5, 13}, 0.1};
  Case tiny{"1 and 2", 700, {1, 2}, 0.1};
  std::vector<Case> all{plain, kept, added, turned, triangle, threads, filtered, small, tiny};
  const auto grid = square_grid(testing::ranks());
  if (grid[0] % 2 == 0 || grid[1] % 2 == 0) {
    layers.options.layers = 2;
    for (const double beta : {0.0, 0.5}) {
      layers.beta = beta;
      layers.name = beta == 0 ? "23, 2 layers" : "23, 2 layers, beta";
      all.push_back(layers);
    }
  }
  return all;
}

TEST(BlockMemory, IsAnnouncedBeforeItIsTakenAndHeld) {
  for (const Case& one : cases()) {
    const Watch seen = watch(one);
    EXPECT_LE(seen.took, seen.announced + of_mpi) << one.name;
    EXPECT_TRUE(seen.always_within) << one.name;
    EXPECT_LE(seen.took_before_announced, seen.announced / 2 + of_mpi) << one.name << ": taken before it was announced";
    EXPECT_LE(of_all_ranks(seen.took + seen.windows), of_all_ranks(seen.announced + of_mpi)) << one.name;
    EXPECT_LE(seen.announced, 2 * (seen.took + seen.windows) + of_mpi) << one.name << ": announced far too much";
    compared(5);
  }
}

TEST(BlockMemory, IsGivenBackByClose) {
  const BlockSizes sizes(20, 23);
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, sizes, sizes);
  const auto a = sample(layout, 0.5);
  Multiplier multiply({.layers = 1});
  BlockMatrix<double> c(layout);
  multiply(Product<double>{a, a}, c);
  const std::int64_t before = windows_freed;
  multiply.close();
  EXPECT_EQ(windows_freed - before > 0, testing::ranks() > 1);
  multiply.close();  // once more does no harm
  testing::compared();
}

TEST(BlockMemory, IsNotTakenBeyondTheLimit) {
  for (Case one : cases()) {
    const bool costly = one.options.threads == 2 || one.symmetry != Symmetry::none || one.blocks > 500;
    if (costly && !testing::long_suite()) continue;
    const std::int64_t needed = watch(one).announced;
    one.options.policy.memory = needed;  // of this rank: enough to the byte
    EXPECT_EQ(watch(one).announced, needed) << one.name;
    one.options.policy.memory = needed - 1;  // refused where any is beyond its own
    const Watch refused = watch(one);
    EXPECT_LE(refused.took, one.options.policy.memory + of_mpi) << one.name;
    EXPECT_EQ(refused.announced, one.options.policy.memory + 1) << one.name;
    compared(2);
  }
}

}  // namespace
}  // namespace seiche
