// SPDX-License-Identifier: BSD-3-Clause
/// \file  Filtered products of block-sparse matrices, C = alpha op(A) op(B) + beta C. Communication overlaps with
/// computation. Each product has a rigorous error bound.
#pragma once

#include <functional>
#include <memory>

#include "seiche/blocksparse.hpp"
#include "seiche/exchange.hpp"
#include "seiche/pending.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// Benchmark only: exchange blocks without multiplying, either spinning (`awake`) or sleeping (`asleep`) while waiting.
/// C is left empty.
enum class OnlyExchange { no, busy_wait, blocking_wait };

/// Operands of C = alpha op(A) op(B) + beta C. Refers to A and B; they must outlive it.
template <class Value>
struct Product {
  const BlockMatrix<Value>& a;                           ///< A
  const BlockMatrix<Value>& b;                           ///< B
  Value alpha = 1, beta = 0;                             ///< factors
  Transpose op_a = Transpose::no, op_b = Transpose::no;  ///< operations on A and B
};

/// Options of products. Must be equal on all ranks, except `policy.memory`, `threads`, `policy.progress` and
/// `memory_needed`.
struct ProductOptions {
  /// Filter threshold (0: no filter). A_ik B_kj is skipped if |A_ik| |B_kj| < eps / (number of blocks in row i of A).
  /// Then C_ij is dropped if |C_ij| < eps. Norms are Frobenius norms.
  double eps = 0;
  int threads = 1;  ///< OpenMP threads of this rank
  /// `policy.window`: number of panels in memory (0: 3; 1: no overlap of exchange and computation). `policy.memory`:
  /// upper limit of ProductReport::memory.
  Policy policy{};
  int panels = 0;             ///< number of panels into which a rank cuts its work (0: by size)
  int layers = 0;             ///< layers of the inner index, 2.5D product (1: 2D product; 0: least communication)
  bool whole_panels = false;  ///< send all blocks of a panel, not only the needed ones
  /// Chooses the blocks of C to compute (empty: all). Products for other blocks are neither computed nor counted, and
  /// error bounds do not include them. Several threads call it at the same time. It must not throw.
  BlockChoice wanted = nullptr;
  /// Work of the thread that drives communication, relative to the other threads (below 0: measured).
  double communication_share = -1;
  OnlyExchange only_exchange = OnlyExchange::no;  ///< benchmark only
  /// Called on each rank with the largest memory that the product will need there, before values are allocated. An
  /// earlier call for each operand that must be redistributed covers the redistribution. Memory of MPI is not included.
  std::function<void(std::int64_t bytes)> memory_needed = nullptr;
};

/// Result and costs of a product on this rank.
struct ProductReport {
  double error = 0;             ///< bound on the Frobenius norm of the error of C; same on all ranks
  double filter_error = 0;      ///< part of `error` from the filter of this product; same on all ranks
  std::int64_t products = 0;    ///< number of block products computed
  std::int64_t skipped = 0;     ///< number of block products that the filter skipped
  std::int64_t operations = 0;  ///< number of floating-point operations
  std::int64_t bytes_received = 0, bytes_sent = 0;  ///< blocks of A and B, and blocks of C between layers
  std::int64_t bytes_index = 0;                     ///< received norms and lists of blocks (0: the plan was reused)
  std::int64_t bytes_whole_panels = 0;              ///< bytes that this rank would receive with `whole_panels`
  std::int64_t memory = 0;                          ///< predicted peak, bytes
  std::string algorithm;                            ///< exchange algorithm for the blocks of A and B
  int panels = 1, layers = 1, window = 1;           ///< values that were used
  double communication_share = 1;                   ///< value that was used
  /// Seconds of planning, index exchange, multiplication, waiting, polls, and the whole product.
  double seconds_plan = 0, seconds_index = 0, seconds_work = 0, seconds_wait = 0, seconds_poll = 0, seconds_total = 0;
  std::int64_t polls = 0, moves = 0;  ///< polls while multiplying; `moves`: polls that made progress
  std::string kernels;                ///< "libxsmm" or "blas"
  std::string tuning = "none";        ///< use of the tuning file: "none", "used", or "ignored: " and the reason
};

/// Computes products. Memory, measured settings and the plans of unfiltered products are cached from one product to
/// the next. The destructor is collective, because the ranks of a node share memory. One thread at a time may use it
/// (see communicator.hpp).
class Multiplier {
 public:
  /// Local. Creates a multiplier.
  explicit Multiplier(ProductOptions options = {});
  ~Multiplier();
  Multiplier(Multiplier&&) noexcept;
  Multiplier& operator=(Multiplier&&) noexcept;

  /// Collective. Computes the product into `c`. Operands are redistributed first if they are transposed, store one
  /// triangle, or have another layout. If `c` stores one triangle, only this triangle is computed; the product must
  /// have the symmetry of `c`. The memory of `c` is reused if it is large enough. With one layer, results are bitwise
  /// identical on any number of ranks and threads.
  /// \throws Error if shapes do not fit, or more memory is needed than `policy.memory`
  template <class Value>
  const ProductReport& operator()(const Product<Value>& product, BlockMatrix<Value>& c);

  /// Collective. Starts a product (see pending.hpp). Blocks are exchanged while the caller works. A multiplier has one
  /// started product at a time; the report is complete after finish(). A and B must outlive the call and stay
  /// unchanged. finish() throws the same errors as operator().
  template <class Value>
  [[nodiscard]] Pending start(const Product<Value>& product, BlockMatrix<Value>& c);

  ProductOptions& options();            ///< Local. Options of the next product. Change them equally on all ranks.
  const ProductReport& report() const;  ///< Local. Report of the last product.
  void close();  ///< Collective. Frees the cached memory. The multiplier cannot be used afterwards.

  struct Body;

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Collective. Times the product, into a matrix of layout `c`, with different settings and writes the fastest to the
/// tuning file. Settings are: algorithm, window, panels, layers and communication share. `options` gives all others.
/// New multipliers use the result for similar products, if `algorithm` is automatic and `memory` is 0.
/// \throws Error(unwritable) if the file cannot be written
template <class Value>
TuneReport<ProductOptions> tune_product(const Product<Value>& product, const SharedLayout& c,
                                        const ProductOptions& options = {}, const TuneRequest& request = {});

/// Local. Measures the rate of block products of doubles, m x n x k, in Gflop/s. With `bytes` = 0 the blocks are in
/// cache. Otherwise they are taken in random order from a working set of `bytes`.
double small_product_rate(std::array<int, 3> shape, std::int64_t bytes);

}  // namespace seiche
