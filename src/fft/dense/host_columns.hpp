// SPDX-License-Identifier: BSD-3-Clause
/// \file  Columns of operators on the host. Some lines remain in cache between both 1D FFTs.
#pragma once

#include <algorithm>
#include <vector>

#include "fft/dense/column_operation.hpp"
#include "fft/lines/line_sheets.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

/// A function of G that multiplies one input for one output, in the order [y][z][x].
template <class Real>
class GridFactor {
 public:
  using Complex = std::complex<Real>;

  /// Stores real numbers if all values are real, or all are imaginary.
  GridFactor(const Box& box, const Complex* values) : nx_(box.size(0)), nz_(box.size(2)) {
    const std::int64_t ny = box.size(1);
    bool real = true, imaginary = true;
    for (std::int64_t p = 0; p < box.volume(); ++p) {
      real = real && values[p].imag() == 0;
      imaginary = imaginary && values[p].real() == 0;
    }
    kind_ = real && imaginary ? Kind::zero : real ? Kind::real : imaginary ? Kind::imaginary : Kind::complex;
    if (box.empty() || kind_ == Kind::zero) return;
    values_.resize(static_cast<std::size_t>(box.volume() * reals()));
    Real* next = values_.data();
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t z = 0; z < nz_; ++z) {
        const Complex* row = values + (z * ny + y) * nx_;
        for (std::int64_t x = 0; x < nx_; ++x) {
          if (kind_ != Kind::imaginary) *next++ = row[x].real();
          if (kind_ != Kind::real) *next++ = row[x].imag();
        }
      }
    }
  }
  bool zero() const { return kind_ == Kind::zero; }
  std::int64_t memory() const { return static_cast<std::int64_t>(values_.size() * sizeof(Real)); }
  /// Multiplies lines: `from` and `into` are [z][width], with the points `x` of row y. `adds`: adds to `into`.
  void multiply(std::int64_t y, const Range& x, std::int64_t width, const Complex* from, Complex* into,
                bool adds) const {
    adds ? multiply<true>(y, x, width, from, into) : multiply<false>(y, x, width, from, into);
  }

 private:
  enum class Kind { zero, real, imaginary, complex };

  std::int64_t reals() const { return kind_ == Kind::complex ? 2 : 1; }
  template <bool adds>
  void multiply(std::int64_t y, const Range& x, std::int64_t width, const Complex* from, Complex* into) const {
    const auto each = [&](const auto& product) {
      for (std::int64_t z = 0; z < nz_; ++z) {
        const Real* factor = values_.data() + ((y * nz_ + z) * nx_ + x.low) * reals();
        const Real* in = reinterpret_cast<const Real*>(from + z * width);
        Real* out = reinterpret_cast<Real*>(into + z * width);
        for (std::int64_t l = 0; l < x.size(); ++l) {
          const auto [re, im] = product(factor, l, in[2 * l], in[2 * l + 1]);
          out[2 * l] = adds ? out[2 * l] + re : re;
          out[2 * l + 1] = adds ? out[2 * l + 1] + im : im;
        }
      }
    };
    struct Parts {
      Real re, im;
    };
    switch (kind_) {
      case Kind::zero:
        return;
      case Kind::real:
        return each([](const Real* f, std::int64_t l, Real re, Real im) { return Parts{f[l] * re, f[l] * im}; });
      case Kind::imaginary:
        return each([](const Real* f, std::int64_t l, Real re, Real im) { return Parts{-f[l] * im, f[l] * re}; });
      case Kind::complex:
        return each([](const Real* f, std::int64_t l, Real re, Real im) {
          return Parts{f[2 * l] * re - f[2 * l + 1] * im, f[2 * l] * im + f[2 * l + 1] * re};
        });
    }
  }

  std::int64_t nx_, nz_;
  Kind kind_ = Kind::zero;
  aligned_vector<Real> values_;
};

template <class Complex>
class HostColumns final : public ColumnOperation<Complex> {
 public:
  using Real = typename Complex::value_type;

