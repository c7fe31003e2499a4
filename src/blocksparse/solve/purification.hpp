// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes the projector on the occupied states of a Kohn-Sham matrix in an orthogonal basis.
#pragma once

#include "blocksparse/solve/solver.hpp"
#include "blocksparse/solve/subspace_bound.hpp"

namespace seiche {

template <class Value>
struct Purified {
  BlockMatrix<Value> x;
  double distance = 0;  ///< bound on the distance of X from the exact projector of H
  Edges edges;          ///< of H: no occupied state is above `occupied`, no empty one below `empty`
  int iterations = 0;
};

/// Collective. \throws Error if it does not converge, or finds another number of states
template <class Value>
Purified<Value> purify_orthogonal(const BlockMatrix<Value>& h, double states, Products& product,
                                  const PurifyOptions& options);

}  // namespace seiche
