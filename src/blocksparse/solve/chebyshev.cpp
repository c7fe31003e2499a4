// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/chebyshev.hpp"

#include <cmath>
#include <limits>

namespace seiche {

namespace {

/// Returns the coefficients of T_i T_j(T_m): row j, column i.
std::vector<std::vector<double>> in_two_levels(std::vector<double> c, std::size_t m) {
  std::vector<std::vector<double>> rows((c.size() - 1) / m + 1, std::vector<double>(m));
  for (std::size_t k = c.size(); k-- > 0;) {
    const std::size_t j = k / m, i = k % m;
    const bool splits = j > 0 && i > 0;
    rows[j][i] = splits ? 2 * c[k] : c[k];
    if (splits) c[j * m - i] -= c[k];
  }
  return rows;
}

double sum_of_sizes(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

}  // namespace

int chebyshev_count(int degree) {
  int best = 1;
  const auto products = [&](int count) { return count - 1 + degree / count; };
  for (int count = 2; count <= degree; ++count) {
    if (products(count) < products(best)) best = count;
  }
  return best;
}

template <class Value>
ChebyshevMatrices<Value>::ChebyshevMatrices(const BlockMatrix<Value>& x, int count, Products& product)
    : product_(product), count_(count) {
  t_.push_back({identity<Value>(x.shared_layout()), 0});
  t_.push_back({affine(1, x, 0), 0});
  set_error_bound(t_[1].matrix, 0);
  for (int k = 2; k <= count; ++k) {
    const Bounded<Value>&a = t_[(k + 1) / 2], &b = t_[k / 2];
    Bounded<Value> next = product(a.matrix, b.matrix, 2);
    next.error += 2 * (a.error + b.error + a.error * b.error) + rounding_of(4);
    next.matrix = symmetrized(combination(1, next.matrix, -1, t_[k % 2].matrix), product.eps(), next.error);
    t_.push_back(std::move(next));
  }
}

template <class Value>
double ChebyshevMatrices<Value>::rounding_of(double scale) const {
  const auto functions = static_cast<double>(functions_of(t_[0].matrix.layout()));
  return 4 * std::numeric_limits<double>::epsilon() * scale * std::sqrt(functions);
}

template <class Value>
std::vector<double> ChebyshevMatrices<Value>::traces() const {
  std::vector<double> all;
  for (int k = 0; k <= 2 * count_; ++k) {
    all.push_back(k <= count_ ? trace(t_[k].matrix)
                              : 2 * trace_of_product(t_[(k + 1) / 2].matrix, t_[k / 2].matrix) - all[k % 2]);
  }
  return all;
}

template <class Value>
Bounded<Value> ChebyshevMatrices<Value>::combined(const std::vector<double>& coefficients) const {
  Bounded<Value> sum{affine(coefficients[0], t_[0].matrix, 0),
                     rounding_of(static_cast<double>(count_) * sum_of_sizes(coefficients))};
  for (int i = 1; i < count_; ++i) {
    sum.matrix = combination(1, sum.matrix, coefficients[i], t_[i].matrix);
    sum.error += std::abs(coefficients[i]) * t_[i].error;
  }
  return sum;
}

template <class Value>
Bounded<Value> ChebyshevMatrices<Value>::sum(const std::vector<double>& coefficients) const {
  const auto rows = in_two_levels(coefficients, count_);
  const int last = static_cast<int>(rows.size()) - 1;
  const Bounded<Value>& base = t_[count_];
  Bounded<Value> sum = combined(rows[last]);
  auto before =
      made_together(base.matrix.layout().comm, [&] { return BlockMatrix<Value>(base.matrix.shared_layout()); });
  double error = sum.error, sensitivity = last * last * sum_of_sizes(rows[last]);
  for (int j = last - 1; j >= 0; --j) {
    const Bounded<Value> row = combined(rows[j]);
    set_error_bound(sum.matrix, 0);
    Bounded<Value> next = product_(base.matrix, sum.matrix, j > 0 ? 2 : 1);
    set_error_bound(next.matrix, 0);
    error += next.error + row.error;
    sensitivity += j * j * sum_of_sizes(rows[j]);
    next.matrix = combination(1, combination(1, next.matrix, -1, before), 1, row.matrix);
    error += 4 * std::numeric_limits<double>::epsilon() * (frobenius_norm(next.matrix) + frobenius_norm(before));
    before = std::move(sum.matrix);
    sum.matrix = std::move(next.matrix);
  }
  const double growth = std::cosh(last * std::acosh(1 + base.error));
  sum.error = growth * (error + sensitivity * base.error);
  sum.matrix = symmetrized(sum.matrix, product_.eps(), sum.error);
  return sum;
}

template class ChebyshevMatrices<double>;
template class ChebyshevMatrices<std::complex<double>>;

}  // namespace seiche
