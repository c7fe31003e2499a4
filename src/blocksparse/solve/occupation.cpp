// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/occupation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace seiche {

namespace {

/// Returns the cosine of pi i / (2 expansion_points).
long double cosine(std::size_t i) {
  static const std::vector<long double> table = [] {
    std::vector<long double> all(4 * expansion_points);
    for (std::size_t n = 0; n < all.size(); ++n)
      all[n] = std::cos(std::numbers::pi_v<long double> * static_cast<long double>(n) / (2 * expansion_points));
    return all;
  }();
  return table[i % table.size()];
}

/// Returns T_k at point j.
long double polynomial(std::size_t k, std::size_t j) { return cosine(k * (2 * j + 1)); }

}  // namespace

double shifted_occupation(double f, int power, double shift) {
  const double full = power == 2 ? f * f : f, empty = power == 2 ? (1 - f) * (1 - f) : 1 - f;
  return full / (full + std::exp(shift) * empty);
}

double predicted_sum(const OccupationMoments& m, int power, double shift) {
  const double width = m.width();
  if (!(width > 0)) return m.first;
  const double mean = (m.second - m.third) / width, square = (m.third - m.fourth) / width;
  const double spread = std::sqrt(std::max(0.0, square - mean * mean));
  constexpr double smallest = 1e-15;
  double sum = m.first;
  for (const double node : {mean - spread, mean + spread}) {
    const double f = std::clamp(node, smallest, 1 - smallest);
    sum += 0.5 * width * (shifted_occupation(f, power, shift) - f) / (f * (1 - f));
  }
  return sum;
}

double shift_for(const OccupationMoments& moments, int power, double states) {
  double low = -10, high = 10;  // the sum decreases with the shift
  for (int n = 0; n < 80; ++n) {
    const double middle = 0.5 * (low + high);
    (predicted_sum(moments, power, middle) > states ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double halving_constant(double shift) { return 2 * std::exp(std::min(shift * shift / 12, 0.5 * std::abs(shift))); }

long double entropy_of(long double y) {
  const long double size = std::abs(y);
  return std::log1p(std::exp(-size)) + size / (1 + std::exp(size));
}

Expansion expand(const std::function<long double(long double)>& function, double tolerance) {
  constexpr std::size_t points = expansion_points;
  std::vector<long double> values(points), coefficients(points);
  for (std::size_t j = 0; j < points; ++j) values[j] = function(polynomial(1, j));
  for (std::size_t k = 0; k < points; ++k) {
    for (std::size_t j = 0; j < points; ++j) coefficients[k] += values[j] * polynomial(k, j);
    coefficients[k] *= (k == 0 ? 1.0L : 2.0L) / points;
  }
  std::size_t kept = points;
  long double tail = 0;
  while (kept > 1 && tail + std::abs(coefficients[kept - 1]) <= tolerance) tail += std::abs(coefficients[--kept]);
  return {{coefficients.begin(), coefficients.begin() + static_cast<std::ptrdiff_t>(kept)}, static_cast<double>(tail)};
}

StateWeights::StateWeights(const std::vector<double>& traces) : points(expansion_points), weights(expansion_points) {
  for (std::size_t j = 0; j < points.size(); ++j) {
    points[j] = static_cast<double>(polynomial(1, j));
    long double sum = 0;
    for (std::size_t k = 0; k < traces.size(); ++k) sum += (k == 0 ? 1 : 2) * traces[k] * polynomial(k, j);
    weights[j] = static_cast<double>(sum / expansion_points);
  }
}

double StateWeights::sum(const std::function<double(double)>& function) const {
  double sum = 0;
  for (std::size_t j = 0; j < points.size(); ++j) sum += weights[j] * function(points[j]);
  return sum;
}

double potential_error(double sum_error, double width, double norm) {
  const double part = sum_error / width;
  return part >= 0 && part < 1 ? std::min(sum_error, norm * part / (1 - part)) : sum_error;
}

}  // namespace seiche
