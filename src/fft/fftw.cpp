// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lines by FFTW 3, loaded at run time: being GPL, it is the user's choice.
#include <fftw3.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <mutex>

#include "fft/line_libraries.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"
#include "support/sparse_zeroes.hpp"

namespace seiche {

namespace {

/// The functions of one precision of FFTW.
template <class Real>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  using Dim = fftw_iodim64;
  static constexpr const char* file = "libfftw3.so.3";
  static constexpr const char* prefix = "fftw_";
};
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  using Dim = fftwf_iodim64;
  static constexpr const char* file = "libfftw3f.so.3";
  static constexpr const char* prefix = "fftwf_";
};

template <class Real>
struct FftwFunctions {
  using Plan = typename Fftw<Real>::Plan;
  using Complex = typename Fftw<Real>::Complex;
  using Dim = typename Fftw<Real>::Dim;

  SharedLibrary library{Fftw<Real>::file};
  Plan (*plan_dft)(int, const Dim*, int, const Dim*, Complex*, Complex*, int, unsigned) = nullptr;
  Plan (*plan_r2c)(int, const Dim*, int, const Dim*, Real*, Complex*, unsigned) = nullptr;
  Plan (*plan_c2r)(int, const Dim*, int, const Dim*, Complex*, Real*, unsigned) = nullptr;
  void (*execute_dft)(Plan, Complex*, Complex*) = nullptr;
  void (*execute_r2c)(Plan, Real*, Complex*) = nullptr;
  void (*execute_c2r)(Plan, Complex*, Real*) = nullptr;
  void (*destroy)(Plan) = nullptr;

  FftwFunctions() {
    if (!library.loaded()) return;
    find(plan_dft, "plan_guru64_dft");
    find(plan_r2c, "plan_guru64_dft_r2c");
    find(plan_c2r, "plan_guru64_dft_c2r");
    find(execute_dft, "execute_dft");
    find(execute_r2c, "execute_dft_r2c");
    find(execute_c2r, "execute_dft_c2r");
    find(destroy, "destroy_plan");
  }

  static const FftwFunctions& get() {
    static const FftwFunctions functions;
    return functions;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    library.find(function, (std::string(Fftw<Real>::prefix) + name).c_str());
  }
};

/// FFTW's planner, which also destroys plans, is for one thread at a time; both precisions share it here.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

template <class Real>
class FftwLines : public LineFft {
  using Functions = FftwFunctions<Real>;
  using Complex = typename Functions::Complex;

 public:
  explicit FftwLines(const Lines& lines) : lines_(lines) {
    const std::size_t reals_in = extent(lines.in, lines.kind == LineKind::from_real_grid ? 1 : 2);
    const std::size_t reals_out = extent(lines.out, lines.kind == LineKind::to_real_grid ? 1 : 2);
    const SparseZeroes in(sizeof(Real) * (lines.in_place ? std::max(reals_in, reals_out) : reals_in));
    const SparseZeroes out(lines.in_place ? 0 : sizeof(Real) * reals_out);
    plan_ = make(static_cast<Real*>(in.data()), static_cast<Real*>(lines.in_place ? in.data() : out.data()));
    require(plan_ != nullptr, Fault::internal, "FFTW made no plan for {} lines of {} points", lines.count, lines.n);
  }
  ~FftwLines() override {
    const std::lock_guard lock(planner());
    Functions::get().destroy(plan_);
  }

  void run(const void* in, void* out) const override {
    const auto& fftw = Functions::get();
    void* from = const_cast<void*>(in);
    switch (lines_.kind) {
      case LineKind::backward:
      case LineKind::forward:
        fftw.execute_dft(plan_, static_cast<Complex*>(from), static_cast<Complex*>(out));
        break;
      case LineKind::to_real_grid:
        fftw.execute_c2r(plan_, static_cast<Complex*>(from), static_cast<Real*>(out));
        break;
      case LineKind::from_real_grid:
        fftw.execute_r2c(plan_, static_cast<Real*>(from), static_cast<Complex*>(out));
        break;
    }
    if (lines_.scale != 1) rescale(out);
  }

 private:
  std::size_t extent(const LineLayout& layout, std::size_t reals) const {
    return reals * static_cast<std::size_t>((lines_.n - 1) * layout.stride + (lines_.count - 1) * layout.distance + 1);
  }

  /// Measured on scratch memory laid out alike; estimated where every process must come to the same plan. Transforms of
  /// values that were put in order before are not among what is measured: they take most of its time, and are never the
  /// fastest of lines that fit the cache. Lines may start anywhere, so single precision, whose elements are half an
  /// alignment unit, cannot count on alignment.
  typename Functions::Plan make(Real* in, Real* out) const {
    using Dim = typename Functions::Dim;
    const unsigned measured = FFTW_MEASURE | FFTW_NO_INDIRECT_OP;
    const unsigned flags = (lines_.reproducible ? FFTW_ESTIMATE : measured) | (sizeof(Real) == 4 ? FFTW_UNALIGNED : 0u);
    const Dim n{lines_.n, lines_.in.stride, lines_.out.stride};
    const Dim many{lines_.count, lines_.in.distance, lines_.out.distance};
    const auto& fftw = Functions::get();
    const std::lock_guard lock(planner());
    const auto complex = [](Real* data) { return reinterpret_cast<Complex*>(data); };
    switch (lines_.kind) {
      case LineKind::backward:
        return fftw.plan_dft(1, &n, 1, &many, complex(in), complex(out), FFTW_BACKWARD, flags);
      case LineKind::forward:
        return fftw.plan_dft(1, &n, 1, &many, complex(in), complex(out), FFTW_FORWARD, flags);
      case LineKind::to_real_grid:
        return fftw.plan_c2r(1, &n, 1, &many, complex(in), out, flags);
      case LineKind::from_real_grid:
        return fftw.plan_r2c(1, &n, 1, &many, in, complex(out), flags);
    }
    return nullptr;
  }

  template <class Value>
  void rescale_values(Value* out) const {
    const std::int64_t points = lines_.points_out();
    const auto scale = static_cast<Real>(lines_.scale);
    // the inner loop runs along the smaller step
    const bool along_line = lines_.out.stride <= lines_.out.distance || lines_.count == 1;
    const std::int64_t outer = along_line ? lines_.count : points, inner = along_line ? points : lines_.count;
    const std::int64_t outer_step = along_line ? lines_.out.distance : lines_.out.stride;
    const std::int64_t inner_step = along_line ? lines_.out.stride : lines_.out.distance;
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) out[i * outer_step + j * inner_step] *= scale;
    }
  }
  void rescale(void* out) const {
    if (lines_.kind == LineKind::to_real_grid) {
      rescale_values(static_cast<Real*>(out));
    } else {
      rescale_values(static_cast<std::complex<Real>*>(out));
    }
  }

  Lines lines_;
  typename Functions::Plan plan_ = nullptr;
};

}  // namespace

bool fftw_is_there() { return FftwFunctions<double>::get().library.loaded(); }

std::unique_ptr<LineFft> make_fftw(const Lines& lines) {
  if (!lines.single) return std::make_unique<FftwLines<double>>(lines);
  require(FftwFunctions<float>::get().library.loaded(), Fault::unsupported,
          "FFTW in single precision is missing; install libfftw3-single3 (Debian) or choose mkl");
  return std::make_unique<FftwLines<float>>(lines);
}

}  // namespace seiche
