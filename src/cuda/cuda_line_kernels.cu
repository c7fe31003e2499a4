// SPDX-License-Identifier: BSD-3-Clause
// FFTs of strided arrays by cuFFT. A plan of cuFFT has one direction of FFTs: other directions are loops of few calls.
// Arrays that would need many calls, that are not aligned for cuFFT, or that have strides beyond its limits are copied
// to a work array, and back.
#include "cuda/cuda_line_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cuda/array.hpp"
#include "cuda/cufft_library.hpp"
#include "cuda/in_turn.hpp"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

using Axis = DeviceTransforms::Axis;
using Kind = DeviceTransforms::Kind;

/// Tells whether the positions along `outer` continue those along `inner`.
bool continues(const Axis& inner, const Axis& outer) {
  return outer.in == inner.in * inner.count && outer.out == inner.out * inner.count;
}

/// Combines two directions that continue each other. Returns false if there are none.
bool combine(std::vector<Axis>& axes) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t b = 0; b < axes.size(); ++b) {
      if (a == b || !continues(axes[a], axes[b])) continue;
      axes[a].count *= axes[b].count;
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(b));
      return true;
    }
  }
  return false;
}

void sort_longest_first(std::vector<Axis>& axes) {
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.count > b.count; });
}

/// Returns the directions of the FFTs, as few as possible and the longest first. There is at least one.
std::vector<Axis> directions_of(const DeviceTransforms& all) {
  std::vector<Axis> axes;
  for (const Axis& axis : all.lines) {
    if (axis.count > 1) axes.push_back(axis);
  }
  while (combine(axes)) continue;
  sort_longest_first(axes);
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

/// Calls visit(offset in the input, offset in the output) for all positions along some axes.
template <class Visit>
void each_position(std::span<const Axis> axes, const Visit& visit, std::int64_t in = 0, std::int64_t out = 0) {
  if (axes.empty()) return visit(in, out);
  const Axis& first = axes.front();
  for (std::int64_t i = 0; i < first.count; ++i)
    each_position(axes.subspan(1), visit, in + i * first.in, out + i * first.out);
}

std::int64_t positions(std::span<const Axis> axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.count;
  return count;
}

cufftType type_of(const DeviceTransforms& all) {
  switch (all.kind) {
    case Kind::from_real:
      return all.single ? CUFFT_R2C : CUFFT_D2Z;
    case Kind::to_real:
      return all.single ? CUFFT_C2R : CUFFT_Z2D;
    case Kind::forward:
    case Kind::backward:
      break;
  }
  return all.single ? CUFFT_C2C : CUFFT_Z2Z;
}

/// Copies elements within device memory: `points`, which are not a loop, and all other axes.
void copy_elements(DeviceStream& stream, const std::byte* from, std::byte* into, const Axis& points,
                   std::vector<Axis> others, std::size_t element) {
  others.resize(std::max<std::size_t>(others.size(), 2));
  sort_longest_first(others);
  const Axis &second = others[0], &third = others[1];
  const DeviceBox of_from{{points.count, second.count, third.count}, {points.in, second.in, third.in}};
  const DeviceBox of_into{{points.count, second.count, third.count}, {points.out, second.out, third.out}};
  each_position(std::span<const Axis>(others).subspan(2), [&](std::int64_t in, std::int64_t out) {
    const auto size = static_cast<std::ptrdiff_t>(element);
    stream.copy_box(from + in * size, of_from, into + out * size, of_into, element);
  });
}

class CufftLines : public LineKernels {
 public:
  explicit CufftLines(const DeviceTransforms& all)
      : all_(all),
        directions_(directions_of(all)),
        real_(all.kind == Kind::from_real || all.kind == Kind::to_real),
        number_(2 * (all.single ? sizeof(float) : sizeof(double))),
        direct_(suits_cufft()) {
    direct_ ? plan_direct() : plan_packed();
  }

  void run(DeviceStream& stream, const void* in, void* out) override {
    const Current current;
    turn_.begin(handle_of(stream));
    const auto* from = static_cast<const std::byte*>(in);
    auto* into = static_cast<std::byte*>(out);
    if (direct_ && aligned(in) && aligned(out)) {
      run_direct(stream, from, into);
    } else {
      run_packed(stream, from, into);
    }
    turn_.end(handle_of(stream));
  }

 private:
  static constexpr std::int64_t most_calls = 8;
  static constexpr std::int64_t budget = 64 << 20;  // bytes of the work array, except for large FFTs

  bool real_in() const { return all_.kind == Kind::from_real; }
  bool real_out() const { return all_.kind == Kind::to_real; }
  std::size_t element(bool real) const { return real ? number_ / 2 : number_; }
  std::int64_t points(bool real) const { return real_ && !real ? all_.points.count / 2 + 1 : all_.points.count; }
  std::span<const Axis> loops() const { return std::span(directions_).subspan(1); }
  int sign() const { return all_.kind == Kind::forward || real_in() ? CUFFT_FORWARD : CUFFT_INVERSE; }

  /// cuFFT needs arrays that are aligned to complex numbers, also for reals.
  bool aligned(const void* array) const { return reinterpret_cast<std::uintptr_t>(array) % number_ == 0; }

  /// Tells whether few plans of cuFFT describe one end.
  bool suits_cufft(bool real, std::int64_t Axis::*end) const {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    bool suits = all_.points.*end > 0 && all_.points.*end <= most;
    if (all_.second.count > 1) {
      const std::int64_t row = all_.second.*end;
      suits = suits && row % (all_.points.*end) == 0 && row <= most;
    }
    for (const Axis& axis : directions_) suits = suits && axis.*end <= most && axis.count <= most;
    for (const Axis& axis : loops()) suits = suits && (!real || axis.*end % 2 == 0);
    return suits;
  }
  bool suits_cufft() const {
    return positions(loops()) <= most_calls && suits_cufft(real_in(), &Axis::in) && suits_cufft(real_out(), &Axis::out);
  }

  FftPlan plan(const FftOrder& in, const FftOrder& out, std::int64_t batch) const {
    const auto slow = static_cast<int>(all_.second.count), fast = static_cast<int>(all_.points.count);
    const bool two = slow > 1;
    return FftPlan(two ? 2 : 1, two ? std::array{slow, fast, 0} : std::array{fast, 0, 0}, in, out, type_of(all_),
                   static_cast<int>(batch));
  }

  void plan_direct() {
    const auto order = [this](std::int64_t Axis::*end) {
      const std::int64_t stride = all_.points.*end;
      return FftOrder{static_cast<int>(stride), static_cast<int>(directions_[0].*end),
                      static_cast<int>(all_.second.count > 1 ? all_.second.*end / stride : 0)};
    };
    direct_plan_ = plan(order(&Axis::in), order(&Axis::out), directions_[0].count);
  }
  void run_direct(DeviceStream& stream, const std::byte* from, std::byte* into) const {
    each_position(loops(), [&](std::int64_t in, std::int64_t out) {
      direct_plan_.run(handle_of(stream), from + in * static_cast<std::ptrdiff_t>(element(real_in())),
                       into + out * static_cast<std::ptrdiff_t>(element(real_out())), sign());
    });
  }

  // The work array is [longest direction][other directions][second axis][points], with room for complex numbers.
  std::int64_t pitch() const { return real_ ? all_.points.count / 2 + 1 : all_.points.count; }
  std::int64_t numbers_of_one() const { return positions(loops()) * all_.second.count * pitch(); }
  std::int64_t part() const {
    return std::clamp<std::int64_t>(budget / (numbers_of_one() * static_cast<std::int64_t>(number_)), 1,
                                    directions_[0].count);
  }

  /// Creates the work array and its plans.
  void plan_packed() {
    if (work_.bytes() > 0) return;
    const auto order = [this](bool real) {
      const auto values = real ? 2 : 1;
      return FftOrder{1, static_cast<int>(values * all_.second.count * pitch()), static_cast<int>(values * pitch())};
    };
    const auto packed = [&](std::int64_t some) {
      return some > 0 ? plan(order(real_in()), order(real_out()), some * positions(loops())) : FftPlan();
    };
    plan_of_part_ = packed(part());
    plan_of_rest_ = packed(directions_[0].count % part());
    work_ = Array<std::byte>(static_cast<std::size_t>(part() * numbers_of_one()) * number_);
  }
  /// Returns the axes for copies of `some` FFTs of the longest direction. Strides of one end are those of the work
  /// array.
  std::vector<Axis> copied(bool real, std::int64_t Axis::*in_work, std::int64_t some) const {
    std::vector<Axis> axes{all_.second};
    axes.insert(axes.end(), loops().begin(), loops().end());
    axes.push_back(directions_[0]);
    axes.back().count = some;
    std::int64_t stride = (real ? 2 : 1) * pitch();
    for (Axis& axis : axes) {
      axis.*in_work = stride;
      stride *= axis.count;
    }
    return axes;
  }
  void run_packed(DeviceStream& stream, const std::byte* from, std::byte* into) {
    plan_packed();
    const std::size_t read = element(real_in()), written = element(real_out());
    const Axis in{points(real_in()), all_.points.in, 1}, out{points(real_out()), 1, all_.points.out};
    const Axis& longest = directions_[0];
    for (std::int64_t first = 0; first < longest.count; first += part()) {
      const std::int64_t some = std::min(part(), longest.count - first);
      copy_elements(stream, from + first * longest.in * static_cast<std::ptrdiff_t>(read), work_.data(), in,
                    copied(real_in(), &Axis::out, some), read);
      const FftPlan& packed = some == part() ? plan_of_part_ : plan_of_rest_;
      packed.run(handle_of(stream), work_.data(), work_.data(), sign());
      copy_elements(stream, work_.data(), into + first * longest.out * static_cast<std::ptrdiff_t>(written), out,
                    copied(real_out(), &Axis::in, some), written);
    }
  }

  DeviceTransforms all_;
  std::vector<Axis> directions_;
  bool real_;
  std::size_t number_;  // bytes of a complex number
  bool direct_;
  FftPlan direct_plan_;
  FftPlan plan_of_part_, plan_of_rest_;  // for part() FFTs of the longest direction, and for its last ones
  Array<std::byte> work_;
  InTurn turn_;  // last member: its destructor waits for kernels that use the others
};

}  // namespace

std::unique_ptr<LineKernels> cufft_line_kernels(const DeviceTransforms& transforms) {
  const Current current;
  return std::make_unique<CufftLines>(transforms);
}

}  // namespace seiche::cuda
