// SPDX-License-Identifier: BSD-3-Clause
/// \file  Short discrete Fourier transforms in registers.
#pragma once

#include <cstdint>

#include "cuda/arithmetic.cuh"

namespace seiche::cuda {

/// Trigonometric functions at compile time.
namespace constant {

inline constexpr double pi = 3.14159265358979323846;

constexpr double sine_series(double x) {
  double sum = x, term = x;
  for (int k = 1; k < 14; k++) sum += term *= -x * x / ((2 * k) * (2 * k + 1));
  return sum;
}
constexpr double cosine_series(double x) {
  double sum = 1, term = 1;
  for (int k = 1; k < 14; k++) sum += term *= -x * x / ((2 * k - 1) * (2 * k));
  return sum;
}
/// Returns sin(2 pi k / n). The argument of a series is at most pi / 4, where the series are exact to rounding.
constexpr double sine(int k, int n) {
  k %= n;
  if (2 * k > n) return -sine(n - k, n);
  if (4 * k > n) {
    if (2 * k == n) return 0;
    return 8 * k <= 3 * n ? cosine_series(pi * (4 * k - n) / (2.0 * n)) : sine_series(pi * (n - 2 * k) / n);
  }
  return 8 * k > n ? cosine_series(pi * (n - 4 * k) / (2.0 * n)) : sine_series(2 * pi * k / n);
}
constexpr double cosine(int k, int n) { return sine(4 * (k % n) + n, 4 * n); }

}  // namespace constant

/// Returns a * exp(Sign 2 pi i K / N).
template <int Sign, int K, int N, class Real>
SEICHE_DEVICE Complex<Real> rotate(Complex<Real> a) {
  constexpr int k = ((K * Sign) % N + N) % N;
  if constexpr (k == 0) {
    return a;
  } else if constexpr (2 * k == N) {
    return {-a.x, -a.y};
  } else if constexpr (4 * k == N) {
    return {-a.y, a.x};
  } else if constexpr (4 * k == 3 * N) {
    return {a.y, -a.x};
  } else if constexpr ((8 * k) % N == 0) {
    constexpr int eighths = 8 * k / N;
    constexpr Real h = Real(constant::sine(1, 8));
    if constexpr (eighths == 1) return {h * (a.x - a.y), h * (a.x + a.y)};
    if constexpr (eighths == 3) return {-h * (a.x + a.y), h * (a.x - a.y)};
    if constexpr (eighths == 5) return {h * (a.y - a.x), -h * (a.x + a.y)};
    return {h * (a.x + a.y), h * (a.y - a.x)};
  } else {
    constexpr Real c = Real(constant::cosine(k, N)), s = Real(constant::sine(k, N));
    return {c * a.x - s * a.y, c * a.y + s * a.x};
  }
}

/// Returns the first factor of a composite radix, or 0 for a prime.
constexpr int first_factor(int radix) {
  switch (radix) {
    case 4:
    case 6:
    case 8:
    case 10:
    case 14:
      return 2;
    case 9:
    case 15:
    case 18:
    case 21:
      return 3;
    case 12:
    case 16:
    case 20:
    case 24:
      return 4;
    case 25:
      return 5;
    default:
      return 0;
  }
}

template <int R, int Sign, std::uint32_t Inputs, class Real>
SEICHE_DEVICE void butterfly(Complex<Real> (&v)[R]);

/// Transforms an odd prime number of values. Pairs v[j], v[R - j] share their products.
template <int R, int Sign, class Real>
SEICHE_DEVICE void prime_butterfly(Complex<Real> (&v)[R]) {
  constexpr int half = (R - 1) / 2;
  Complex<Real> sum[half], difference[half];
  Complex<Real> total = v[0];
  unroll<half>([&](auto j) {
    sum[j()] = v[j() + 1] + v[R - 1 - j()];
    difference[j()] = v[j() + 1] - v[R - 1 - j()];
    total = total + sum[j()];
  });
  unroll<half>([&](auto m) {
    Complex<Real> even = v[0], odd{0, 0};
    unroll<half>([&](auto j) {
      constexpr int k = (m() + 1) * (j() + 1) % R;
      constexpr Real c = Real(constant::cosine(k, R)), s = Real(Sign * constant::sine(k, R));
      even = {even.x + c * sum[j()].x, even.y + c * sum[j()].y};
      if constexpr (j() == 0) {
        odd = {s * difference[0].x, s * difference[0].y};
      } else {
        odd = {odd.x + s * difference[j()].x, odd.y + s * difference[j()].y};
      }
    });
    v[m() + 1] = {even.x - odd.y, even.y + odd.x};
    v[R - 1 - m()] = {even.x + odd.y, even.y - odd.x};
  });
  v[0] = total;
}

/// Transforms R = A B values in two steps. Inputs: bit j is set if v[j] may be nonzero. A == 2 uses it.
template <int R, int A, int Sign, std::uint32_t Inputs, class Real>
SEICHE_DEVICE void composite_butterfly(Complex<Real> (&v)[R]) {
  constexpr int B = R / A;
  constexpr std::uint32_t all = ~0u;
  Complex<Real> t[B][A];
  unroll<B>([&](auto j) {
    constexpr bool low = Inputs >> j() & 1, high = Inputs >> (j() + B) & 1;
    if constexpr (A == 2 && low && high) {
      t[j()][0] = v[j()] + v[j() + B];
      t[j()][1] = rotate<Sign, j(), R>(v[j()] - v[j() + B]);
    } else if constexpr (A == 2 && low) {
      t[j()][0] = v[j()];
      t[j()][1] = rotate<Sign, j(), R>(v[j()]);
    } else if constexpr (A == 2 && high) {
      t[j()][0] = v[j() + B];
      t[j()][1] = rotate<Sign, j() + B, R>(v[j() + B]);
    } else if constexpr (A == 2) {
      t[j()][0] = t[j()][1] = {0, 0};
    } else {
      Complex<Real> a[A];
      unroll<A>([&](auto i) { a[i()] = v[i() * B + j()]; });
      butterfly<A, Sign, all>(a);
      unroll<A>([&](auto k) { t[j()][k()] = rotate<Sign, j() * k(), R>(a[k()]); });
    }
  });
  unroll<A>([&](auto k) {
    Complex<Real> b[B];
    unroll<B>([&](auto j) { b[j()] = t[j()][k()]; });
    butterfly<B, Sign, all>(b);
    unroll<B>([&](auto j) { v[k() + A * j()] = b[j()]; });
  });
}

/// Replaces v by its discrete Fourier transform of sign Sign. Inputs: bit j is set if v[j] may be nonzero.
template <int R, int Sign, std::uint32_t Inputs = ~0u, class Real>
SEICHE_DEVICE void butterfly(Complex<Real> (&v)[R]) {
  constexpr std::uint32_t all = (1u << R) - 1;
  if constexpr (R == 2) {
    const Complex<Real> a = v[0], b = v[1];
    v[0] = a + b;
    v[1] = a - b;
  } else if constexpr (first_factor(R) == 0) {
    prime_butterfly<R, Sign>(v);
  } else {
    constexpr bool pruned = R % 2 == 0 && (Inputs & all) != all;
    composite_butterfly<R, pruned ? 2 : first_factor(R), Sign, Inputs>(v);
  }
}

}  // namespace seiche::cuda
