// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products for solvers: each with a bound on its error, and counted.
#pragma once

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/matrix/sums.hpp"
#include "comm/equal_arguments.hpp"
#include "seiche/purify.hpp"
#include "support/require.hpp"

namespace seiche {

/// Default limit, which suffices for all solvable problems. Smaller limits may be raised.
inline constexpr int usual_iterations = 100;

/// A matrix and a bound on its Frobenius distance from the exact one.
template <class Value>
struct Bounded {
  BlockMatrix<Value> matrix;
  double error = 0;
};

inline void require_iterations(int most) {
  require(most >= 1, Fault::bad_argument, "the limit of iterations must be at least 1 (got {})", most);
}

/// Collective. Calls the function of the caller, if there is one. \throws its error on all ranks
inline void report_progress(const Communicator& comm, const PurifyProgress& progress, PurifyStage stage, int iteration,
                            double residual) {
  if (progress) together(comm, [&] { progress(stage, iteration, residual); });
}

class Products {
 public:
  explicit Products(Multiplier& multiply) : multiply_(multiply) {}

  /// Collective. Computes alpha A B, with the error bound of the product.
  template <class Value>
  Bounded<Value> operator()(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, double alpha = 1) {
    auto c = made_together(a.layout().comm, [&] { return BlockMatrix<Value>(product_layout(a.layout(), b.layout())); });
    const auto& report = multiply_(Product<Value>{a, b, alpha}, c);
    ++count_;
    memory_ = std::max(memory_, report.memory);
    return {std::move(c), report.error};
  }
  double eps() const { return multiply_.options().eps; }
  int count() const { return count_; }
  std::int64_t memory() const { return memory_; }

 private:
  Multiplier& multiply_;
  int count_ = 0;
  std::int64_t memory_ = 0;
};

/// S^(-1/2), and the number of iterations.
template <class Value>
struct Root {
  BlockMatrix<Value> matrix;
  int iterations = 0;
};
/// Collective. \param progress called after each iteration, may be empty
template <class Value>
Root<Value> inverse_square_root(const BlockMatrix<Value>& s, Products& product, int max_iterations,
                                const PurifyProgress& progress);

/// Collective. Removes blocks below the filter. \return the norm of the removed blocks
template <class Value>
double drop_below(BlockMatrix<Value>& x, double eps) {
  if (eps <= 0) return 0;
  return std::sqrt(exact_sum(x.layout().comm, [&] { return std::vector{x.drop_below(eps)}; }));
}

/// Returns the number of basis functions.
inline std::int64_t functions_of(const BlockLayout& layout) { return starts_of(layout.row_sizes).back(); }

/// Local. Returns factor X + shift 1.
template <class Value>
BlockMatrix<Value> scaled_and_shifted(BlockMatrix<Value> x, double factor, double shift) {
  if (factor != 1) scale(x, factor);
  if (shift != 0) add_to_diagonal(x, shift);
  return x;
}
/// Collective. Replaces X by factor X + shift 1. \throws the error of a rank without memory on all ranks
template <class Value>
void make_affine(BlockMatrix<Value>& x, double factor, double shift) {
  together(x.layout().comm, [&] { x = scaled_and_shifted(std::move(x), factor, shift); });
}
/// Collective. Returns factor X + shift 1. Errors as for make_affine().
template <class Value>
BlockMatrix<Value> affine(double factor, const BlockMatrix<Value>& x, double shift) {
  return made_together(x.layout().comm, [&] { return scaled_and_shifted(x, factor, shift); });
}
/// Collective. Returns a X + b Y + shift 1. Errors as for make_affine().
template <class Value>
BlockMatrix<Value> combination(double a, const BlockMatrix<Value>& x, double b, const BlockMatrix<Value>& y,
                               double shift = 0) {
  return made_together(x.layout().comm, [&] { return scaled_and_shifted(add(a, x, b, y), 1, shift); });
}
/// Collective. Returns 1. Errors as for make_affine().
template <class Value>
BlockMatrix<Value> identity(const SharedLayout& layout) {
  return made_together(layout->comm, [&] { return scaled_and_shifted(BlockMatrix<Value>(layout), 1, 1); });
}

/// Collective. Returns (X + X^H) / 2, without blocks below the filter. \param error is increased by the dropped blocks
template <class Value>
BlockMatrix<Value> symmetrized(const BlockMatrix<Value>& x, double eps, double& error) {
  BlockMatrix<Value> half = combination(0.5, x, 0.5, redistribute(x, x.shared_layout(), Transpose::conjugate));
  set_error_bound(half, 0);
  error += drop_below(half, eps);
  return half;
}

}  // namespace seiche
