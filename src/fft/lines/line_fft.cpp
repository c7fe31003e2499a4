// SPDX-License-Identifier: BSD-3-Clause
#include "fft/lines/line_fft.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <deque>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "fft/lines/earned_lines.hpp"
#include "fft/lines/line_libraries.hpp"
#include "fft/lines/tiles.hpp"
#include "support/aligned_memory.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// A library that can be selected by name.
struct Named {
  LineLibrary library;
  const char* name;
  bool (*is_there)();
  std::unique_ptr<LineFft> (*make)(const Lines& lines);
};
constexpr std::array all_libraries{
    Named{LineLibrary::fftw, "fftw", fftw_is_there, make_fftw},
    Named{LineLibrary::mkl, "mkl", mkl_is_there, make_mkl},
    Named{LineLibrary::ducc, "ducc", ducc_is_there, make_ducc},
    Named{LineLibrary::fastest, "fastest", [] { return ducc_is_there() && (fftw_is_there() || mkl_is_there()); },
          make_fastest},
};

const Named& entry(LineLibrary library) {
  return *std::find_if(all_libraries.begin(), all_libraries.end(),
                       [&](const Named& one) { return one.library == library; });
}

std::unique_ptr<LineFft> make(LineLibrary library, const Lines& lines) { return entry(library).make(lines); }

/// Returns how long lines run before they are measured. A measurement takes some ten milliseconds. Where FFTW has one
/// kernel for the whole length, its estimate is as fast as what it measures. Otherwise it is up to twice as slow.
std::chrono::nanoseconds price_of(std::int64_t n) {
  using std::chrono_literals::operator""ms;
  const bool one_kernel = n <= 16 || n == 20 || n == 25 || n == 32 || n == 64 || n == 128;
  return one_kernel ? 200ms : n < 64 ? 20ms : 8ms;
}

/// Returns lines of a library whose algorithms or whose choice are measured. The lines begin with the classic library.
std::unique_ptr<LineFft> make_earned(LineLibrary library, Lines lines) {
  const LineLibrary first = library == LineLibrary::fastest ? classic_library() : library;
  auto unmeasured = make(first, lines);
  lines.measured = true;
  return std::make_unique<EarnedLines>(
      std::move(unmeasured), [library, lines] { return make(library, lines); }, price_of(lines.n));
}

/// Lines that are transformed one at a time in the same memory, so that results do not depend on their number or
/// layout. A few lines are copied together, because neighbours share cache lines.
template <class In, class Out>
class ReproducibleLines : public LineFft {
 public:
  ReproducibleLines(LineLibrary library, const Lines& lines)
      : lines_(lines), points_in_(lines.points_in()), points_out_(lines.points_out()) {
    Lines one = lines;
    one.count = 1;
    one.in = one.out = {1, 0};
    one.in_place = false;
    line_ = make(library, one);
  }

  void run(const void* in, void* out) const override {
    thread_local aligned_vector<In> from;  // reused between calls
    thread_local aligned_vector<Out> into;
    const std::int64_t pitch_in = padded_row<In>(points_in_), pitch_out = padded_row<Out>(points_out_);
    from.resize(std::max(from.size(), static_cast<std::size_t>(together * pitch_in)));
    into.resize(std::max(into.size(), static_cast<std::size_t>(together * pitch_out)));
    const LineLayout fetched{1, pitch_in}, made{1, pitch_out};
    for (std::int64_t first = 0; first < lines_.count; first += together) {
      const std::int64_t count = std::min(together, lines_.count - first);
      const In* theirs = static_cast<const In*>(in) + first * lines_.in.distance;
      copy<In>({points_in_, count}, {theirs, lines_.in}, {from.data(), fetched});
      for (std::int64_t i = 0; i < count; ++i) line_->run(from.data() + i * pitch_in, into.data() + i * pitch_out);
      Out* results = static_cast<Out*>(out) + first * lines_.out.distance;
      copy<Out>({points_out_, count}, {into.data(), made}, {results, lines_.out});
    }
  }

 private:
  static constexpr std::int64_t together = 8;

  struct Count {
    std::int64_t points, lines;
  };
  template <class Element>
  struct Place {
    Element* data;
    LineLayout layout;
  };

