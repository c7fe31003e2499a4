// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/purification.hpp"

#include <cmath>
#include <limits>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

/// X, its square, and derived quantities.
template <class Value>
struct State {
  BlockMatrix<Value> x, squared;
  double squared_error = 0;  ///< of `squared`
  double trace = 0, trace_squared = 0;
  double idempotency = 0;  ///< |X^2 - X|, including its own error
};

/// The next X of a polynomial, before symmetrization and filtering.
template <class Value>
struct Next {
  BlockMatrix<Value> x;
  Step step;
};

template <class Value>
Next<Value> square_it(State<Value>& s) {
  return {std::move(s.squared), {[](double t) { return t * t; }, s.squared_error}};
}
template <class Value>
Next<Value> mirror_it(const State<Value>& s) {
  return {combination(2, s.x, -1, s.squared), {[](double t) { return 2 * t - t * t; }, s.squared_error}};
}

template <class Value>
Next<Value> tc2(State<Value>& s, double states) {
  const double down = std::abs(s.trace_squared - states);
  const double up = std::abs(2 * s.trace - s.trace_squared - states);
  return down < up ? square_it(s) : mirror_it(s);
}

/// Returns X^2 (4 X - 3 X^2) + gamma X^2 (1 - X)^2 with the gamma that gives the required trace.
template <class Value>
Next<Value> trs4(State<Value>& s, double states, Products& product) {
  const double cubic = trace_of_product(s.squared, s.x), quartic = trace_of_product(s.squared, s.squared);
  const double f = 4 * cubic - 3 * quartic, g = s.trace_squared - 2 * cubic + quartic;
  const double gamma = g > 1e-14 * states ? (states - f) / g : 3;
  constexpr double largest = 6;  // beyond it the polynomial leaves [0, 1]
  if (gamma > largest && s.idempotency > 1e-2) return mirror_it(s);
  if (gamma < 0 && s.idempotency > 1e-2) return square_it(s);
  const double c = std::clamp(gamma, 0.0, largest);
  Bounded<Value> next = product(s.squared, combination(4 - 2 * c, s.x, c - 3, s.squared, c));
  const double error = next.error + s.squared_error * (4.0 / 3 + c + std::abs(c - 3)) * 1.01;
  return {std::move(next.matrix),
          {[c](double t) { return t * t * (4 * t - 3 * t * t + c * (1 - t) * (1 - t)); }, error}};
}

double cubic_step(double t) { return t * t * (3 - 2 * t); }

template <class Value>
Next<Value> mcweeny(const State<Value>& s, Products& product) {
  const Bounded<Value> cube = product(s.squared, s.x);
  return {combination(3, s.squared, -2, cube.matrix), {cubic_step, 2 * cube.error + 5 * s.squared_error * 1.01}};
}

/// Maps Y = 1 - 2 X to Y (3 - Y^2) / 2.
template <class Value>
Next<Value> sign(const State<Value>& s, Products& product) {
  const BlockMatrix<Value> y = affine(-2, s.x, 1);
  const Bounded<Value> yy = product(y, y);
  Bounded<Value> next = product(y, affine(-0.5, yy.matrix, 1.5));
  make_affine(next.matrix, -0.5, 0.5);
  return {std::move(next.matrix), {cubic_step, 0.5 * (next.error + 0.5 * yy.error * 1.01)}};
}

/// Converged if |X^2 - X| is below the error of the product, or was not halved in several steps; single steps of
/// trace-correcting polynomials may double it.
class Convergence {
 public:
  /// \param error of the measured |X^2 - X|
  bool reached(double measured, double error) {
    stalled_ = measured < 0.5 * best_ ? 0 : stalled_ + 1;
    best_ = std::min(best_, measured);
    constexpr double far_below = 0.01;
    constexpr int patience = 3;
    return measured <= far_below * error || (measured < 1e-2 && stalled_ >= patience);
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();  // smallest |X^2 - X| so far
  int stalled_ = 0;
};

/// X = offset - slope * H, with eigenvalues in [0, 1], near 1 for occupied states.
struct Start {
  double offset, slope;
};

template <class Value>
class Purification {
 public:
  Purification(const BlockMatrix<Value>& h, double states, Products& product, const PurifyOptions& options)
      : h_(h), states_(states), product_(product), options_(options), range_(spectrum(h)) {
    const double margin = 1e-6 * (range_.high - range_.low) + 1e-300;
    range_ = {range_.low - margin, range_.high + margin};
  }

