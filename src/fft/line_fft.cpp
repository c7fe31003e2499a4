// SPDX-License-Identifier: BSD-3-Clause
#include "fft/line_fft.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "fft/line_libraries.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

bool is_there(LineLibrary library) { return library == LineLibrary::mkl ? mkl_is_there() : fftw_is_there(); }

std::unique_ptr<LineFft> make(LineLibrary library, const Lines& lines) {
  return library == LineLibrary::mkl ? make_mkl(lines) : make_fftw(lines);
}

/// Lines one at a time, each copied to the same place, so that neither their number nor their layout can change a bit.
class ReproducibleLines : public LineFft {
 public:
  ReproducibleLines(LineLibrary library, const Lines& lines)
      : lines_(lines), element_(lines.single ? sizeof(float) : sizeof(double)) {
    const bool real_in = lines.kind == LineKind::from_real_grid, real_out = lines.kind == LineKind::to_real_grid;
    reals_in_ = real_in ? 1 : 2;
    reals_out_ = real_out ? 1 : 2;
    points_in_ = real_out ? lines.n / 2 + 1 : lines.n;
    points_out_ = real_in ? lines.n / 2 + 1 : lines.n;
    Lines one = lines;
    one.count = 1;
    one.in = one.out = {1, 0};
    one.in_place = false;
    line_ = make(library, one);
  }

  void run(const void* in, void* out) const override {
    thread_local aligned_vector<std::byte> from, into;  // kept from call to call
    from.resize(std::max(from.size(), line_bytes(points_in_, reals_in_)));
    into.resize(std::max(into.size(), line_bytes(points_out_, reals_out_)));
    for (std::int64_t i = 0; i < lines_.count; ++i) {
      const std::size_t read = reals_in_ * element_, write = reals_out_ * element_;
      copy(static_cast<const std::byte*>(in) + bytes(i * lines_.in.distance, read), lines_.in.stride, from.data(), 1,
           points_in_, read);
      line_->run(from.data(), into.data());
      copy(into.data(), 1, static_cast<std::byte*>(out) + bytes(i * lines_.out.distance, write), lines_.out.stride,
           points_out_, write);
    }
  }

 private:
  static std::size_t bytes(std::int64_t count, std::size_t element) {
    return static_cast<std::size_t>(count) * element;
  }
  std::size_t line_bytes(std::int64_t points, std::size_t reals) const { return bytes(points, reals * element_); }

  static void copy(const std::byte* from, std::int64_t from_stride, std::byte* into, std::int64_t into_stride,
                   std::int64_t points, std::size_t element) {
    for (std::int64_t i = 0; i < points; ++i) {
      std::memcpy(into + bytes(i * into_stride, element), from + bytes(i * from_stride, element), element);
    }
  }

  Lines lines_;
  std::size_t element_, reals_in_ = 2, reals_out_ = 2;
  std::int64_t points_in_ = 0, points_out_ = 0;
  std::unique_ptr<LineFft> line_;
};

}  // namespace

std::string name_of(LineLibrary library) {
  switch (library) {
    case LineLibrary::automatic:
      return "automatic";
    case LineLibrary::fftw:
      return "fftw";
    case LineLibrary::mkl:
      return "mkl";
  }
  return "unknown";
}

LineLibrary line_library(LineLibrary wanted) {
  const std::string named = environment("SEICHE_FFT");
  require(named.empty() || named == "fftw" || named == "mkl", Fault::bad_argument,
          "SEICHE_FFT is '{}'; set it to fftw or mkl, or not at all", named);
  if (wanted == LineLibrary::automatic && !named.empty()) {
    wanted = named == "mkl" ? LineLibrary::mkl : LineLibrary::fftw;
  }
  if (wanted == LineLibrary::automatic) {
    const bool mkl = mkl_is_there() && (mkl_is_at_home() || !fftw_is_there());
    wanted = mkl ? LineLibrary::mkl : LineLibrary::fftw;
  }
  require(is_there(wanted), Fault::unsupported,
          "no library to transform lines: {} could not be loaded; install libfftw3-3 (Debian), or MKL, point "
          "SEICHE_MKL to its folder, and leave it address space (ulimit -v)",
          name_of(wanted));
  return wanted;
}

std::shared_ptr<const LineFft> line_fft(LineLibrary library, const Lines& lines) {
  constexpr std::size_t kept_at_most = 512;  // beyond those that plans hold
  static std::mutex lock;
  static std::map<std::pair<LineLibrary, Lines>, std::weak_ptr<const LineFft>> made;
  static std::deque<std::shared_ptr<const LineFft>> kept;
  const std::lock_guard<std::mutex> guard(lock);
  if (const auto found = made[{library, lines}].lock()) return found;
  std::shared_ptr<const LineFft> fresh;
  if (lines.reproducible) {
    fresh = std::make_shared<ReproducibleLines>(library, lines);
  } else {
    fresh = make(library, lines);
  }
  made[{library, lines}] = fresh;
  kept.push_back(fresh);
  if (kept.size() > kept_at_most) kept.pop_front();
  return fresh;
}

}  // namespace seiche
