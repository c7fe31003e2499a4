// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests which library computes 1D FFTs, depending on the request, the installed libraries and the processor.
/// Compares 1D FFTs of every kind and layout with plain sums.
#include "fft/lines/line_fft.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fft/lines/half_lines.hpp"
#include "fft/lines/line_libraries.hpp"
#include "fft/lines/tiles.hpp"
#include "support/mpi_test.hpp"
#include "support/stream_copy.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Returns whether the system reports an Intel processor. Does not use the compiler's runtime.
bool on_intel() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.find("GenuineIntel") != std::string::npos) return true;
  }
  return false;
}

class LineLibraries : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("SEICHE_FFT"); }
};

TEST_F(LineLibraries, MklOnlyWhereItHasKernelsOfItsOwn) {
  const bool fftw = is_here(LineLibrary::fftw), mkl = is_here(LineLibrary::mkl);
  ASSERT_TRUE(fftw || mkl);
  const bool expect_mkl = mkl && (on_intel() || !fftw);
  EXPECT_EQ(classic_library(), expect_mkl ? LineLibrary::mkl : LineLibrary::fftw);
  EXPECT_EQ(line_library(), is_here(LineLibrary::ducc) ? LineLibrary::fastest : classic_library());
  compared(2);
}

TEST_F(LineLibraries, TheVariableDecidesWhereTheCallerDoesNot) {
  for (const auto library : line_libraries_here()) {
    ::setenv("SEICHE_FFT", name_of(library).c_str(), 1);
    EXPECT_EQ(line_library(), library);
    EXPECT_EQ(line_library(LineLibrary::fftw), LineLibrary::fftw);
    compared(2);
  }
}

TEST_F(LineLibraries, TheFastestIsOneOfThoseThatAreInstalled) {
  const LineLibrary expected = is_here(LineLibrary::ducc) ? LineLibrary::fastest : classic_library();
  EXPECT_EQ(line_library(LineLibrary::fastest), expected);
  ::setenv("SEICHE_FFT", "fastest", 1);
  EXPECT_EQ(line_library(), expected);
  compared(2);
}

TEST_F(LineLibraries, OthersAreRefused) {
  ::setenv("SEICHE_FFT", "fftpack", 1);
  expect_error(Fault::bad_argument, "SEICHE_FFT ('fftpack'): set it to fftw, mkl, ducc or fastest, or unset it",
               [] { line_library(); });
}

/// Lines of small numbers in memory. Gaps between and after them have a value that is no result.
template <class Real>
struct Memory {
  static constexpr Real foreign = 12345;
  LineLayout layout;
  int reals;  ///< reals per point
  std::int64_t points, lines;
  std::int64_t before;  ///< reals before the first point
  std::vector<Real> values;

  Memory(const LineLayout& of, int reals_of_point, std::int64_t points_of_line, std::int64_t count,
         std::int64_t reals_before = 0)
      : layout(of), reals(reals_of_point), points(points_of_line), lines(count), before(reals_before) {
    const std::int64_t extent = reals * ((points - 1) * of.stride + (lines - 1) * of.distance + 9);
    values.assign(static_cast<std::size_t>(before + extent), foreign);
  }
  Real* data() { return values.data() + before; }
  Real& at(std::int64_t point, std::int64_t line, int part) {
    return data()[reals * (point * layout.stride + line * layout.distance) + part];
  }
  std::complex<Real> point(std::int64_t p, std::int64_t line) {
    return {at(p, line, 0), reals == 2 ? at(p, line, 1) : Real(0)};
  }
  std::int64_t untouched() const { return std::count(values.begin(), values.end(), foreign); }
};

/// Returns the sum over p of x(p) exp(sign 2 pi i p q / n). If the line is half of the spectrum of a real line, the
/// other half is its mirror image.
template <class Real>
std::complex<double> plain_sum(Memory<Real>& x, std::int64_t line, std::int64_t q, std::int64_t n, double sign) {
  std::complex<double> sum = 0;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::complex<double> value =
        p < x.points ? std::complex<double>(x.point(p, line)) : std::conj(std::complex<double>(x.point(n - p, line)));
    sum +=
        value * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(p * q % n) / static_cast<double>(n));
  }
  return sum;
}