  Purified<Value> run() {
    const Purifier wanted = options_.purifier;
    if (wanted == Purifier::tc2 || wanted == Purifier::trs4) return from_highest(wanted, PurifyStage::purification);
    const Edges edges = from_highest(Purifier::tc2, PurifyStage::chemical_potential).edges;
    Purified<Value> found = iterate(wanted, PurifyStage::purification, around(0.5 * (edges.occupied + edges.empty)));
    found.edges = edges;
    return found;
  }

 private:
  /// Starts with X = (highest - H) / width; the edges of H follow from the edges of X.
  Purified<Value> from_highest(Purifier purifier, PurifyStage stage) {
    const double width = range_.high - range_.low;
    Purified<Value> found = iterate(purifier, stage, {range_.high / width, -1 / width});
    found.edges = {range_.high - width * found.edges.occupied, range_.high - width * found.edges.empty};
    return found;
  }
  /// Returns X = (1 - (H - mu) / a) / 2, which is 1/2 at the chemical potential.
  Start around(double mu) const {
    const double a = std::max(range_.high - mu, mu - range_.low);
    return {0.5 + 0.5 * mu / a, -0.5 / a};
  }

  /// \return the last X, and the edges of the first one
  Purified<Value> iterate(Purifier purifier, PurifyStage stage, const Start& start) {
    state_.x = affine(start.slope, h_, start.offset);
    std::vector<Step> steps;
    Convergence convergence;
    for (int n = 1;; ++n) {
      square();
      report_progress(h_.layout().comm, options_.on_progress, stage, n, state_.idempotency);
      if (convergence.reached(state_.idempotency - state_.squared_error, state_.squared_error)) return finish(steps, n);
      if (n >= options_.max_iterations) give_up();
      take(next(purifier), steps);
    }
  }

  Purified<Value> finish(const std::vector<Step>& steps, int iterations) {
    require(
        std::abs(state_.trace - states_) < 0.4, Fault::bad_argument,
        "the purification found {:.3f} occupied states instead of {}; there may be no gap between occupied and empty "
        "states: check the number of electrons, use a smaller eps, or give a temperature",
        state_.trace, states_);
    const SubspaceBound bound = walk_back(steps, state_.idempotency);
    return {std::move(state_.x), bound.distance, bound.first, iterations};
  }

  [[noreturn]] void give_up() const {
    require(options_.max_iterations >= usual_iterations, Fault::bad_argument,
            "the purification has not converged in {} iterations (|X^2 - X| = {:.1e}): allow more (default: {})",
            options_.max_iterations, state_.idempotency, usual_iterations);
    fail(Fault::bad_argument,
         "the purification has not converged in {} iterations (|X^2 - X| = {:.1e}); there may be no gap between "
         "occupied and empty states: check the number of electrons, use a smaller eps, or give a temperature",
         options_.max_iterations, state_.idempotency);
  }

  void square() {
    set_error_bound(state_.x, 0);
    Bounded<Value> square = product_(state_.x, state_.x);
    state_.squared = std::move(square.matrix);
    set_error_bound(state_.squared, 0);
    state_.squared_error = square.error;
    state_.trace = trace(state_.x);
    state_.trace_squared = trace(state_.squared);
    state_.idempotency = frobenius_norm(combination(1, state_.squared, -1, state_.x)) + square.error;
    require(std::isfinite(state_.idempotency), Fault::bad_argument,
            "the purification diverges: K or S has elements that are not finite, or eps is too large");
  }

  Next<Value> next(Purifier purifier) {
    switch (purifier) {
      case Purifier::tc2:
        return tc2(state_, states_);
      case Purifier::mcweeny:
        return mcweeny(state_, product_);
      case Purifier::sign:
        return sign(state_, product_);
      default:
        return trs4(state_, states_, product_);
    }
  }

  /// Takes the next X, symmetrized; adds dropped elements to the error of the step.
  void take(Next<Value> next, std::vector<Step>& steps) {
    next.step.error += 8 * rounding * frobenius_norm(next.x);
    state_.x = symmetrized(next.x, product_.eps(), next.step.error);
    steps.push_back(std::move(next.step));
  }

  const BlockMatrix<Value>& h_;
  double states_;
  Products& product_;
  const PurifyOptions& options_;
  Interval range_;
  State<Value> state_{BlockMatrix<Value>(h_.shared_layout()), BlockMatrix<Value>(h_.shared_layout())};
};

}  // namespace

template <class Value>
Purified<Value> purify_orthogonal(const BlockMatrix<Value>& h, double states, Products& product,
                                  const PurifyOptions& options) {
  return Purification(h, states, product, options).run();
}

template Purified<double> purify_orthogonal(const BlockMatrix<double>&, double, Products&, const PurifyOptions&);
template Purified<std::complex<double>> purify_orthogonal(const BlockMatrix<std::complex<double>>&, double, Products&,
                                                          const PurifyOptions&);

}  // namespace seiche
