// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs in registers of the threads of one warp. Values are exchanged once, through shared memory of the
/// warp.
///
/// to_grid: frequencies in, positions out, sign +1. from_grid: the reverse, sign -1, without scale. Values are not
/// reordered: each thread knows the frequencies and positions of its values.
#pragma once

#include "cuda/butterflies.cuh"
#include "cuda/line_shape.hpp"

namespace seiche::cuda {

/// Which values neighbouring threads have: of the same line, or of neighbouring lines.
enum class Neighbours { same_line, other_lines };

/// Where values wait during an exchange: value (k, j) of line f is at f * line + k * row + j.
struct ScratchShape {
  int row = 0, line = 0;
};

/// Counts the accesses that the worst bank of shared memory serves, when threads read or write one value each.
constexpr int bank_conflicts(ScratchShape scratch, LineShape shape, Neighbours order, int bytes) {
  const int banks = 128 / bytes, together = bytes == 8 ? 16 : 32;  // threads served at the same time
  int worst = 0;
  for (int step : {scratch.row, 1}) {
    for (int from = 0; from < 32; from += together) {
      int count[32] = {};
      for (int lane = from; lane < from + together && lane < shape.lanes * shape.lines(); lane++) {
        const bool same = order == Neighbours::same_line;
        const int t = same ? lane % shape.lanes : lane / shape.lines();
        const int f = same ? lane / shape.lanes : lane % shape.lines();
        const int bank = (f * scratch.line + t * step) % banks;
        if (++count[bank] > worst) worst = count[bank];
      }
    }
  }
  return worst;
}

/// Returns the padding with the fewest conflicts.
constexpr ScratchShape scratch_shape(LineShape shape, Neighbours order, int bytes) {
  ScratchShape best{shape.second, shape.first * shape.second};
  int least = bank_conflicts(best, shape, order, bytes);
  for (int row = shape.second; row < shape.second + 4; row++) {
    for (int line = shape.first * row; line < shape.first * row + 18; line++) {
      const int conflicts = bank_conflicts({row, line}, shape, order, bytes);
      if (conflicts < least) least = conflicts, best = {row, line};
    }
  }
  return best;
}

/// Lines of a warp. Pruned: only frequencies |g| <= N / 4 are nonzero or needed.
template <class Value, int N, Neighbours Order, bool Pruned>
struct Lines {
  using Real = Value;
  static constexpr int points = N;
  static constexpr LineShape shape = line_shape(N);
  static_assert(shape.first * shape.second == N, "no radices for this size");
  static constexpr int r1 = shape.first, r2 = shape.second, lanes = shape.lanes, lines = shape.lines();
  static constexpr int rounds1 = shape.first_rounds(), rounds2 = shape.second_rounds();
  static constexpr int values = shape.values();                               ///< registers of a thread
  static constexpr int frequencies = rounds1 * r1, positions = rounds2 * r2;  ///< registers in use before and after
  static constexpr bool whole1 = r2 % lanes == 0, whole2 = r1 % lanes == 0;
  static constexpr ScratchShape place = scratch_shape(shape, Order, sizeof(Real));
  static constexpr int scratch = (place.line * lines + 3) / 4 * 4;  ///< reals of a warp
  using Registers = Complex<Real>[values];

  int thread, line;  ///< this thread among those of its line; its line among those of the warp
  bool on;           ///< false: the thread has no line
  Real* shared;      ///< scratch of the line
  Complex<Real> twiddles[rounds1];

  /// table[k] = exp(2 pi i k / N)
  SEICHE_DEVICE Lines(Real* scratch_of_warp, const Complex<Real>* __restrict__ table) {
    const int lane = threadIdx.x % 32;
    on = lane < lanes * lines;
    thread = !on ? 0 : Order == Neighbours::same_line ? lane % lanes : lane / lines;
    line = !on ? 0 : Order == Neighbours::same_line ? lane / lanes : lane % lines;
    shared = scratch_of_warp + line * place.line;
    unroll<rounds1>([&](auto m) { twiddles[m()] = table[(thread + lanes * m()) % N]; });
  }

  /// Tells whether register i is zero in all threads before to_grid.
  static constexpr bool zero(int i) {
    const int j = i % r1;
    return Pruned && j * r2 > N / 4 && (j + 1) * r2 - 1 < N - N / 4;
  }
  /// Returns the frequency of register i, 0 <= frequency < N.
  SEICHE_DEVICE int frequency(int i) const { return i % r1 * r2 + thread + lanes * (i / r1); }
  SEICHE_DEVICE bool has_frequency(int i) const { return on && (whole1 || thread + lanes * (i / r1) < r2); }
  SEICHE_DEVICE int position(int i) const { return thread + lanes * (i / r2) + r1 * (i % r2); }
  SEICHE_DEVICE bool has_position(int i) const { return on && (whole2 || thread + lanes * (i / r2) < r1); }

