// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/fermi.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "blocksparse/solve/chebyshev.hpp"
#include "blocksparse/solve/newton_inverse.hpp"
#include "blocksparse/solve/occupation.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double fermi_rounding = std::numeric_limits<double>::epsilon();
constexpr double unbounded_occupation = std::numeric_limits<double>::infinity();

/// Occupations at one temperature.
template <class Value>
struct Level {
  BlockMatrix<Value> f, squared;
  double error = 0;          ///< of f
  double squared_error = 0;  ///< of `squared`, if f were exact
  OccupationMoments moments;
};

/// A halving: the occupations, and the inverse of the denominator.
template <class Value>
struct Halving {
  Bounded<Value> f;
  BlockMatrix<Value> inverse;
};

/// The last shift, and a bound on the distance from the exact occupations.
struct Finish {
  double shift, distance;
};

template <class Value>
class FermiOccupation {
 public:
  FermiOccupation(const BlockMatrix<Value>& h, double states, Products& product, const PurifyOptions& options)
      : h_(h),
        states_(states),
        functions_(static_cast<double>(functions_of(h.layout()))),
        product_(product),
        options_(options),
        range_(spectrum(h)),
        centre_(0.5 * (range_.high + range_.low)),
        radius_(0.5 * (range_.high - range_.low) * (1 + 1e-6) + 1e-300) {}

  /// \param h_error of H \param residual |Z S Z - 1|
  Occupied<Value> run(double h_error, double residual) {
    const int halvings = count_halvings();
    Level<Value> level = start();
    std::optional<BlockMatrix<Value>> earlier;  // occupations before the last two halvings
    double shift = 0;                           // since then
    for (int n = halvings; n > 0; --n) {
      if (n == 2) earlier = affine(1, level.f, 0);
      const double step = halve(level, n == 1 ? last_shift() : 0.5);
      if (n <= 2) shift = 2 * shift + step;
    }
    const Finish last = finish(level, h_error, residual);
    const double sum = trace(level.f);
    require(std::abs(sum - states_) < 0.1, Fault::bad_argument,
            "the occupations sum to {:.3f} instead of {:.3f}: use a smaller eps", sum, states_);
    const double entropy = entropy_after(*earlier, shift + last.shift);
    return {std::move(level.f), last.distance, potential_, entropy, iterations_};
  }

 private:
  /// Sets the temperature of the start. \return the number of halvings
  int count_halvings() {
    constexpr double start_of_radius = 0.5;  // hotter starts take shorter series, but more halvings
    constexpr int fewest = 2, most = 60;     // entropies are a series of the occupations two halvings before
    int halvings = fewest;
    while (halvings <= most && std::ldexp(options_.temperature, halvings) < start_of_radius * radius_) ++halvings;
    require(halvings <= most, Fault::bad_argument,
            "temperature {} is too small for energies between {:.3g} and {:.3g}: use temperature 0",
            options_.temperature, range_.low, range_.high);
    temperature_ = std::ldexp(options_.temperature, halvings);
    return halvings;
  }

  /// Returns the occupations of the highest temperature. Sets their chemical potential, to a few digits.
  Level<Value> start() {
    const double tolerance = std::max(1e-15, 1e-3 * product_.eps());
    BlockMatrix<Value> x = affine(1, h_, -centre_);
    make_affine(x, 1 / radius_, 0);
    const double rounded_off =
        4 * fermi_rounding * (frobenius_norm(x) + std::sqrt(functions_) * std::abs(centre_) / radius_);
    potential_ = centre_;
    const ChebyshevMatrices<Value> powers(x, chebyshev_count(expand(occupation(), tolerance).degree()), product_);
    find_potential(StateWeights(powers.traces()));
    const Expansion series = expand(occupation(), tolerance);
    Bounded<Value> f = powers.sum(series.coefficients);
    f.error += std::sqrt(functions_) * (series.tail + 4 * fermi_rounding) + rounded_off * radius_ / (4 * temperature_);
    return level_of(std::move(f));
  }
  /// Returns the occupation of a level, as a function of x.
  std::function<long double(long double)> occupation() const {
    return [=, this](long double x) { return 1 / (1 + std::exp((x * radius_ + centre_ - potential_) / temperature_)); };
  }
  void find_potential(const StateWeights& states) {
    const double outside = temperature_ * std::log(2 * functions_ / std::min(states_, functions_ - states_));
    double low = centre_ - radius_ - outside, high = centre_ + radius_ + outside;
    for (int n = 0; n < 100; ++n) {
      potential_ = 0.5 * (low + high);
      const auto f = occupation();
      const double sum = states.sum([&](double x) { return static_cast<double>(f(x)); });
      (sum < states_ ? low : high) = potential_;
    }
  }

