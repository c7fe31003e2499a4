// SPDX-License-Identifier: BSD-3-Clause
/// \file  How far a purified matrix may be from the exact projector.
///
/// A step X -> f(X) leaves eigenvectors alone, so the exact result depends on the occupied subspace of X only. What a
/// step does wrong, E in norm, turns that subspace by at most sqrt(2) |E| / gap, where the gap is that between occupied
/// and empty eigenvalues at that step (C. Davis and W. M. Kahan, SIAM J. Numer. Anal. 7, 1 (1970)). The gaps follow
/// from the end backwards: eigenvalues of the last X lie near 0 and 1 by its idempotency, and each f is monotonic, so
/// it can be inverted (after E. H. Rubensson and A. M. N. Niklasson, SIAM J. Sci. Comput. 36, B147 (2014)).
#pragma once

#include <functional>
#include <vector>

namespace seiche {

/// One step: what it does to an eigenvalue, and what it does wrong.
struct Step {
  std::function<double(double)> f;
  double error = 0;
};

/// Eigenvalues on either side of the gap.
struct Edges {
  double occupied = 1, empty = 0;
};

/// What follows from the steps.
struct SubspaceBound {
  Edges first;          ///< of the first X
  double distance = 0;  ///< of the last X from the projector on the occupied subspace of the first
};

/// Walks back through the steps. \param idempotency |X^2 - X| of the last X
/// \throws Error when that is too much to tell occupied from empty states
SubspaceBound walk_back(const std::vector<Step>& steps, double idempotency);

/// How far X may be from the exact one: by the steps, by the error of H, and because Z S Z = 1 + R. With
/// T = (1 + R)^(-1/2), Z T is an exact root, and belongs to T H T. Its occupied subspace differs from that of H by no
/// more than |R| + sqrt(2) |mu| |R| / gap: in the equation G2 M - M G1 = G2 F1 + F2 G1 for the angle M between the
/// negative space of G = H - mu and the positive one of T G T, F = T - 1 or 1 - T^(-1), each element of M lies between
/// those of F1 and -F2. T X T differs from X by |R| once more. Norms of R squared are covered by the factor.
/// \param distance of walk_back() \param edges of H \param residual |R|
double subspace_error(double distance, const Edges& edges, double h_error, double residual);

}  // namespace seiche
