// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of the faster one of two libraries for each kind of lines. It depends on the number of points, the
/// memory layout and the processor. The measurement takes microseconds.
#include <algorithm>
#include <chrono>
#include <limits>

#include "fft/lines/line_libraries.hpp"
#include "support/sparse_zeroes.hpp"

namespace seiche {

namespace {

/// Zeroed memory with the layout of the lines. Transforms keep it zero.
class Scratch {
 public:
  explicit Scratch(const Lines& lines)
      : in_(std::max(bytes(lines, lines.in), lines.in_place ? bytes(lines, lines.out) : 0)),
        out_(lines.in_place ? 0 : bytes(lines, lines.out)),
        in_place_(lines.in_place) {}
  double seconds_of(const LineFft& fft) {
    const auto start = std::chrono::steady_clock::now();
    fft.run(in_.data(), in_place_ ? in_.data() : out_.data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static std::size_t bytes(const Lines& lines, const LineLayout& layout) {
    const auto last = (lines.n - 1) * layout.stride + (lines.count - 1) * layout.distance;
    return static_cast<std::size_t>(last + 1) * (lines.single ? 8 : 16);
  }
  SparseZeroes in_, out_;
  bool in_place_;
};

}  // namespace

std::unique_ptr<LineFft> faster_of(std::unique_ptr<LineFft> usual, std::unique_ptr<LineFft> other, const Lines& lines,
                                   double worth_it) {
  Scratch memory(lines);
  constexpr int rounds = 9;  // the first round initializes the libraries; the fastest of the others counts
  double of_usual = std::numeric_limits<double>::max(), of_other = of_usual;
  for (int round = 0; round < rounds; ++round) {
    const double one = memory.seconds_of(*usual), another = memory.seconds_of(*other);
    if (round == 0) continue;
    of_usual = std::min(of_usual, one);
    of_other = std::min(of_other, another);
  }
  return of_other < worth_it * of_usual ? std::move(other) : std::move(usual);
}

std::unique_ptr<LineFft> make_fastest(const Lines& lines) {
  auto classic = classic_library() == LineLibrary::mkl ? make_mkl(lines) : make_fftw(lines);
  if (lines.reproducible) return classic;
  constexpr double worth_it = 0.75;  // smaller gains are negligible in a whole plan, which is limited by memory
  return faster_of(std::move(classic), make_ducc(lines), lines, worth_it);
}

}  // namespace seiche