  /// Calls function(i, frequency) for the registers of this thread that may be nonzero.
  template <class Function>
  SEICHE_DEVICE void each_frequency(Function&& function) const {
    unroll<frequencies>([&](auto i) {
      if constexpr (!zero(i())) {
        if (has_frequency(i())) function(i, frequency(i()));
      }
    });
  }
  template <class Function>
  SEICHE_DEVICE void each_position(Function&& function) const {
    unroll<positions>([&](auto i) {
      if (has_position(i())) function(i, position(i()));
    });
  }

  SEICHE_DEVICE void to_grid(Registers& v) const {
    unroll<rounds1>([&](auto m) {
      Complex<Real> a[r1];
      unroll<r1>([&](auto j) { a[j()] = v[m() * r1 + j()]; });
      butterfly<r1, 1, inputs()>(a);
      unroll<r1>([&](auto j) { v[m() * r1 + j()] = a[j()]; });
      twiddle<m() * r1, false>(v, twiddles[m()]);
    });
    exchange<&Complex<Real>::x, true>(v);
    exchange<&Complex<Real>::y, true>(v);
    second_pass<1>(v);
  }

  SEICHE_DEVICE void from_grid(Registers& v) const {
    second_pass<-1>(v);
    exchange<&Complex<Real>::x, false>(v);
    exchange<&Complex<Real>::y, false>(v);
    unroll<rounds1>([&](auto m) {
      twiddle<m() * r1, true>(v, twiddles[m()]);
      Complex<Real> a[r1];
      unroll<r1>([&](auto j) { a[j()] = v[m() * r1 + j()]; });
      butterfly<r1, -1>(a);
      unroll<r1>([&](auto j) { v[m() * r1 + j()] = a[j()]; });
    });
  }

 private:
  static constexpr std::uint32_t inputs() {
    std::uint32_t mask = 0;
    for (int j = 0; j < r1; j++) mask |= std::uint32_t(!zero(j)) << j;
    return mask;
  }

  template <int Sign>
  SEICHE_DEVICE static void second_pass(Registers& v) {
    unroll<rounds2>([&](auto m) {
      Complex<Real> a[r2];
      unroll<r2>([&](auto j) { a[j()] = v[m() * r2 + j()]; });
      butterfly<r2, Sign>(a);
      unroll<r2>([&](auto j) { v[m() * r2 + j()] = a[j()]; });
    });
  }

  /// Multiplies v[First + k] by w^k or its conjugate. Two chains of powers, odd and even, halve the rounding errors.
  template <int First, bool Conjugate>
  SEICHE_DEVICE static void twiddle(Registers& v, Complex<Real> w) {
    const Complex<Real> square = w * w;
    Complex<Real> power[2] = {square, w};
    unroll<r1 - 1>([&](auto i) {
      constexpr int k = i() + 1;
      Complex<Real>& p = power[k % 2];
      v[First + k] = Conjugate ? times_conjugate(v[First + k], p) : v[First + k] * p;
      if constexpr (k + 2 < r1) p = p * square;
    });
  }

  /// Exchanges one part of all values. Outwards: from the order of the first pass to that of the second.
  template <Real Complex<Real>::*Part, bool Outwards>
  SEICHE_DEVICE void exchange(Registers& v) const {
    auto first = [&](auto&& access) {
      unroll<rounds1>([&](auto m) {
        if (whole1 || thread + lanes * m() < r2) {
          unroll<r1>([&](auto k) { access(shared[k() * place.row + thread + lanes * m()], v[m() * r1 + k()].*Part); });
        }
      });
    };
    auto second = [&](auto&& access) {
      unroll<rounds2>([&](auto m) {
        if (whole2 || thread + lanes * m() < r1) {
          unroll<r2>(
              [&](auto j) { access(shared[(thread + lanes * m()) * place.row + j()], v[m() * r2 + j()].*Part); });
        }
      });
    };
    auto store = [&](Real& memory, Real& value) {
      if (on) memory = value;
    };
    auto load = [&](Real& memory, Real& value) { value = memory; };
    if constexpr (Outwards)
      first(store);
    else
      second(store);
    __syncwarp();
    if constexpr (Outwards)
      second(load);
    else
      first(load);
    __syncwarp();
  }
};

}  // namespace seiche::cuda