  template <class Element>
  static void copy(const Count& count, const Place<const Element>& from, const Place<Element>& into) {
    const LineLayout &a = from.layout, &b = into.layout;
    if (a.stride == 1 && b.stride == 1) {
      for (std::int64_t i = 0; i < count.lines; ++i) {
        std::copy_n(from.data + i * a.distance, count.points, into.data + i * b.distance);
      }
      return;
    }
    for (std::int64_t p = 0; p < count.points; ++p) {
      for (std::int64_t i = 0; i < count.lines; ++i) {
        into.data[p * b.stride + i * b.distance] = from.data[p * a.stride + i * a.distance];
      }
    }
  }

  Lines lines_;
  std::int64_t points_in_, points_out_;
  std::unique_ptr<LineFft> line_;
};

template <class Real>
std::unique_ptr<LineFft> make_reproducible(LineLibrary library, const Lines& lines) {
  using Complex = std::complex<Real>;
  switch (lines.kind) {
    case LineKind::to_real_grid:
      return std::make_unique<ReproducibleLines<Complex, Real>>(library, lines);
    case LineKind::from_real_grid:
      return std::make_unique<ReproducibleLines<Real, Complex>>(library, lines);
    default:
      return std::make_unique<ReproducibleLines<Complex, Complex>>(library, lines);
  }
}

std::unique_ptr<LineFft> make_wanted(LineLibrary library, const Lines& lines) {
  if (lines.reproducible) {
    return lines.single ? make_reproducible<float>(library, lines) : make_reproducible<double>(library, lines);
  }
  const bool measurable = library == LineLibrary::fftw || library == LineLibrary::fastest;
  return measurable && !lines.measured ? make_earned(library, lines) : make(library, lines);
}

}  // namespace

std::string name_of(LineLibrary library) {
  return library == LineLibrary::automatic ? "automatic" : entry(library).name;
}

LineLibrary classic_library() {
  const bool mkl = (mkl_is_optimized_here() || !fftw_is_there()) && mkl_is_there();  // loads only one of them
  return mkl ? LineLibrary::mkl : LineLibrary::fftw;
}

namespace {

/// Returns the fastest of the libraries that can be loaded, or the classic one if there is none.
LineLibrary fastest_present() {
  const LineLibrary classic = classic_library();
  for (const LineLibrary one : {LineLibrary::fastest, classic, LineLibrary::ducc}) {
    if (entry(one).is_there()) return one;
  }
  return classic;
}

}  // namespace

LineLibrary line_library(LineLibrary wanted) {
  const std::string named = environment("SEICHE_FFT");
  const auto found =
      std::find_if(all_libraries.begin(), all_libraries.end(), [&](const Named& one) { return named == one.name; });
  require(named.empty() || found != all_libraries.end(), Fault::bad_argument,
          "unknown library in SEICHE_FFT ('{}'): set it to fftw, mkl, ducc or fastest, or unset it", named);
  if (wanted == LineLibrary::automatic && !named.empty()) wanted = found->library;
  if (wanted == LineLibrary::automatic || wanted == LineLibrary::fastest) wanted = fastest_present();
  require(entry(wanted).is_there(), Fault::unsupported,
          "no library for 1D FFTs ({} cannot be loaded): install libfftw3-3 (Debian) or MKL, set SEICHE_MKL to its "
          "folder, check the limit of address space (ulimit -v), or build ducc with ./dev",
          name_of(wanted));
  return wanted;
}

std::shared_ptr<const LineFft> line_fft(LineLibrary library, const Lines& lines) {
  constexpr std::size_t kept_at_most = 512;  // in addition to those in use
  static std::mutex lock;
  static std::map<std::pair<LineLibrary, Lines>, std::weak_ptr<const LineFft>> made;
  static std::deque<std::shared_ptr<const LineFft>> kept;
  const auto cached = [&] {
    const auto found = made.find({library, lines});
    return found == made.end() ? nullptr : found->second.lock();
  };
  {
    const std::lock_guard<std::mutex> guard(lock);
    if (auto found = cached()) return found;
  }
  // without the lock: the measurement takes long, and threads on other communicators continue
  const std::shared_ptr<const LineFft> fresh = make_wanted(library, lines);
  const std::lock_guard<std::mutex> guard(lock);
  if (auto found = cached()) return found;  // of another thread
  std::erase_if(made, [](const auto& entry) { return entry.second.expired(); });
  made[{library, lines}] = fresh;
  kept.push_back(fresh);
  if (kept.size() > kept_at_most) kept.pop_front();
  return fresh;
}

}  // namespace seiche
