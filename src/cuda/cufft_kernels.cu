// SPDX-License-Identifier: BSD-3-Clause
// Kernels of spheres of any size. cuFFT transforms whole lines along z, and whole planes along y and x. Other kernels
// copy between these arrays and the sphere.
#include <algorithm>
#include <type_traits>

#include "cuda/array.hpp"
#include "cuda/cuda_sphere_kernels.hpp"
#include "cuda/cufft_library.hpp"
#include "cuda/grid_work.cuh"
#include "cuda/in_turn.hpp"
#include "cuda/sphere_tables.cuh"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

constexpr unsigned threads = 256;
unsigned blocks_of(std::size_t points) { return static_cast<unsigned>((points + threads - 1) / threads); }

/// Arrays of the rows of one launch.
template <class T>
struct Rows {
  T* of[rows_at_once];
};

/// Converts arrays of the caller, from a row on.
template <class T, class Void>
Rows<T> rows_of(std::span<Void* const> arrays, std::size_t first, std::size_t count) {
  Rows<T> rows{};
  for (std::size_t i = 0; i < count; ++i) rows.of[i] = static_cast<T*>(arrays[first + i]);
  return rows;
}

/// Writes lines with zeros outside of the sphere. blockIdx.y: row
template <class Real>
__global__ void fill_lines(SphereTables t, const __grid_constant__ Rows<const Complex<Real>> coefficients,
                           Complex<Real>* lines) {
  const std::size_t at = point_here(), size = static_cast<std::size_t>(t.sticks_count) * t.nz;
  if (at >= size) return;
  const std::int32_t wave = t.wave(static_cast<std::int32_t>(at / t.nz), static_cast<std::int32_t>(at % t.nz));
  Complex<Real> value{0, 0};
  if (wave != DeviceSphere::no_wave) value = coefficients.of[blockIdx.y][wave / DeviceSphere::flags];
  if (wave != DeviceSphere::no_wave && (wave & DeviceSphere::conjugate) != 0) value.y = -value.y;
  lines[blockIdx.y * size + at] = value;
}

/// Copies waves from lines to coefficients. blockIdx.y: row
template <class Real>
__global__ void read_lines(SphereTables t, const Complex<Real>* lines,
                           const __grid_constant__ Rows<Complex<Real>> coefficients, Real scale, bool adds) {
  const std::size_t at = point_here(), size = static_cast<std::size_t>(t.sticks_count) * t.nz;
  if (at >= size) return;
  const std::int32_t wave = t.wave(static_cast<std::int32_t>(at / t.nz), static_cast<std::int32_t>(at % t.nz));
  if (wave == DeviceSphere::no_wave || (wave & DeviceSphere::mirror) != 0) return;
  Complex<Real> value = scaled(lines[blockIdx.y * size + at], scale);
  if ((wave & DeviceSphere::conjugate) != 0) value.y = -value.y;
  Complex<Real>& stored = coefficients.of[blockIdx.y][wave / DeviceSphere::flags];
  if (adds) value = {stored.x + value.x, stored.y + value.y};
  stored = value;
}

/// Writes planes with zeros outside of the sphere. blockIdx.y: plane, blockIdx.z: row
template <class Real>
__global__ void fill_planes(SphereTables t, const __grid_constant__ Rows<const Complex<Real>> sticks,
                            Complex<Real>* planes) {
  const std::size_t at = point_here(), size = static_cast<std::size_t>(t.ny) * t.width;
  if (at >= size) return;
  const DeviceSphere::Place place =
      t.place(static_cast<std::int32_t>(at % t.width), static_cast<std::int32_t>(at / t.width));
  Complex<Real> value{0, 0};
  if (place.offset >= 0)
    value = sticks.of[blockIdx.z][place.offset + static_cast<std::int64_t>(blockIdx.y) * place.pitch];
  planes[(static_cast<std::size_t>(blockIdx.z) * t.planes + blockIdx.y) * size + at] = value;
}

/// Copies sticks from planes. blockIdx.y: plane, blockIdx.z: row
template <class Real>
__global__ void read_planes(SphereTables t, const Complex<Real>* planes,
                            const __grid_constant__ Rows<Complex<Real>> sticks) {
  const std::size_t at = point_here(), size = static_cast<std::size_t>(t.ny) * t.width;
  if (at >= static_cast<std::size_t>(t.places_count) || t.point_of[at] < 0) return;
  const DeviceSphere::Place place = t.places[at];
  sticks.of[blockIdx.z][place.offset + static_cast<std::int64_t>(blockIdx.y) * place.pitch] =
      planes[(static_cast<std::size_t>(blockIdx.z) * t.planes + blockIdx.y) * size + t.point_of[at]];
}

template <class Real, bool half>
class CufftKernels : public SphereKernels {
 public:
  using Number = Complex<Real>;
  using Value = std::conditional_t<half, Real, Number>;  // on the grid