  /// Collective. Returns the occupations with their square and moments.
  Level<Value> level_of(Bounded<Value> f) {
    set_error_bound(f.matrix, 0);
    Bounded<Value> square = product_(f.matrix, f.matrix);
    set_error_bound(square.matrix, 0);
    const OccupationMoments moments{trace(f.matrix), trace(square.matrix), trace_of_product(square.matrix, f.matrix),
                                    trace_of_product(square.matrix, square.matrix)};
    const double error = capped(f.error, f.matrix);
    return {std::move(f.matrix), std::move(square.matrix), error, square.error, moments};
  }
  /// Returns an error that is not above the sum of both norms: that of exact occupations is at most the root of their
  /// sum.
  double capped(double error, const BlockMatrix<Value>& f) const {
    const double most = frobenius_norm(f) + std::sqrt(functions_);
    return error < most ? error : most;
  }

  /// Replaces a level by that of half the temperature. The shift is repeated until the sum of occupations is right but
  /// for a shift of `enough`. \return the shift, ln(q)
  double halve(Level<Value>& level, double enough) {
    const double unshifted = predicted_sum(level.moments, 2, 0);
    double shift = wanted_shift(level, 2, unshifted);
    temperature_ *= 0.5;
    std::optional<BlockMatrix<Value>> inverse;
    double inverse_of = 0;  // the shift that belongs to it
    for (int trial = 1;; ++trial) {
      constexpr double near = 0.1;
      const bool helps = inverse && std::abs(shift - inverse_of) < near;
      Halving<Value> half = halved(level, shift, helps ? &*inverse : nullptr);
      Level<Value> next = level_of(std::move(half.f));
      const double off = std::abs(next.moments.first - states_);
      count_iteration(off);
      const double more = wanted_shift(next, 1, next.moments.first);
      constexpr int few = 3;
      if (std::abs(more) <= enough || (trial >= few && off <= noise())) {
        level = std::move(next);
        potential_ -= shift * temperature_;
        return shift;
      }
      inverse = std::move(half.inverse);
      inverse_of = shift;
      shift += more;
    }
  }
  /// Returns the shift that gives the right sum. Large shifts for small deviations are not due to states, but to errors
  /// of their sum in a gap.
  double wanted_shift(const Level<Value>& level, int power, double unshifted) const {
    const double shift = shift_for(level.moments, power, states_), off = std::abs(unshifted - states_);
    constexpr double large = 0.5;
    return std::abs(shift) > large && off <= noise() ? 0 : shift;
  }
  /// Returns an estimate of the error of a sum of occupations.
  double noise() const { return functions_ * (1e-12 + 10 * product_.eps()); }
  void count_iteration(double off) {
    ++iterations_;
    report_progress(h_.layout().comm, options_.on_progress, PurifyStage::purification, iterations_, off);
    require(
        iterations_ < options_.max_iterations, Fault::bad_argument,
        "the occupations have not converged in {} iterations (their sum is off by {:.1e}): allow more (default: {}), "
        "or use a smaller eps or a higher temperature",
        iterations_, off, usual_iterations);
  }

