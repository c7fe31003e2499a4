// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of real lines of even length n, as complex lines of n/2 points x(2j) + i x(2j+1). Source: J. W.
/// Cooley, P. A. W. Lewis, P. D. Welch, J. Sound Vib. 12, 315 (1970).
#pragma once

#include <complex>
#include <cstring>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "fft/lines/line_fft.hpp"
#include "support/wide_loops.hpp"

namespace seiche {

/// Tells whether HalfLines can compute these lines: points of a line are contiguous, and pairs of reals are complex
/// values at a distance that complex lines can have.
inline bool can_be_half_lines(const Lines& lines) {
  const bool from_real = lines.kind == LineKind::from_real_grid;
  if (!from_real && lines.kind != LineKind::to_real_grid) return false;
  if (lines.n % 2 != 0 || lines.in.stride != 1 || lines.out.stride != 1) return false;
  const auto& [reals, complex] = from_real ? std::pair{lines.in, lines.out} : std::pair{lines.out, lines.in};
  if (lines.count == 1) return true;
  return lines.in_place ? reals.distance == 2 * complex.distance : reals.distance % 2 == 0;
}

template <class Real>
class HalfLines : public LineFft {
 public:
  /// `make` creates the complex lines. \pre can_be_half_lines(lines)
  template <class Make>
  HalfLines(const Lines& lines, const Make& make)
      : lines_(lines), half_(lines.n / 2), weight_(static_cast<Real>(from_real() ? lines.scale / 2 : lines.scale)) {
    Lines complex = lines;
    complex.kind = from_real() ? LineKind::forward : LineKind::backward;
    complex.n = half_;
    complex.scale = 1;
    (from_real() ? complex.in : complex.out).distance /= 2;
    complex_ = make(complex);
    using std::complex_literals::operator""i;
    for (std::int64_t k = 0; k <= half_ / 2; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(lines.n);
      const std::complex<double> factor = static_cast<double>(weight_) * std::polar(1.0, angle) * 1i;
      const auto re = static_cast<Real>(factor.real());
      const auto im = static_cast<Real>(from_real() ? -factor.imag() : factor.imag());
      real_.insert(real_.end(), 2, re);
      imaginary_.insert(imaginary_.end(), {-im, im});
    }
  }

  void run(const void* in, void* out) const override {
    if (!from_real()) combine_all(static_cast<Real*>(const_cast<void*>(in)), lines_.in.distance);
    complex_->run(in, out);
    if (from_real()) combine_all(static_cast<Real*>(out), lines_.out.distance);
  }

 private:
  static constexpr std::int64_t together = 2;  // complex values of a vector
  static constexpr std::int64_t reals = 2 * together;

  bool from_real() const { return lines_.kind == LineKind::from_real_grid; }

  void combine_all(Real* spectrum, std::int64_t distance) const {
    run_wide([ this, spectrum, distance ]() __attribute__((always_inline)) {
      for (std::int64_t line = 0; line < lines_.count; ++line) combine(spectrum + 2 * line * distance);
    });
  }

  /// Replaces the n/2 complex values of a complex line by the n/2+1 of the real line, or the reverse. For values x at k
  /// and y at n/2-k: s = x + conj(y), t = factor(k) (x - conj(y)); they become weight s + t and conj(weight s - t).
  [[gnu::always_inline]] void combine(Real* z) const {
    ends(z);
    using Reals [[gnu::vector_size(reals * sizeof(Real))]] = Real;
    const Reals conjugate = {1, -1, 1, -1};
    std::int64_t k = 1;
    for (; k + 1 < half_ - k - 1; k += together) {
      Real *const low = z + 2 * k, *const high = z + 2 * (half_ - k - 1);
      Reals x, y, re, im;
      std::memcpy(&x, low, sizeof x);
      std::memcpy(&y, high, sizeof y);
      std::memcpy(&re, real_.data() + 2 * k, sizeof re);
      std::memcpy(&im, imaginary_.data() + 2 * k, sizeof im);
      y = __builtin_shufflevector(y, y, 2, 3, 0, 1) * conjugate;
      const Reals s = (x + y) * weight_, d = x - y;
      const Reals t = d * re + __builtin_shufflevector(d, d, 1, 0, 3, 2) * im;
      const Reals sum = s + t, other = (s - t) * conjugate;
      const Reals reversed = __builtin_shufflevector(other, other, 2, 3, 0, 1);
      std::memcpy(low, &sum, sizeof sum);
      std::memcpy(high, &reversed, sizeof reversed);
    }
    for (; k <= half_ - k; ++k) combine_two(z + 2 * k, z + 2 * (half_ - k), k);
  }
  [[gnu::always_inline]] void combine_two(Real* low, Real* high, std::int64_t k) const {
    const Real re = real_[static_cast<std::size_t>(2 * k)], im = imaginary_[static_cast<std::size_t>(2 * k + 1)];
    const Real s_re = weight_ * (low[0] + high[0]), s_im = weight_ * (low[1] - high[1]);
    const Real d_re = low[0] - high[0], d_im = low[1] + high[1];
    const Real t_re = d_re * re - d_im * im, t_im = d_im * re + d_re * im;
    low[0] = s_re + t_re;
    low[1] = s_im + t_im;
    high[0] = s_re - t_re;
    high[1] = t_im - s_im;
  }
  /// The values at 0 and n/2 of a spectrum are real. A complex line has both at 0.
  [[gnu::always_inline]] void ends(Real* z) const {
    Real *const first = z, *const last = z + 2 * half_;
    if (from_real()) {
      const Real weight = 2 * weight_, re = first[0], im = first[1];
      first[0] = weight * (re + im);
      last[0] = weight * (re - im);
      first[1] = last[1] = 0;
    } else {
      const Real one = first[0], other = last[0];
      first[0] = weight_ * (one + other);
      first[1] = weight_ * (one - other);
    }
  }

  Lines lines_;
  std::int64_t half_;
  Real weight_;
  std::vector<Real> real_, imaginary_;  ///< factor(k), as (re, re) and (-im, im)
  std::unique_ptr<LineFft> complex_;
};

}  // namespace seiche