  explicit CufftKernels(const DeviceSphere& sphere)
      : lists_(sphere),
        plane_values_(static_cast<std::size_t>(sphere.planes) * sphere.ny * t().width),
        points_(static_cast<std::size_t>(sphere.planes) * sphere.ny * sphere.nx),
        pitch_(half ? points_ + points_ % 2 : points_),
        line_values_(sphere.sticks.size() * static_cast<std::size_t>(sphere.nz)),
        rows_(rows_for(std::max(plane_values_, line_values_) * sizeof(Number))),
        lines_(rows_ * line_values_),
        planes_(rows_ * plane_values_),
        reals_(half ? rows_ * pitch_ : 0),
        scale_(1.0 / (static_cast<double>(sphere.nx) * sphere.ny * sphere.nz)) {
    if (line_values_ > 0) make_line_plans();
    if (plane_values_ > 0) make_plane_plans();
  }

  void z_to_planes(DeviceStream& stream, std::span<const void* const> coefficients,
                   std::span<void* const> sticks) override {
    if (line_values_ == 0) return;
    const Current current;
    each_part(stream, coefficients.size(), [&](cudaStream_t on, std::size_t first, std::size_t count) {
      launch(fill_lines<Real>, shape_of(line_values_, count), on, t(),
             rows_of<const Number>(coefficients, first, count), lines_.data());
      for (std::size_t i = 0; i < count; ++i)
        z_to_sticks_.run(on, lines_.data() + i * line_values_, sticks[first + i], CUFFT_INVERSE);
    });
  }

  void planes(DeviceStream& stream, PlaneWork work, const PlaneArrays& arrays) override {
    if (plane_values_ == 0) return;
    const Current current;
    const std::size_t rows = work == PlaneWork::from_grid ? arrays.grid.size() : arrays.in.size();
    each_part(stream, rows, [&](cudaStream_t on, std::size_t first, std::size_t count) {
      if (work != PlaneWork::from_grid) planes_to_grid(on, work, arrays, first, count);
      apply(on, work, arrays, first, count);
      if (work == PlaneWork::potential || work == PlaneWork::spinor_potential || work == PlaneWork::from_grid)
        grid_to_planes(on, work, arrays, first, count);
    });
  }

  void z_from_planes(DeviceStream& stream, std::span<const void* const> sticks, std::span<void* const> coefficients,
                     bool adds) override {
    if (line_values_ == 0) return;
    const Current current;
    each_part(stream, coefficients.size(), [&](cudaStream_t on, std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        z_from_sticks_.run(on, sticks[first + i], lines_.data() + i * line_values_, CUFFT_FORWARD);
      launch(read_lines<Real>, shape_of(line_values_, count), on, t(), lines_.data(),
             rows_of<Number>(coefficients, first, count), static_cast<Real>(scale_), adds);
    });
  }

  const char* method() const override { return "cuFFT"; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(lists_.bytes() + lines_.bytes() + planes_.bytes() + reals_.bytes() +
                                     z_to_sticks_.bytes() + z_from_sticks_.bytes() + to_grid_.bytes() +
                                     from_grid_.bytes());
  }
  int favourite_rows() const override { return static_cast<int>(rows_); }

 private:
  const SphereTables& t() const { return lists_.tables(); }

  /// Returns how many rows are transformed together: an even number, because spinors are pairs of rows.
  static std::size_t rows_for(std::size_t bytes_of_row) {
    constexpr std::size_t budget = std::size_t{256} << 20;
    const std::size_t fitting = bytes_of_row > 0 ? budget / bytes_of_row : rows_at_once;
    return std::clamp(fitting / 2 * 2, std::size_t{2}, std::size_t{rows_at_once});
  }

  static LaunchShape shape_of(std::size_t points, std::size_t rows) {
    return {dim3(blocks_of(points), static_cast<unsigned>(rows)), threads};
  }
  LaunchShape shape_of_planes(std::size_t points, std::size_t rows) const {
    return {dim3(blocks_of(points), static_cast<unsigned>(t().planes), static_cast<unsigned>(rows)), threads};
  }

  template <class Work>
  void each_part(DeviceStream& stream, std::size_t rows, const Work& work) {
    const cudaStream_t on = handle_of(stream);
    turn_.begin(on);
    for (std::size_t first = 0; first < rows; first += rows_) work(on, first, std::min(rows_, rows - first));
    turn_.end(on);
  }