  HostColumns(const DensePlan& plan, const OperatorFactors<Complex>& factors)
      : fields_(factors.fields),
        box_(plan.spectrum_box),
        stride_(plan.columns_stride),
        threads_(plan.options.threads),
        width_(width_of(factors.fields, plan)),
        forward_(lines(plan, LineKind::forward)),
        backward_(lines(plan, LineKind::backward)) {
    for (std::int64_t f = 0; f < fields_.inputs * fields_.outputs; ++f) {
      factors_.emplace_back(box_, factors.values.data() + f * box_.volume());
    }
  }
  Event run(std::span<Complex* const> columns, const Range& rows, Pipeline& pipeline) const override {
    for_tiles(
        rows.size(), threads_, [&](std::int64_t y, int) { row(columns, rows.low + y); },
        [&pipeline] { pipeline.poll(); });
    return {};
  }
  std::int64_t memory() const override {
    std::int64_t bytes = 0;
    for (const auto& factor : factors_) bytes += factor.memory();
    return bytes;
  }

 private:
  static constexpr std::int64_t tile = 8;  // lines

  /// Returns the number of lines that remain in cache. More lines need fewer pages of the outputs at a time.
  static std::int64_t width_of(const OperatorFields& fields, const DensePlan& plan) {
    const auto line = static_cast<std::int64_t>(sizeof(Complex)) * plan.shape.nz * (fields.inputs + 1);
    const std::int64_t lines = std::min(plan.spectrum_box.size(0), core_cache() / 2 / std::max<std::int64_t>(line, 1));
    return std::max((lines + tile - 1) / tile, std::int64_t{1}) * tile;
  }
  LineTiles lines(const DensePlan& plan, LineKind kind) const {
    Lines lines = lines_with<Real>(plan.options);
    const LineLayout own{plan.columns_stride[2], 1}, scratch{width_, 1};
    lines.kind = kind;
    lines.n = plan.shape.nz;
    lines.count = plan.spectrum_box.empty() ? 0 : plan.spectrum_box.size(0);
    lines.in = kind == LineKind::forward ? own : scratch;
    lines.out = kind == LineKind::forward ? scratch : own;
    return LineTiles(plan.options.library, lines, tile);
  }

  void row(std::span<Complex* const> columns, std::int64_t y) const {
    thread_local aligned_vector<Complex> scratch;
    const std::int64_t size = box_.size(2) * width_, first = y * stride_[1];
    scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(size * (fields_.inputs + 1))));
    Complex* spectra = scratch.data() + size;
    for (Range x{0, 0}; x.high < box_.size(0);) {
      x = {x.high, std::min(x.high + width_, box_.size(0))};
      for (std::int64_t i = 0; i < fields_.inputs; ++i) {
        const Complex* own = columns[static_cast<std::size_t>(i)] + first;
        each_tile(x, [&](std::int64_t t, std::int64_t at) {
          fetch_tile<Intent::read>(own + at + tile);
          forward_.run(t, own + at, spectra + i * size + at - x.low);
        });
      }
      for (std::int64_t o = 0; o < fields_.outputs; ++o) {
        Complex* own = columns[static_cast<std::size_t>(o)] + first;
        fetch_tile<Intent::write>(own + x.low);
        multiply(o, y, x, spectra, scratch.data());
        each_tile(x, [&](std::int64_t t, std::int64_t at) {
          fetch_tile<Intent::write>(own + at + tile);
          backward_.run(t, scratch.data() + at - x.low, own + at);
        });
      }
    }
  }
  /// Prefetches a tile, because the hardware does not prefetch these strides.
  template <Intent intent>
  void fetch_tile(const Complex* first) const {
    fetch<intent>(first, box_.size(2), stride_[2], tile);
  }
  /// Calls work(tile, its first point) for the tiles of some points.
  template <class Work>
  static void each_tile(const Range& x, const Work& work) {
    for (std::int64_t at = x.low; at < x.high; at += tile) work(at / tile, at);
  }
  /// Computes some lines of an output from those of all inputs.
  void multiply(std::int64_t output, std::int64_t y, const Range& x, const Complex* spectra, Complex* into) const {
    const std::int64_t size = box_.size(2) * width_;
    bool adds = false;
    for (std::int64_t i = 0; i < fields_.inputs; ++i) {
      const auto& factor = factors_[static_cast<std::size_t>(output * fields_.inputs + i)];
      if (factor.zero()) continue;
      factor.multiply(y, x, width_, spectra + i * size, into, adds);
      adds = true;
    }
    if (!adds) std::fill_n(into, size, Complex());
  }

  OperatorFields fields_;
  Box box_;
  Strides stride_;
  int threads_;
  std::int64_t width_;  // lines
  LineTiles forward_, backward_;
  std::vector<GridFactor<Real>> factors_;
};

}  // namespace seiche
