// SPDX-License-Identifier: BSD-3-Clause
/// \file  Inverse of a well-conditioned hermitian matrix by the Newton-Schulz iteration Y -> Y (2 - D Y).
#pragma once

#include "blocksparse/solve/solver.hpp"

namespace seiche {

/// Y, and a bound on |1 - D Y|_F. With a lower bound d of the eigenvalues of D, |Y - D^(-1)|_F is at most residual / d.
template <class Value>
struct Inverse {
  BlockMatrix<Value> matrix;
  double residual = 0;
};

/// Collective. \param range contains all eigenvalues of D but for small errors; `low` is positive \param norm bound on
/// |D|_2 \param start a guess of D^(-1), or null \throws Error if it does not converge
template <class Value>
Inverse<Value> newton_inverse(const BlockMatrix<Value>& d, const Interval& range, double norm,
                              const BlockMatrix<Value>* start, Products& product);

}  // namespace seiche
