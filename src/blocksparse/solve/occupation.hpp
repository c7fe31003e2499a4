// SPDX-License-Identifier: BSD-3-Clause
/// \file  Scalar functions of Fermi-Dirac occupations f = 1 / (1 + exp(-y)), y = (mu - x) / T, and Chebyshev
/// expansions.
#pragma once

#include <functional>
#include <vector>

namespace seiche {

/// Sums of powers of the occupations of all states.
struct OccupationMoments {
  double first = 0, second = 0, third = 0, fourth = 0;
  double width() const { return first - second; }  ///< Sum of f (1 - f).
};

/// Returns the occupation at the argument power * y - shift, where y belongs to f. `power` is 1 or 2.
double shifted_occupation(double f, int power, double shift);

/// Returns the sum of shifted occupations, predicted from the moments. States are replaced by two occupations with the
/// same moments of the weight f (1 - f). Full and empty states are exact, and errors are of fourth order in the shift
/// for power 1.
double predicted_sum(const OccupationMoments& moments, int power, double shift);

/// Returns the shift, between -10 and 10, whose predicted sum of occupations is nearest to `states`.
double shift_for(const OccupationMoments& moments, int power, double states);

/// Returns a Lipschitz constant of shifted_occupation(f, 2, shift), for all real f. With z = 2 y - shift, the
/// derivative is 2 cosh(y / 2)^2 / cosh(z / 2)^2. Its largest value is at most the smaller of 2 exp(shift^2 / 12)
/// and 2 exp(|shift| / 2).
double halving_constant(double shift);

/// Returns -f ln f - (1 - f) ln(1 - f) for the argument y.
long double entropy_of(long double y);

/// A Chebyshev series on [-1, 1], cut off.
struct Expansion {
  std::vector<double> coefficients;
  double tail = 0;  ///< sum of the absolute coefficients that were cut off
  int degree() const { return static_cast<int>(coefficients.size()) - 1; }
};

/// Points of the sums over which coefficients are computed: cosines of (j + 1/2) pi / expansion_points.
inline constexpr int expansion_points = 1024;

/// Returns the shortest series whose tail is at most `tolerance`.
Expansion expand(const std::function<long double(long double)>& function, double tolerance);

/// Weights w of the points x with sum_j w_j g(x_j) = sum over states of g, for polynomials g of low degree.
struct StateWeights {
  std::vector<double> points, weights;

  /// \param traces sums over states of the Chebyshev polynomials 0, 1, ...
  explicit StateWeights(const std::vector<double>& traces);
  double sum(const std::function<double(double)>& function) const;
};

/// Bound on |f - f'|_F, where f' has the chemical potential at which occupations sum to the wanted number.
/// \param sum_error bound on the deviation of the sum of f \param width sum of f (1 - f), at least
/// \param norm |f (1 - f)|_F, at most
double potential_error(double sum_error, double width, double norm);

}  // namespace seiche
