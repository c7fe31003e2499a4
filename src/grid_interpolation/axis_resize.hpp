// SPDX-License-Identifier: BSD-3-Clause
/// \file  Waves along one axis, between two numbers of points.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>

namespace seiche {

/// Copies the waves that both numbers of points have, and sets all others to zero. Waves are in the order of an FFT.
/// With an even smaller number n, the waves n/2 and -n/2 of the larger number are one wave of the smaller one: its
/// value is their sum, and each of them has half of it.
class AxisResize {
 public:
  /// `half`: for real fields, the waves 0, ..., n/2 only.
  AxisResize(std::int64_t from, std::int64_t into, bool half) : from_(from), into_(into), half_(half) {}

  /// Values of a wave are a row of `width` contiguous values. Rows may be in place if they have one value and the
  /// stride 1.
  template <class Complex>
  void run(const Complex* from, std::int64_t from_stride, Complex* into, std::int64_t into_stride,
           std::int64_t width) const {
    const Rows<const Complex> source{from, from_stride};
    const Rows<Complex> target{into, into_stride};
    into_ < from_ ? shrink(source, target, width) : grow(source, target, width);
  }

 private:
  template <class Complex>
  struct Rows {
    Complex* first;
    std::int64_t stride;
    Complex* operator[](std::int64_t wave) const { return first + wave * stride; }
  };

  std::int64_t common() const { return std::min(from_, into_); }
  std::int64_t upper() const { return common() / 2 + 1; }  // waves 0, ..., n/2
  std::int64_t lower() const { return half_ ? 0 : common() - upper(); }
  bool two_waves_are_one() const { return from_ != into_ && common() % 2 == 0; }

  template <class Complex>
  void shrink(const Rows<const Complex>& from, const Rows<Complex>& into, std::int64_t width) const {
    const std::int64_t last = common() / 2;
    copy(from, 0, into, 0, upper(), width);
    if (two_waves_are_one()) {
      for (std::int64_t i = 0; i < width; ++i) {
        into[last][i] = half_ ? Complex(2 * into[last][i].real()) : into[last][i] + from[from_ - last][i];
      }
    }
    copy(from, from_ - lower(), into, into_ - lower(), lower(), width);
  }
  template <class Complex>
  void grow(const Rows<const Complex>& from, const Rows<Complex>& into, std::int64_t width) const {
    using Real = typename Complex::value_type;
    const std::int64_t last = common() / 2, end = half_ ? into_ / 2 + 1 : into_ - lower();
    copy(from, from_ - lower(), into, into_ - lower(), lower(), width);
    copy(from, 0, into, 0, upper(), width);
    for (std::int64_t wave = upper(); wave < end; ++wave) std::fill_n(into[wave], width, Complex());
    if (!two_waves_are_one()) return;
    for (std::int64_t i = 0; i < width; ++i) {
      into[last][i] *= Real(0.5);
      if (!half_) into[into_ - last][i] = into[last][i];
    }
  }
  template <class Complex>
  static void copy(const Rows<const Complex>& from, std::int64_t first, const Rows<Complex>& into,
                   std::int64_t first_into, std::int64_t count, std::int64_t width) {
    if (from.stride == width && into.stride == width) {
      if (count * width > 0) {
        std::memmove(static_cast<void*>(into[first_into]), from[first],
                     static_cast<std::size_t>(count * width) * sizeof(Complex));
      }
      return;
    }
    for (std::int64_t wave = 0; wave < count; ++wave) {
      std::copy_n(from[first + wave], width, into[first_into + wave]);
    }
  }

  std::int64_t from_, into_;
  bool half_;
};

}  // namespace seiche
