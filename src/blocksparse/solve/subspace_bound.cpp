// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/subspace_bound.hpp"

#include <cmath>
#include <limits>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Returns x in [0, 1] with f(x) = y for a monotonic f.
double inverse(const std::function<double(double)>& f, double y) {
  double low = 0, high = 1;
  for (int n = 0; n < 60; ++n) {
    const double middle = 0.5 * (low + high);
    (f(middle) < y ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

SubspaceBound walk_back(const std::vector<Step>& steps, double idempotency) {
  require(idempotency < 0.2, Fault::bad_argument,
          "the purification ended with |X^2 - X| = {:.1e}, which does not separate occupied from empty states: use a "
          "smaller eps or more iterations, or give a temperature",
          idempotency);
  const double root = std::sqrt(1 - 4 * idempotency);
  SubspaceBound bound{{0.5 * (1 + root), 0.5 * (1 - root)}, 2 * idempotency / (1 + root)};
  Edges& edges = bound.first;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const double gap = edges.occupied - edges.empty - step->error;
    if (gap <= 0) return {edges, unbounded};
    bound.distance += std::sqrt(2.0) * step->error / gap;
    edges = {inverse(step->f, edges.occupied - step->error), inverse(step->f, edges.empty + step->error)};
  }
  return bound;
}

double subspace_error(double distance, const Edges& edges, double h_error, double residual) {
  const double gap = edges.empty - edges.occupied;
  const double mu = 0.5 * (edges.empty + edges.occupied);
  const double off = h_error + std::abs(mu) * residual;
  if (off >= gap || residual > 0.1) return unbounded;
  return distance + std::sqrt(2.0) * off / (gap - off) + 2 * 1.2 * residual;
}

}  // namespace seiche
