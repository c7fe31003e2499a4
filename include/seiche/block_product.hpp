// SPDX-License-Identifier: BSD-3-Clause
/// \file  Filtered products of block-sparse matrices, C = alpha op(A) op(B) + beta C, with communication hidden behind
/// work, and a bound on their error.
#pragma once

#include <functional>
#include <memory>

#include "seiche/blocksparse.hpp"
#include "seiche/exchange.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// For measuring: move the blocks and do no products, busily waiting or asleep meanwhile. C is left empty.
enum class OnlyExchange { no, awake, asleep };

/// What is asked of a product.
template <class Value>
struct Product {
  const BlockMatrix<Value>& a;
  const BlockMatrix<Value>& b;
  Value alpha = 1, beta = 0;
  Transpose op_a = Transpose::no, op_b = Transpose::no;
};

/// How a product is computed.
struct ProductOptions {
  /// A_ik B_kj is skipped where |A_ik| |B_kj| < eps / (non-zero blocks in row i of A); then C_ij is dropped where
  /// |C_ij| < eps. Frobenius norms; 0: keep everything.
  double eps = 0;
  int threads = 1;  ///< OpenMP threads of this rank
  /// Its window: panels in memory; 0: 3, 1: exchange and work take turns. Its memory: what ProductReport::memory may
  /// come to.
  Policy policy{};
  int panels = 0;             ///< into which a rank cuts its work; 0: by size
  int layers = 0;             ///< of the inner index; 1: the 2D product; 0: what costs least
  bool whole_panels = false;  ///< send blocks whether needed or not
  /// Work of the thread that drives communication, 1: as much as the others have; below 0: found by measurement.
  double communication_share = -1;
  OnlyExchange only_exchange = OnlyExchange::no;
  /// Called on each rank as soon as it is known how much memory the product will take there at most, before values take
  /// any; once more before that for each operand that has to be redistributed. What MPI holds is not in it.
  std::function<void(std::int64_t bytes)> memory_needed = nullptr;
};

/// What a product did and cost on this rank; sums over ranks where it says so.
struct ProductReport {
  double error = 0;           ///< bound on the Frobenius norm of the error of C, everything included; same on all ranks
  double filter_error = 0;    ///< that part of it which the filter of this product made; same on all ranks
  std::int64_t products = 0;  ///< small products done
  std::int64_t skipped = 0;   ///< small products that the filter skipped
  std::int64_t operations = 0;                      ///< floating-point operations done
  std::int64_t bytes_received = 0, bytes_sent = 0;  ///< blocks of A and B, and of C between layers
  std::int64_t bytes_index = 0;                     ///< received: norms and lists of blocks
  std::int64_t bytes_whole_panels = 0;              ///< blocks that whole panels would have brought here
  std::int64_t memory = 0;                          ///< predicted peak, bytes
  std::string algorithm;                            ///< that moved blocks of A and B
  int panels = 1, layers = 1, window = 1;
  double communication_share = 1;  ///< of the thread that drives communication, as used
  double seconds_plan = 0, seconds_index = 0, seconds_work = 0, seconds_wait = 0, seconds_poll = 0, seconds_total = 0;
  std::int64_t polls = 0, moves = 0;  ///< while working; moves: polls that moved something
  std::string kernels;                ///< "libxsmm" or "blas"
};

/// Does products, and keeps memory and what it measured from one to the next. Its end is collective: ranks of a node
/// share memory, and close() it or let it go together.
/// For one thread at a time: see communicator.hpp.
class Multiplier {
 public:
  explicit Multiplier(ProductOptions options = {});
  ~Multiplier();
  Multiplier(Multiplier&&) noexcept;
  Multiplier& operator=(Multiplier&&) noexcept;

  /// Collective. C's rows lie on the grid as its layout says; operands in other layouts, transposed ones and those that
  /// store one triangle are redistributed first. C's own memory is used again where it suffices. The blocks of a
  /// product on one layer are the same to the last bit on any number of ranks and threads.
  /// \throws Error where shapes do not fit, or the policy's memory would be exceeded
  template <class Value>
  const ProductReport& operator()(const Product<Value>& product, BlockMatrix<Value>& c);

  ProductOptions& options();            ///< Local. Of the next product; alike on all ranks.
  const ProductReport& report() const;  ///< Local. Of the last product.
  void close();  ///< Collective. Frees the memory that is kept between products; none can be made after that.

  struct Body;

 private:
  Body& body() const;
  std::unique_ptr<Body> body_;
};

/// Collective. Does the product again and again, into a matrix of layout `c`, with all algorithms, windows, panels,
/// layers and shares of the communicating thread that these ranks can use, and writes what won to the tuning file
/// (docs/tuning.md). Products alike whose algorithm and memory are left open begin with it from then on, in multipliers
/// that have not done any yet. What `options` say of these is not looked at. \throws Error(unwritable) when the file
/// cannot be written
template <class Value>
TuneReport<ProductOptions> tune_product(const Product<Value>& product, const SharedLayout& c,
                                        const ProductOptions& options = {}, const TuneRequest& request = {});

/// Local. Rate of the small product alone, m x n x k of doubles, in Gflop/s: over few blocks (in cache), or over
/// `bytes` of them in random order.
double small_product_rate(std::array<int, 3> shape, std::int64_t bytes);

}  // namespace seiche
