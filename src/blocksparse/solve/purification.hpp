// SPDX-License-Identifier: BSD-3-Clause
/// \file  From a Kohn-Sham matrix in an orthogonal basis to the projector on its occupied states.
#pragma once

#include "blocksparse/solve/solver.hpp"
#include "blocksparse/solve/subspace_bound.hpp"

namespace seiche {

struct Purified {
  Matrix x;
  double distance = 0;  ///< of X from the exact projector for H, at most
  Edges edges;          ///< of H: no occupied state lies above `occupied`, no empty one below `empty`
  int iterations = 0;
};

/// Collective. \throws Error when it does not converge, or finds another number of states
Purified purify_orthogonal(const Matrix& h, double states, Products& product, const PurifyOptions& options);

}  // namespace seiche