/// Fills lines with numbers that vary between points. Spectra of real lines are real where they must be.
template <class Real>
void fill(Memory<Real>& in, LineKind kind, std::int64_t n) {
  for (std::int64_t line = 0; line < in.lines; ++line) {
    for (std::int64_t p = 0; p < in.points; ++p) {
      in.at(p, line, 0) = static_cast<Real>(1 + (5 * p + 3 * line) % 7) / 8;
      const bool is_real = kind == LineKind::to_real_grid && (p == 0 || 2 * p == n);
      if (in.reals == 2) in.at(p, line, 1) = is_real ? Real(0) : static_cast<Real>((p + 2 * line) % 5) / 4;
    }
  }
}

/// Reals before the first point of the input and of the output. An odd number breaks the alignment of doubles to 16
/// bytes.
struct Before {
  std::int64_t in = 0, out = 0;
};

template <class Real>
void expect_plain_sums(LineLibrary library, const Lines& lines, const Before& before = {}) {
  const bool from_real = lines.kind == LineKind::from_real_grid, to_real = lines.kind == LineKind::to_real_grid;
  const std::int64_t half = lines.n / 2 + 1;
  Memory<Real> in(lines.in, from_real ? 1 : 2, to_real ? half : lines.n, lines.count, before.in);
  Memory<Real> out(lines.out, to_real ? 1 : 2, from_real ? half : lines.n, lines.count, before.out);
  fill(in, lines.kind, lines.n);
  Memory<Real> kept = in;
  const std::int64_t all = out.untouched();
  line_fft(library, lines)->run(in.data(), lines.in_place ? in.data() : out.data());
  Memory<Real> result = out;
  if (lines.in_place) std::tie(result.before, result.values) = std::tie(in.before, in.values);
  const double sign = lines.kind == LineKind::backward || to_real ? 1 : -1;
  double off = 0;
  for (std::int64_t line = 0; line < lines.count; ++line) {
    for (std::int64_t q = 0; q < result.points; ++q) {
      const auto expected = lines.scale * plain_sum(kept, line, q, lines.n, sign);
      off = std::max(off, std::abs(std::complex<double>(result.point(q, line)) - expected));
    }
  }
  EXPECT_LE(off, 8.0 * static_cast<double>(lines.n) * std::numeric_limits<Real>::epsilon())
      << name_of(library) << ' ' << static_cast<int>(lines.kind) << ' ' << lines.n << " x " << lines.count;
  const std::int64_t written = out.reals * out.points * out.lines, read = in.reals * in.points * in.lines;
  const std::int64_t left =
      lines.in_place ? kept.untouched() - std::max<std::int64_t>(0, written - read) : all - written;
  EXPECT_EQ(result.untouched(), left) << "what lies between lines is another's";
  compared(2);
}

/// Returns lines of one kind in rows and in columns. They are scaled, and also in place without scale where possible.
std::vector<Lines> laid_out(LineKind kind, std::int64_t n, std::int64_t count, bool reproducible) {
  const LineLayout rows{1, n + 3}, columns{count + 2, 1};
  std::vector<Lines> all;
  for (const auto& [in, out] :
       {std::pair(rows, rows), std::pair(rows, columns), std::pair(columns, rows), std::pair(columns, columns)}) {
    all.push_back({kind, n, count, in, out, false, false, 0.125, reproducible});
    const bool may_stay = in == out && (kind == LineKind::backward || kind == LineKind::forward);
    if (may_stay) all.push_back({kind, n, count, in, out, true, false, 1, reproducible});
  }
  return all;
}

class LineFfts : public ::testing::TestWithParam<LineKind> {};

TEST_P(LineFfts, BecomePlainSumsWhereTheyLie) {
  std::vector<Lines> all;
  for (const std::int64_t n : {1, 5, 8, 12, 13}) {
    for (const std::int64_t count : {1, 3, 17}) {
      for (const auto& [reproducible, measured] : {std::pair(false, false), {false, true}, {true, false}}) {
        for (Lines& lines : laid_out(GetParam(), n, count, reproducible)) {
          lines.measured = measured;
          all.push_back(lines);
        }
      }
    }
  }
  for (const auto library : line_libraries_here()) {
    for (Lines lines : all) {
      expect_plain_sums<double>(library, lines);
      lines.single = true;
      expect_plain_sums<float>(library, lines);
    }
  }
}

TEST_P(LineFfts, MayBeginAtAnyReal) {
  for (const auto library : line_libraries_here()) {
    for (const std::int64_t n : {5, 8, 13, 16}) {
      for (const Lines& lines : laid_out(GetParam(), n, 9, false)) {
        for (const Before& before : {Before{1, 0}, Before{0, 1}, Before{1, 1}}) {
          expect_plain_sums<double>(library, lines, before);
        }
      }
    }
  }
}

