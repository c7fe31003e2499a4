// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products for solvers: each with a bound on its error, and counted.
#pragma once

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/matrix/sums.hpp"
#include "seiche/purify.hpp"

namespace seiche {

using Matrix = BlockMatrix<double>;

/// Default limit, which suffices for all solvable problems. Smaller limits may be raised.
inline constexpr int usual_iterations = 100;

/// A matrix and a bound on its Frobenius distance from the exact one.
struct Bounded {
  Matrix matrix;
  double error = 0;
};

class Products {
 public:
  explicit Products(Multiplier& multiply) : multiply_(multiply) {}

  /// Collective. Computes alpha A B, with the error bound of the product.
  Bounded operator()(const Matrix& a, const Matrix& b, double alpha = 1) {
    Matrix c(product_layout(a.layout(), b.layout()));
    const auto& report = multiply_(Product<double>{a, b, alpha}, c);
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
struct Root {
  Matrix matrix;
  int iterations = 0;
};
/// Collective. \param progress called after each iteration, may be empty
Root inverse_square_root(const Matrix& s, Products& product, int max_iterations, const PurifyProgress& progress);

inline Matrix identity(const SharedLayout& layout) {
  Matrix one(layout);
  add_to_diagonal(one, 1.0);
  return one;
}

/// Collective. Returns (X + X^T) / 2, without blocks below the filter. \param error is increased by the dropped blocks
inline Matrix symmetrized(const Matrix& x, double eps, double& error) {
  Matrix half = add(0.5, x, 0.5, redistribute(x, x.shared_layout(), Transpose::yes));
  set_error_bound(half, 0);
  if (eps > 0) error += std::sqrt(exact_sum(x.layout().comm, half.drop_below(eps)));
  return half;
}

}  // namespace seiche