  /// Returns f^2 D^(-1) with D = f^2 + q (1 - f)^2. \param guess of D^(-1), may be null
  Halving<Value> halved(const Level<Value>& from, double shift, const BlockMatrix<Value>* guess) {
    const double q = std::exp(shift);
    const BlockMatrix<Value> d = combination(1 + q, from.squared, -2 * q, from.f, q);
    const Interval range{q / (1 + q), std::max(1.0, q)};
    const double rounded_off = 4 * fermi_rounding * (1 + q) * (2 * frobenius_norm(from.f) + std::sqrt(functions_));
    const double d_error = (1 + q) * from.squared_error + rounded_off;
    const double d_norm = range.high * (1 + 2 * from.error + 2 * from.error * from.error) + d_error;
    Inverse<Value> inverse = newton_inverse(d, range, d_norm, guess, product_);
    Bounded<Value> next = product_(from.squared, inverse.matrix);
    // D and f^2 contain the same error e of f^2, so that it is multiplied by (1 - (1 + q) f') D^(-1)
    const double lowest = range.low - d_error;
    const double of_square =
        lowest > 0 ? (range.high * from.squared_error + rounded_off) / lowest : unbounded_occupation;
    next.error += of_square + (1 + of_square) * inverse.residual + halving_constant(shift) * from.error +
                  4 * fermi_rounding * frobenius_norm(next.matrix);
    next.matrix = symmetrized(next.matrix, product_.eps(), next.error);
    return {std::move(next), std::move(inverse.matrix)};
  }

  /// Returns the largest shift that finish() takes: it neglects the square of it.
  double last_shift() const { return std::max(1e-6, 0.3 * std::sqrt(product_.eps())); }
  /// Collective. Replaces f by f - shift f (1 - f). \return the shift, and the distance from the exact occupations
  Finish finish(Level<Value>& level, double h_error, double residual) {
    const double wanted = wanted_shift(level, 1, level.moments.first), root = std::sqrt(functions_);
    const double shift = std::abs(wanted) > last_shift() ? 0 : wanted;
    const BlockMatrix<Value> slope = combination(1, level.f, -1, level.squared);
    const double norm = frobenius_norm(slope), change = std::abs(shift) * norm;
    level.f = combination(1, level.f, -shift, slope);
    potential_ -= shift * temperature_;
    constexpr double curvature = 0.0482;  // half the largest second derivative of the occupation
    double error = level.error + std::abs(shift) * ((1 + 2 * level.error) * level.error + level.squared_error) +
                   curvature * shift * shift * root + 4 * fermi_rounding * frobenius_norm(level.f);
    // with Z S Z = 1 + R and W = (1 + R)^(-1/2), exact occupations are W f(W H W) W, and |W - 1| (1 + |W|) is at most:
    const double of_root = residual < 1 ? residual / ((1 - residual) * (1 - residual)) : unbounded_occupation;
    error += (h_error + (range_.norm() + h_error) * of_root) / (4 * temperature_);
    const double slope_error = level.squared_error + (1 + 2 * error) * (error + change);
    const double sum_error = std::abs(trace(level.f) - states_) + root * (error + 4 * fermi_rounding * root);
    error += potential_error(sum_error, level.moments.width() - root * slope_error, norm + slope_error);
    return {shift, capped(error + of_root, level.f)};
  }

  /// Collective. Returns the sum of the entropies of states whose argument is 4 y - shift, where y belongs to f.
  /// Returns NaN if the shift is so large that only occupations very near to 0 or 1 contribute.
  double entropy_after(const BlockMatrix<Value>& f, double shift) {
    const double tolerance = std::max(1e-11, 1e-2 * product_.eps());
    const Expansion series =
        expand([&](long double x) { return entropy_of(4 * std::log((1 + x) / (1 - x)) - shift); }, tolerance);
    if (series.degree() > 3 * expansion_points / 4) return std::numeric_limits<double>::quiet_NaN();
    const ChebyshevMatrices<Value> powers(affine(2, f, -1), chebyshev_count(series.degree()), product_);
    return trace(powers.sum(series.coefficients).matrix);
  }

  const BlockMatrix<Value>& h_;
  double states_, functions_;
  Products& product_;
  const PurifyOptions& options_;
  Interval range_;
  double centre_, radius_;                  ///< of an interval that contains the range
  double temperature_ = 0, potential_ = 0;  ///< of the present occupations
  int iterations_ = 0;
};

}  // namespace

template <class Value>
Occupied<Value> occupy_orthogonal(const Bounded<Value>& h, double residual, double states, Products& product,
                                  const PurifyOptions& options) {
  return FermiOccupation<Value>(h.matrix, states, product, options).run(h.error, residual);
}

template Occupied<double> occupy_orthogonal(const Bounded<double>&, double, double, Products&, const PurifyOptions&);
template Occupied<std::complex<double>> occupy_orthogonal(const Bounded<std::complex<double>>&, double, double,
                                                          Products&, const PurifyOptions&);

}  // namespace seiche