/// Returns the transforms of consecutive lines by one library, measured unless they are reproducible.
std::vector<double> transformed(LineLibrary library, std::int64_t n, bool reproducible) {
  constexpr std::int64_t count = 9;
  const Lines lines{LineKind::forward, n, count, {1, n}, {1, n}, false, false, 1, reproducible, !reproducible};
  Memory<double> in(lines.in, 2, n, count), out(lines.out, 2, n, count);
  fill(in, lines.kind, n);
  line_fft(library, lines)->run(in.values.data(), out.values.data());
  return out.values;
}

// Reproducible 1D FFTs must not depend on measurements. They are transformed one at a time, where DUCC is seldom
// faster. The lengths include some for which it is.
TEST(Fastest, ReproducibleLinesAreNotChosenByTime) {
  if (!is_here(LineLibrary::fastest)) GTEST_SKIP() << "DUCC was not built in";
  constexpr std::int64_t longest = 600;
  for (std::int64_t n = 2; n <= longest; ++n) {
    EXPECT_EQ(transformed(LineLibrary::fastest, n, true), transformed(classic_library(), n, true)) << n << " points";
  }
  compared(longest - 1);
}

TEST(Fastest, TakesOneOfTheTwo) {
  if (!is_here(LineLibrary::fastest)) GTEST_SKIP() << "DUCC was not built in";
  constexpr std::int64_t n = 131;  // a prime, for which DUCC is often faster than FFTW
  const auto free = transformed(LineLibrary::fastest, n, false), ducc = transformed(LineLibrary::ducc, n, false);
  const auto classic = transformed(classic_library(), n, false);
  ASSERT_NE(ducc, classic);
  EXPECT_TRUE(free == ducc || free == classic);  // a measurement decides
  compared(2);
}

// A program may call fftw_cleanup() as FFTW's manual shows, which frees the planner below the plans of the library.
TEST(FftwLines, OutliveTheCleanupOfTheProgram) {
  if (!is_here(LineLibrary::fftw)) GTEST_SKIP() << "FFTW is not installed";
  void* const fftw = ::dlopen("libfftw3.so.3", RTLD_LAZY);
  auto* const cleanup = reinterpret_cast<void (*)()>(::dlsym(fftw, "fftw_cleanup"));
  ASSERT_NE(cleanup, nullptr);
  constexpr std::int64_t n = 18, count = 5;
  for (const LineKind kind : {LineKind::forward, LineKind::backward}) {
    const Lines lines{kind, n, count, {1, n + 2}, {1, n + 2}};
    const auto results_of = [&](const LineFft& fft) {
      Memory<double> in(lines.in, 2, n, count), out(lines.out, 2, n, count);
      fill(in, kind, n);
      fft.run(in.values.data(), out.values.data());
      return out.values;
    };
    auto before = make_fftw(lines);
    const auto expected = results_of(*before);
    cleanup();
    std::vector<std::string> reused(20000, std::string(100, '\xff'));  // memory that was freed has other contents
    EXPECT_EQ(results_of(*before), expected);
    const auto after = make_fftw(lines);
    before.reset();
    expect_close<double>(results_of(*after), expected, 1e-13);
  }
  ::dlclose(fftw);
}

// Each new count of lines needs a new plan, which is expensive in FFTW.
TEST(LineTiles, AreEqualWhereLinesDoNotShareCacheLines) {
  constexpr std::int64_t most = 22;
  const LineLayout rows{1, 16}, columns{100, 1};
  const auto sizes = [](const LineLayout& layout, std::int64_t count) {
    const LineTiles tiles(classic_library(), {LineKind::forward, 16, count, layout, layout}, most);
    std::vector<std::int64_t> all;
    for (std::int64_t t = 0; t < tiles.tiles(); ++t) all.push_back(tiles.lines(t).size());
    return all;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizes(rows, 90), Sizes(5, 18));
  EXPECT_EQ(sizes(rows, 23), (Sizes{12, 11}));
  EXPECT_EQ(sizes(rows, most), Sizes{most});
  EXPECT_EQ(sizes(rows, 1), Sizes{1});
  EXPECT_EQ(sizes(rows, 0), Sizes{});
  EXPECT_EQ(sizes(columns, 90), (Sizes{22, 22, 22, 22, 2})) << "whole cache lines of columns";
  compared(6);
}