  void make_line_plans() {
    const cufftType type = std::is_same_v<Real, float> ? CUFFT_C2C : CUFFT_Z2Z;
    const FftOrder line{1, t().nz}, stick{t().pitch, 1};
    z_to_sticks_ = FftPlan(1, {t().nz}, line, stick, type, t().sticks_count);
    z_from_sticks_ = FftPlan(1, {t().nz}, stick, line, type, t().sticks_count);
  }
  void make_plane_plans() {
    constexpr bool single = std::is_same_v<Real, float>;
    constexpr FftOrder consecutive{0, 0};
    const std::array<int, 3> shape{t().ny, t().nx};
    if constexpr (half) {
      to_grid_ = FftPlan(2, shape, consecutive, consecutive, single ? CUFFT_C2R : CUFFT_Z2D, t().planes);
      from_grid_ = FftPlan(2, shape, consecutive, consecutive, single ? CUFFT_R2C : CUFFT_D2Z, t().planes);
    } else {
      to_grid_ = FftPlan(2, shape, consecutive, consecutive, single ? CUFFT_C2C : CUFFT_Z2Z, t().planes);
    }
  }
  const FftPlan& plan_from_grid() const { return half ? from_grid_ : to_grid_; }

  /// Returns the grid values of the first row: planes are transformed in place unless grid values are real.
  Value* grid_values() const {
    if constexpr (half)
      return reals_.data();
    else
      return planes_.data();
  }
  /// cuFFT needs arrays that are aligned to complex numbers, also for reals.
  static bool aligned(const void* array) { return reinterpret_cast<std::uintptr_t>(array) % sizeof(Number) == 0; }
  void copy_grid(cudaStream_t on, const void* from, void* into) const {
    check(cudaMemcpyAsync(into, from, points_ * sizeof(Value), cudaMemcpyDefault, on), "cudaMemcpyAsync");
  }

  void planes_to_grid(cudaStream_t on, PlaneWork work, const PlaneArrays& arrays, std::size_t first,
                      std::size_t count) {
    launch(fill_planes<Real>, shape_of_planes(plane_values_ / t().planes, count), on, t(),
           rows_of<const Number>(arrays.in, first, count), planes_.data());
    for (std::size_t i = 0; i < count; ++i) {
      Value* own = grid_values() + i * pitch_;
      void* values = work == PlaneWork::to_grid ? arrays.grid[first + i] : own;
      to_grid_.run(on, planes_.data() + i * plane_values_, aligned(values) ? values : own, CUFFT_INVERSE);
      if (!aligned(values)) copy_grid(on, own, values);
    }
  }

  void grid_to_planes(cudaStream_t on, PlaneWork work, const PlaneArrays& arrays, std::size_t first,
                      std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Value* own = grid_values() + i * pitch_;
      const void* values = work == PlaneWork::from_grid ? arrays.grid[first + i] : own;
      if (!aligned(values)) copy_grid(on, values, own);
      plan_from_grid().run(on, aligned(values) ? values : own, planes_.data() + i * plane_values_, CUFFT_FORWARD);
    }
    if (t().places_count == 0) return;
    launch(read_planes<Real>, shape_of_planes(static_cast<std::size_t>(t().places_count), count), on, t(),
           planes_.data(), rows_of<Number>(arrays.out, first, count));
  }

  /// Applies a function to the grid values of some rows.
  void apply(cudaStream_t on, PlaneWork work, const PlaneArrays& arrays, std::size_t first, std::size_t count) {
    const auto* potential = static_cast<const Real*>(arrays.potential);
    const auto rows = static_cast<int>(count);
    Weights weights{};
    if (work == PlaneWork::density || work == PlaneWork::magnetization)
      std::copy_n(arrays.weights.begin() + static_cast<std::ptrdiff_t>(first), count, weights.of);
    if (work == PlaneWork::potential)
      launch(multiply<Value, Real>, shape_of(points_, count), on, grid_values(), pitch_, potential, points_);
    if (work == PlaneWork::density)
      launch(add_squares<Value>, shape_of(points_, 1), on, grid_values(), pitch_, arrays.density, weights, rows,
             points_);
    if constexpr (!half) {
      if (work == PlaneWork::spinor_potential)
        launch(multiply_spinors<Real>, shape_of(points_, count / 2), on, grid_values(), potential, points_);
      if (work == PlaneWork::magnetization)
        launch(add_magnetism<Real>, shape_of(points_, 1), on, grid_values(), arrays.density, weights, rows, points_);
    }
  }

  SphereLists lists_;
  std::size_t plane_values_, points_, pitch_, line_values_;  // of one row; pitch_: distance of grid values of rows
  std::size_t rows_;
  Array<Number> lines_, planes_;
  Array<Real> reals_;
  FftPlan z_to_sticks_, z_from_sticks_, to_grid_, from_grid_;
  double scale_;
  InTurn turn_;  // last member: its destructor waits for kernels that use the others
};

}  // namespace

std::unique_ptr<SphereKernels> cufft_sphere_kernels(const DeviceSphere& sphere) {
  const Current current;
  if (sphere.half) {
    if (sphere.single) return std::make_unique<CufftKernels<float, true>>(sphere);
    return std::make_unique<CufftKernels<double, true>>(sphere);
  }
  if (sphere.single) return std::make_unique<CufftKernels<float, false>>(sphere);
  return std::make_unique<CufftKernels<double, false>>(sphere);
}

}  // namespace seiche::cuda
