// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bounds the distance of a purified matrix from the exact projector.
///
/// A step X -> f(X) preserves eigenvectors, so that the exact result depends only on the occupied subspace of X. The
/// error of a step, E in norm, rotates that subspace by at most sqrt(2) |E| / gap, with the gap between occupied and
/// empty eigenvalues at that step (C. Davis and W. M. Kahan, SIAM J. Numer. Anal. 7, 1 (1970)). The gaps follow from
/// the end backwards: the eigenvalues of the last X are near 0 and 1 by its idempotency, and each f is monotonic, so
/// that it can be inverted (after E. H. Rubensson and A. M. N. Niklasson, SIAM J. Sci. Comput. 36, B147 (2014)).
#pragma once

#include <functional>
#include <vector>

namespace seiche {

/// One step: its effect on an eigenvalue, and its error.
struct Step {
  std::function<double(double)> f;
  double error = 0;
};

/// The eigenvalues on both sides of the gap.
struct Edges {
  double occupied = 1, empty = 0;
};

/// The results for all steps.
struct SubspaceBound {
  Edges first;          ///< of the first X
  double distance = 0;  ///< of the last X from the projector on the occupied subspace of the first one
};

/// Evaluates the steps backwards. \param idempotency |X^2 - X| of the last X \throws Error if it does not separate
/// occupied from empty states
SubspaceBound walk_back(const std::vector<Step>& steps, double idempotency);

/// Returns the bound on the distance of X from the exact projector: from the steps, from the error of H, and from Z S Z
/// = 1 + R. With T = (1 + R)^(-1/2), Z T is an exact root and belongs to T H T. Its occupied subspace differs from that
/// of H by at most |R| + sqrt(2) |mu| |R| / gap: in the equation G2 M - M G1 = G2 F1 + F2 G1 for the angle M between
/// the negative space of G = H - mu and the positive one of T G T, F = T - 1 or 1 - T^(-1), each element of M is
/// between the corresponding elements of F1 and -F2. T X T differs from X by another |R|. The factor covers norms of R
/// squared. \param distance of walk_back() \param edges of H \param residual |R|
double subspace_error(double distance, const Edges& edges, double h_error, double residual);

}  // namespace seiche