TEST(StreamCopy, CopiesAtEveryPlaceInACacheLine) {
  constexpr std::size_t room = 400, most = 260;
  std::vector<unsigned char> from(room);
  for (std::size_t i = 0; i < room; ++i) from[i] = static_cast<unsigned char>(1 + i % 251);
  for (std::size_t low = 0; low < 70; ++low) {
    for (std::size_t n = 0; n <= most; ++n) {
      aligned_vector<unsigned char> into(room), expected(room);
      std::copy_n(from.begin() + 3, n, expected.begin() + static_cast<std::ptrdiff_t>(low));
      stream_copy(into.data() + low, from.data() + 3, n);
      complete_streams();
      ASSERT_EQ(into, expected) << n << " from " << low;
    }
  }
  compared();
}

/// Returns real lines of contiguous points, apart and in place. FFTW's even ones are complex lines of half the length.
std::vector<Lines> real_rows(LineKind kind, std::int64_t n, std::int64_t count) {
  const LineLayout even{1, n + 2 + n % 2}, odd{1, n + 3 - n % 2}, complex{1, n / 2 + 3}, below{1, 2 * (n / 2 + 3)};
  const bool to_real = kind == LineKind::to_real_grid;
  const auto lines = [&](const LineLayout& reals, bool in_place, double scale) {
    return Lines{kind, n, count, to_real ? complex : reals, to_real ? reals : complex, in_place, false, scale};
  };
  return {lines(even, false, 1), lines(even, false, 0.125), lines(odd, false, 1), lines(below, true, 0.5)};
}

TEST(HalfLines, BecomePlainSumsAtEveryLength) {
  if (!is_here(LineLibrary::fftw)) GTEST_SKIP() << "FFTW is not installed";
  for (const LineKind kind : {LineKind::to_real_grid, LineKind::from_real_grid}) {
    for (std::int64_t n = 2; n <= 40; ++n) {
      for (const std::int64_t count : {1, 2, 7}) {
        for (Lines lines : real_rows(kind, n, count)) {
          if (!lines.in_place) expect_plain_sums<double>(LineLibrary::fftw, lines, {1, 1});
          lines.measured = n > 30;
          expect_plain_sums<double>(LineLibrary::fftw, lines);
          lines.single = true;
          expect_plain_sums<float>(LineLibrary::fftw, lines);
        }
      }
    }
  }
}

TEST(HalfLines, NeedPairsOfContiguousReals) {
  const auto suitable = [](std::int64_t n, std::int64_t count, const LineLayout& reals, const LineLayout& complex,
                           bool in_place = false) {
    const Lines from{LineKind::from_real_grid, n, count, reals, complex, in_place};
    const Lines to{LineKind::to_real_grid, n, count, complex, reals, in_place};
    EXPECT_EQ(can_be_half_lines(from), can_be_half_lines(to));
    return can_be_half_lines(from);
  };
  EXPECT_TRUE(suitable(8, 3, {1, 8}, {1, 5}));
  EXPECT_TRUE(suitable(8, 1, {1, 9}, {1, 5})) << "one line has no distance";
  EXPECT_TRUE(suitable(8, 3, {1, 10}, {1, 5}, true));
  EXPECT_FALSE(suitable(8, 3, {1, 12}, {1, 5}, true)) << "complex lines in place have one distance";
  EXPECT_FALSE(suitable(8, 3, {1, 9}, {1, 5})) << "an odd distance";
  EXPECT_FALSE(suitable(7, 3, {1, 8}, {1, 4})) << "an odd length";
  EXPECT_FALSE(suitable(8, 3, {2, 16}, {1, 5}));
  EXPECT_FALSE(suitable(8, 3, {1, 8}, {3, 1}));
  EXPECT_FALSE(can_be_half_lines({LineKind::forward, 8, 3, {1, 8}, {1, 8}})) << "complex lines";
  compared(9);
}

// Distances between lines are ignored for a single line in place.
TEST(LineFft, MayStayInPlaceAlone) {
  for (const auto library : line_libraries_here()) {
    for (const std::int64_t n : {1, 7}) {
      expect_plain_sums<double>(library, {LineKind::forward, n, 1, {1, 0}, {1, n}, true});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LineFfts,
                         ::testing::Values(LineKind::backward, LineKind::forward, LineKind::to_real_grid,
                                           LineKind::from_real_grid));

}  // namespace
}  // namespace seiche::testing
