// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/solve/newton_inverse.hpp"

#include <cmath>
#include <limits>

#include "support/require.hpp"

namespace seiche {

namespace {

/// Collective. Returns the quadratic polynomial of D for which 1 - D Y is smallest on the range: T_3(s(D)) / T_3(s(0)),
/// where s maps the range to [-1, 1].
template <class Value>
BlockMatrix<Value> quadratic_guess(const BlockMatrix<Value>& d, const Interval& range, Products& product) {
  const double slope = 2 / (range.high - range.low), s0 = -(range.high + range.low) / (range.high - range.low);
  const double cubic = 4 * s0 * s0 * s0 - 3 * s0;
  const Bounded<Value> square = product(d, d);
  BlockMatrix<Value> y = combination(-4 * slope * slope * slope / cubic, square.matrix,
                                     -12 * slope * slope * s0 / cubic, d, -slope * (12 * s0 * s0 - 3) / cubic);
  set_error_bound(y, 0);
  return y;
}

}  // namespace

template <class Value>
Inverse<Value> newton_inverse(const BlockMatrix<Value>& d, const Interval& range, double norm,
                              const BlockMatrix<Value>* start, Products& product) {
  BlockMatrix<Value> y = start != nullptr ? affine(1, *start, 0) : quadratic_guess(d, range, product);
  const auto functions = static_cast<double>(functions_of(d.layout()));
  const double rounded_off = 4 * std::numeric_limits<double>::epsilon() * std::sqrt(functions);
  double last = std::numeric_limits<double>::infinity();
  constexpr int limit = 200;
  for (int n = 0;; ++n) {
    Bounded<Value> rest = product(d, y, -1);
    make_affine(rest.matrix, 1, 1);  // 1 - D Y
    const double off = frobenius_norm(rest.matrix), error = rest.error + rounded_off;
    require(n < limit && std::isfinite(off) && off <= 10 + 2 * last, Fault::bad_argument,
            "the occupations diverge (|1 - D Y| = {:.1e}): use a smaller eps", off);
    make_affine(rest.matrix, 1, 1);
    set_error_bound(rest.matrix, 0);
    Bounded<Value> next = product(y, rest.matrix);
    set_error_bound(next.matrix, 0);
    y = std::move(next.matrix);
    const double enough = 0.1 * (error + range.high * next.error);  // below it, products limit the accuracy
    const bool stalled = off < 0.1 && off > 0.5 * last;
    if (off * off <= std::max(1e-15, enough) || stalled) {
      // with R = 1 - D Y, 1 - D Y (1 + R) is R^2; errors of R are multiplied by D Y = 1 - R, those of Y by D
      const double size = off + error;
      return {std::move(y), size * size + (1 + size) * error + norm * next.error};
    }
    last = off;
  }
}

#define SEICHE_NEWTON_INVERSE(Value)                                                         \
  template Inverse<Value> newton_inverse(const BlockMatrix<Value>&, const Interval&, double, \
                                         const BlockMatrix<Value>*, Products&)
SEICHE_NEWTON_INVERSE(double);
SEICHE_NEWTON_INVERSE(std::complex<double>);

}  // namespace seiche
