// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of DUCC (M. Reinecke; the FFT has a BSD 3-clause licence), which are vectorized over lines. Compiled
/// once per instruction set, with one exported function. Each module has its own template instances, so that code for
/// wide instructions cannot run on other processors.
#include <ducc0/fft/fft.h>
#include <complex>
#include <exception>

#include "interface.h"

namespace {

template <class Value>
using In = ducc0::cfmav<Value>;
template <class Value>
using Out = ducc0::vfmav<Value>;

/// Creates an array of lines with `points` points along axis 1.
template <class Array, class Value>
Array lines_at(Value* data, const ducc_lines& lines, std::int64_t points, bool out) {
  const std::vector<std::size_t> shape{static_cast<std::size_t>(lines.count), static_cast<std::size_t>(points)};
  const std::vector<std::ptrdiff_t> steps{out ? lines.distance_out : lines.distance_in,
                                          out ? lines.stride_out : lines.stride_in};
  return Array(data, shape, steps);
}

template <class Real>
void transform(const ducc_lines& lines, const void* in, void* out) {
  using Complex = std::complex<Real>;
  constexpr int threads = 1;  // the caller's threads share the lines
  const std::int64_t half = lines.n / 2 + 1;
  const auto scale = static_cast<Real>(lines.scale);
  const auto complex_in = [&](std::int64_t points) {
    return lines_at<In<Complex>>(static_cast<const Complex*>(in), lines, points, false);
  };
  const auto complex_out = [&](std::int64_t points) {
    return lines_at<Out<Complex>>(static_cast<Complex*>(out), lines, points, true);
  };
  switch (lines.kind) {
    case ducc_complex:
      return ducc0::c2c(complex_in(lines.n), complex_out(lines.n), {1}, lines.forward != 0, scale, threads);
    case ducc_to_real:
      return ducc0::c2r(complex_in(half), lines_at<Out<Real>>(static_cast<Real*>(out), lines, lines.n, true), 1, false,
                        scale, threads);
    case ducc_from_real:
      return ducc0::r2c(lines_at<In<Real>>(static_cast<const Real*>(in), lines, lines.n, false), complex_out(half), 1,
                        true, scale, threads);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int seiche_ducc_run(const ducc_lines* lines, const void* in,
                                                                      void* out) try {
  lines->single ? transform<float>(*lines, in, out) : transform<double>(*lines, in, out);
  return 1;
} catch (const std::exception&) {
  return 0;
}
