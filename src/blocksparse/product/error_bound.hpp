// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bounds on the Frobenius norm of the errors of a product and of its operands.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "blocksparse/matrix/scalar.hpp"
#include "seiche/block_product.hpp"

namespace seiche {

/// Bound on the relative error of one multiplication and addition.
template <class Value>
constexpr double roundoff = (is_complex<Value> ? 4.0 : 1.0) * std::numeric_limits<Real<Value>>::epsilon() / 2;

/// Collective. Returns the error of beta C: the error of C, and the rounding of scaling and addition.
template <class Value>
double error_of_old(const BlockMatrix<Value>& c, Value beta) {
  if (beta == Value(0)) return 0;
  return std::abs(beta) * (c.error_bound() + 4 * roundoff<Value> * frobenius_norm(c));
}

/// Collective. Returns the error of alpha A B from the errors of A and B.
template <class Value>
double error_of_operands(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, Value alpha) {
  const double of_a = a.error_bound(), of_b = b.error_bound();
  if (of_a <= 0 && of_b <= 0) return 0;
  return std::abs(alpha) * (of_a * frobenius_norm(b) + frobenius_norm(a) * of_b + of_a * of_b);
}

/// Sums of squares over this rank's blocks of one layer: of all error bounds, of the filter's part, and of dropped
/// blocks of C.
struct SquaredErrors {
  double all = 0, filter = 0, dropped = 0;
};

struct ErrorBounds {
  double all = 0, filter = 0;
};

/// \param of_ranks the sums of each rank, in the layer given for it
inline ErrorBounds error_of_product(const std::vector<SquaredErrors>& of_ranks, const std::vector<int>& layer_of_rank,
                                    int layers, double alpha) {
  std::vector<double> all(layers, 0.0), filter(layers, 0.0);
  double dropped = 0;
  for (std::size_t q = 0; q < of_ranks.size(); ++q) {
    all[layer_of_rank[q]] += of_ranks[q].all;
    filter[layer_of_rank[q]] += of_ranks[q].filter;
    dropped += of_ranks[q].dropped;
  }
  ErrorBounds bounds{std::sqrt(dropped), std::sqrt(dropped)};
  for (int layer = 0; layer < layers; ++layer) {
    bounds.all += alpha * std::sqrt(all[layer]);
    bounds.filter += alpha * std::sqrt(filter[layer]);
  }
  return bounds;
}

}  // namespace seiche
