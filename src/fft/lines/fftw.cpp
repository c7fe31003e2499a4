// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of FFTW 3, loaded at run time: because of its licence (GPL), using it is the user's choice.
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <complex>
#include <mutex>
#include <string>
#include <utility>

#include "fft/lines/half_lines.hpp"
#include "fft/lines/line_libraries.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"
#include "support/sparse_zeroes.hpp"

namespace seiche {

namespace {

/// Functions of one precision of FFTW.
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
  int (*alignment_of)(Real*) = nullptr;

  FftwFunctions() {
    if (!library.loaded()) return;
    find(plan_dft, "plan_guru64_dft");
    find(plan_r2c, "plan_guru64_dft_r2c");
    find(plan_c2r, "plan_guru64_dft_c2r");
    find(execute_dft, "execute_dft");
    find(execute_r2c, "execute_dft_r2c");
    find(execute_c2r, "execute_dft_c2r");
    find(destroy, "destroy_plan");
    find(alignment_of, "alignment_of");
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

/// Lock of FFTW's planner, which is not thread-safe. Both precisions share it. Transforms need no lock.
std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

/// Numbers the planners of FFTW. A program that calls fftw_cleanup() frees the planner, whose data plans need for their
/// destruction. The planner knows the plan of an unusual transform from its first plan of this class on.
/// \pre the calls hold planner_lock()
template <class Real>
class Planner {
 public:
  static int number() {
    static int planners = 0;
    if (!knows(FFTW_WISDOM_ONLY)) {
      ++planners;
      knows(0);
    }
    return planners;
  }

 private:
  /// Plans the unusual transform, and returns whether there is a plan.
  static bool knows(unsigned flags) {
    static std::array<std::complex<Real>, 2> values{};  // FFTW_ESTIMATE does not access it
    const auto& fftw = FftwFunctions<Real>::get();
    const typename FftwFunctions<Real>::Dim n{2, 90001, 80021}, one{1, 1, 1};
    auto* const place = reinterpret_cast<typename FftwFunctions<Real>::Complex*>(values.data());
    const auto plan = fftw.plan_dft(1, &n, 1, &one, place, place + 1, FFTW_FORWARD, FFTW_ESTIMATE | flags);
    if (plan) fftw.destroy(plan);
    return plan != nullptr;
  }
};

template <class Real>
class FftwLines : public LineFft {
  using Functions = FftwFunctions<Real>;
  using Complex = typename Functions::Complex;

 public:
  explicit FftwLines(const Lines& lines) : lines_(lines), plan_(planned(any_alignment ? FFTW_UNALIGNED : 0U)) {}
  ~FftwLines() override {
    const std::scoped_lock alone(planner_lock());
    const int planner = Planner<Real>::number();
    for (const Planned& one : {plan_, unaligned_plan_}) {
      if (one.plan && one.planner == planner) Functions::get().destroy(one.plan);
    }
  }

  void run(const void* in, void* out) const override {
    const auto& fftw = Functions::get();
    void* from = const_cast<void*>(in);
    const auto plan = plan_for(static_cast<Real*>(from), static_cast<Real*>(out));
    switch (lines_.kind) {
      case LineKind::backward:
      case LineKind::forward:
        fftw.execute_dft(plan, static_cast<Complex*>(from), static_cast<Complex*>(out));
        break;
      case LineKind::to_real_grid:
        fftw.execute_c2r(plan, static_cast<Complex*>(from), static_cast<Real*>(out));
        break;
      case LineKind::from_real_grid:
        fftw.execute_r2c(plan, static_cast<Real*>(from), static_cast<Complex*>(out));
        break;
    }
    if (lines_.scale != 1) rescale(out);
  }

 private:
  struct Planned {
    typename Functions::Plan plan = nullptr;
    int planner = 0;
  };

  /// Single-precision complex values are half as long as FFTW's alignment, so that most lines are not aligned.
  static constexpr bool any_alignment = sizeof(Real) == sizeof(float);

  /// Returns the plan for memory at these addresses. The first call with unaligned memory creates a second plan.
  typename Functions::Plan plan_for(Real* in, Real* out) const {
    const auto& fftw = Functions::get();
    if (any_alignment || (fftw.alignment_of(in) == 0 && fftw.alignment_of(out) == 0)) return plan_.plan;
    std::call_once(unaligned_, [this] { unaligned_plan_ = planned(FFTW_UNALIGNED); });
    return unaligned_plan_.plan;
  }

  /// Creates a plan on aligned scratch memory with the layout of the lines.
  Planned planned(unsigned alignment) const {
    const std::size_t reals_in = extent(lines_.in, lines_.kind == LineKind::from_real_grid ? 1 : 2);
    const std::size_t reals_out = extent(lines_.out, lines_.kind == LineKind::to_real_grid ? 1 : 2);
    const SparseZeroes in(sizeof(Real) * (lines_.in_place ? std::max(reals_in, reals_out) : reals_in));
    const SparseZeroes out(lines_.in_place ? 0 : sizeof(Real) * reals_out);
    const std::scoped_lock alone(planner_lock());
    const auto plan =
        make(static_cast<Real*>(in.data()), static_cast<Real*>(lines_.in_place ? in.data() : out.data()), alignment);
    require(plan != nullptr, Fault::internal, "FFTW returned no plan for {} 1D FFTs of {} points", lines_.count,
            lines_.n);
    return {plan, Planner<Real>::number()};
  }

  std::size_t extent(const LineLayout& layout, std::size_t reals) const {
    return reals * static_cast<std::size_t>((lines_.n - 1) * layout.stride + (lines_.count - 1) * layout.distance + 1);
  }

  /// FFTW_NO_INDIRECT_OP excludes plans that reorder values first. They take longest to plan, and are slower for lines
  /// in cache. Processes get the same estimated plan.
  typename Functions::Plan make(Real* in, Real* out, unsigned alignment) const {
    using Dim = typename Functions::Dim;
    const unsigned effort = lines_.measured ? FFTW_MEASURE : FFTW_ESTIMATE;
    const unsigned flags = effort | (lines_.reproducible ? 0U : FFTW_NO_INDIRECT_OP) | alignment;
    const Dim n{lines_.n, lines_.in.stride, lines_.out.stride};
    const Dim many{lines_.count, lines_.in.distance, lines_.out.distance};
    const auto& fftw = Functions::get();
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
    // the inner loop has the smaller stride
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
  Planned plan_;
  mutable std::once_flag unaligned_;
  mutable Planned unaligned_plan_;
};

/// Returns real lines as complex lines of half the length where that is faster. FFTW vectorizes complex lines better,
/// and its estimated plans of real lines are up to twice as slow as its measured ones.
template <class Real>
std::unique_ptr<LineFft> make_lines(const Lines& lines) {
  auto whole = [&] { return std::make_unique<FftwLines<Real>>(lines); };
  if (lines.reproducible || !can_be_half_lines(lines)) return whole();
  auto half = std::make_unique<HalfLines<Real>>(
      lines, [](const Lines& complex) { return std::make_unique<FftwLines<Real>>(complex); });
  constexpr double worth_it = 0.9;
  return lines.measured ? faster_of(std::move(half), whole(), lines, worth_it) : std::move(half);
}

}  // namespace

bool fftw_is_there() { return FftwFunctions<double>::get().library.loaded(); }

std::unique_ptr<LineFft> make_fftw(const Lines& lines) {
  if (!lines.single) return make_lines<double>(lines);
  require(FftwFunctions<float>::get().library.loaded(), Fault::unsupported,
          "single-precision FFTW is missing: install libfftw3-single3 (Debian) or use mkl");
  return make_lines<float>(lines);
}

}  // namespace seiche
