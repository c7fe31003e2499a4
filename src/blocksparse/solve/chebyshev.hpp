// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chebyshev series of a matrix, with few products.
///
/// With T_(jm+i) = 2 T_(jm) T_i - T_(jm-i) and T_(jm)(X) = T_j(T_m(X)), a series becomes a series in T_m(X) whose
/// coefficients are combinations of T_0 to T_(m-1) (M. S. Paterson and L. J. Stockmeyer, SIAM J. Comput. 2, 60 (1973)).
/// Clenshaw's recursion evaluates it. An error of step j is multiplied by T_j(T_m), whose norm is about 1.
#pragma once

#include "blocksparse/solve/solver.hpp"

namespace seiche {

template <class Value>
class ChebyshevMatrices {
 public:
  /// Collective. Computes T_0 to T_count of a hermitian matrix with eigenvalues between -1 and 1.
  ChebyshevMatrices(const BlockMatrix<Value>& x, int count, Products& product);

  /// Collective. Returns the traces of T_0 to T_(2 count).
  std::vector<double> traces() const;
  /// Collective. Returns the sum of coefficients[k] T_k, hermitian. Takes degree / count products.
  Bounded<Value> sum(const std::vector<double>& coefficients) const;

 private:
  /// Collective. Returns a combination of T_0 to T_(count - 1).
  Bounded<Value> combined(const std::vector<double>& coefficients) const;
  double rounding_of(double scale) const;  ///< of a few operations on matrices of this norm, per state

  Products& product_;
  int count_;
  std::vector<Bounded<Value>> t_;
};

/// Returns the number of matrices with which a series of this degree takes the fewest products.
int chebyshev_count(int degree);

}  // namespace seiche
