// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sphere FFTs by kernels of Seiche, which skip lines and values that are zero.
#include <algorithm>

#include "cuda/array.hpp"
#include "cuda/cuda_sphere_kernels.hpp"
#include "cuda/current.hpp"
#include "cuda/density_sum.cuh"
#include "cuda/segments.hpp"
#include "cuda/size_kernels.hpp"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

constexpr std::size_t compact_limit = 128 << 20;  // bytes of compact planes that are transformed together
constexpr int group_limit = 16;                   // of rows whose densities are summed separately

bool adds_density(PlaneWork work) { return work == PlaneWork::density || work == PlaneWork::magnetization; }
bool returns_sticks(PlaneWork work) { return !adds_density(work) && work != PlaneWork::to_grid; }

/// Tells whether the device can run the fused kernel.
bool runs_on_device(const FusedKernels& kernels) {
  const Current current;
  int most_shared = 0, has_clusters = 0;
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_number()),
        "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device_number()), "cudaDeviceGetAttribute");
  const bool fits = kernels.shape.warps > 0 && kernels.shared <= static_cast<std::size_t>(most_shared);
  return fits && (kernels.shape.cluster == 1 || has_clusters != 0);
}

/// Returns into how many groups rows are divided, so that their planes occupy all clusters for the least time.
int density_groups(int rows, int planes, int clusters) {
  int best = 1;
  const auto time = [&](int groups) { return rounds(groups * planes, clusters) * rounds(rows, groups); };
  for (int groups = 2; groups <= std::min(rows, group_limit); ++groups) {
    if (time(groups) < time(best)) best = groups;
  }
  return rounds(rows, rounds(rows, best));  // no group is empty
}

template <class Real>
class OwnSphereKernels : public SphereKernels {
 public:
  using Value = Complex<Real>;

  struct Sizes {
    const SizeKernels<Real>*x, *y, *z;
  };

  OwnSphereKernels(const DeviceSphere& sphere, const SphereExtents& extents, const Sizes& sizes)
      : kernels_(sizes),
        nx_(sphere.nx),
        ny_(sphere.ny),
        nz_(sphere.nz),
        planes_(sphere.planes),
        half_(sphere.half),
        pitch_(sphere.pitch),
        stick_count_(static_cast<int>(sphere.sticks.size())),
        column_count_(extents.x.empty() ? 0 : extents.x.count()),
        below_(-extents.x.low),
        pruned_x_(extents.x.within(nx_ / 4)),
        pruned_y_(extents.y.within(ny_ / 4)),
        pruned_z_(extents.z.within(nz_ / 4)),
        sticks_(stick_segments(sphere)),
        waves_(sphere.waves),
        columns_(plane_columns(sphere, extents.x)),
        places_(sphere.places),
        twiddles_x_(twiddle_table<Real>(nx_)),
        twiddles_y_(twiddle_table<Real>(ny_)),
        twiddles_z_(twiddle_table<Real>(nz_)) {
    const FusedKernels& square = half_ ? sizes.x->half_fused : sizes.x->fused;
    if (nx_ != ny_ || !pruned_x_ || !pruned_y_ || !runs_on_device(square)) return;
    const Current current;
    clusters_ = square.clusters(false);
    density_clusters_ = square.clusters(true);
    if (clusters_ > 0 && density_clusters_ > 0) fused_ = &square;  // none fits on a part of a device (MIG)
  }

  void z_to_planes(DeviceStream& stream, std::span<const void* const> coefficients,
                   std::span<void* const> sticks) override {
    start_z(stream, coefficients, sticks, kernels_.z->z_to_planes, false);
  }
  void z_from_planes(DeviceStream& stream, std::span<const void* const> sticks, std::span<void* const> coefficients,
                     bool adds) override {
    start_z(stream, sticks, coefficients, kernels_.z->z_from_planes, adds);
  }

  void planes(DeviceStream& stream, PlaneWork work, const PlaneArrays& arrays) override {
    const Current current;
    const int rows = static_cast<int>(std::max({arrays.in.size(), arrays.out.size(), arrays.grid.size()}));
    const bool fuses = fused_ && (work == PlaneWork::potential || work == PlaneWork::density);
    const int at_once = fuses ? max_rows : compact_rows();
    if (planes_ == 0) return;
    for (int first = 0; first < rows; first += at_once) {
      const int count = std::min(at_once, rows - first);
      fuses ? start_fused(handle_of(stream), work, arrays, first, count)
            : start_kernels(handle_of(stream), work, arrays, first, count);
    }
  }

  const char* method() const override { return fused_ ? "fused" : "five kernels"; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(sticks_.bytes() + waves_.bytes() + columns_.bytes() + places_.bytes() +
                                     twiddles_x_.bytes() + twiddles_y_.bytes() + twiddles_z_.bytes() +
                                     compact_.bytes() + partial_.bytes());
  }
  /// Enough planes for several rounds of all multiprocessors.
  int favourite_rows() const override {
    if (!fused_) return 8;
    return std::clamp(rounds(8 * clusters_, std::max(planes_, 1)), 8, max_rows);
  }

 private:
  template <class Start>
  void start_z(DeviceStream& stream, std::span<const void* const> in, std::span<void* const> out, Start start,
               bool adds) {
    if (stick_count_ == 0) return;
    const Current current;
    ZArguments<Real> a{{},
                       0,
                       sticks_.data(),
                       stick_count_,
                       pitch_,
                       waves_.data(),
                       twiddles_z_.data(),
                       static_cast<Real>(1.0 / (double(nx_) * ny_ * nz_)),
                       adds};
    const int rows = static_cast<int>(in.size());
    for (int first = 0; first < rows; first += max_rows) {
      a.row_count = std::min(max_rows, rows - first);
      a.rows = rows_of(in, out, first, a.row_count);
      start(a, pruned_z_, handle_of(stream));
    }
  }

  static RowPointers rows_of(std::span<const void* const> in, std::span<void* const> out, int first, int count) {
    RowPointers rows{};
    for (int i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(first + i);
      if (row < in.size()) rows.in[i] = in[row];
      if (row < out.size()) rows.out[i] = out[row];
    }
    return rows;
  }

  ColumnTable column_table() const { return {columns_.data(), column_count_, below_, places_.data()}; }

  GridArguments function(PlaneWork work, const PlaneArrays& arrays, int first, int count) const {
    GridArguments f{work, arrays.potential, arrays.density, {}, std::int64_t{planes_} * ny_ * nx_};
    if (adds_density(work)) std::copy_n(arrays.weights.begin() + first, count, f.weights);
    return f;
  }

  void start_fused(cudaStream_t stream, PlaneWork work, const PlaneArrays& arrays, int first, int count) {
    const bool density = work == PlaneWork::density;
    FusedArguments a{rows_of(arrays.in, arrays.out, first, count),
                     count,
                     planes_,
                     column_table(),
                     function(work, arrays, first, count),
                     twiddles_x_.data(),
                     1,
                     nullptr};
    if (!density) return fused_->start(a, false, std::min(clusters_, count * planes_), stream);
    a.groups = density_groups(count, planes_, density_clusters_);
    if (a.groups > 1) {
      if (!partial_.data()) partial_ = Array<double>(static_cast<std::size_t>(most_groups() * a.function.points));
      a.partial = partial_.data();
    }
    fused_->start(a, true, a.groups * planes_, stream);
    if (a.groups == 1) return;
    const dim3 grid(static_cast<unsigned>((a.function.points + density_sum_threads - 1) / density_sum_threads));
    launch(density_sum, {grid, density_sum_threads}, stream, a.partial, a.groups, a.function.points,
           a.function.density);
  }

  int most_groups() const {
    int most = 1;
    for (int rows = 1; rows <= max_rows; ++rows)
      most = std::max(most, density_groups(rows, planes_, density_clusters_));
    return most;
  }

  int compact_pitch() const { return rounds(std::max(column_count_, 1), 8) * 8; }
  std::size_t compact_bytes() const { return sizeof(Value) * planes_ * ny_ * compact_pitch(); }
  /// Rows that are transformed together. The number is even, because spinors are pairs of rows.
  int compact_rows() const {
    const auto fit =
        static_cast<int>(std::min<std::size_t>(compact_limit / std::max<std::size_t>(compact_bytes(), 1), max_rows));
    return std::max(fit / 2 * 2, 2);
  }

  void start_kernels(cudaStream_t stream, PlaneWork work, const PlaneArrays& arrays, int first, int count) {
    if (compact_.bytes() < compact_bytes() * compact_rows())
      compact_ = Array<std::byte>(compact_bytes() * compact_rows());
    const YArguments y{rows_of(arrays.in, arrays.out, first, count),
                       count,
                       planes_,
                       column_table(),
                       twiddles_y_.data(),
                       compact_.data(),
                       compact_pitch()};
    XArguments x{{},
                 function(work, arrays, first, count),
                 count,
                 planes_,
                 ny_,
                 half_,
                 column_count_,
                 below_,
                 twiddles_x_.data(),
                 compact_.data(),
                 compact_pitch()};
    if (!arrays.grid.empty()) std::copy_n(arrays.grid.begin() + first, count, x.grid);
    if (work != PlaneWork::from_grid && column_count_ > 0) kernels_.y->y_to_rows(y, pruned_y_, stream);
    kernels_.x->x(x, pruned_x_, stream);
    if (returns_sticks(work) && column_count_ > 0) kernels_.y->y_from_rows(y, pruned_y_, stream);
  }

  Sizes kernels_;
  int nx_, ny_, nz_, planes_;
  bool half_;
  int pitch_, stick_count_, column_count_, below_;
  bool pruned_x_, pruned_y_, pruned_z_;
  const FusedKernels* fused_ = nullptr;
  int clusters_ = 0, density_clusters_ = 0;  // that the device runs at once
  Array<Segment> sticks_;
  Array<std::int32_t> waves_;
  Array<SegmentColumn> columns_;
  Array<DeviceSphere::Place> places_;
  Array<Value> twiddles_x_, twiddles_y_, twiddles_z_;
  Array<std::byte> compact_;  // compact planes of some rows; made by the first call that needs them
  Array<double> partial_;     // densities of groups of rows
};

/// Tells whether frequencies are different points of a grid of n points.
bool distinct(const Extent& extent, int n) { return extent.empty() || (extent.count() <= n && extent.within(n / 2)); }

template <class Real>
std::unique_ptr<SphereKernels> make(const DeviceSphere& sphere) {
  const SphereExtents extents = extents_of(sphere);
  const typename OwnSphereKernels<Real>::Sizes sizes{size_kernels<Real>(sphere.nx), size_kernels<Real>(sphere.ny),
                                                     size_kernels<Real>(sphere.nz)};
  if (!sizes.x || !sizes.y || !sizes.z) return nullptr;
  if (!distinct(extents.x, sphere.nx) || !distinct(extents.y, sphere.ny) || !distinct(extents.z, sphere.nz))
    return nullptr;
  if (sphere.half && 2 * extents.x.high >= sphere.nx) return nullptr;  // x and -x would be the same point
  return std::make_unique<OwnSphereKernels<Real>>(sphere, extents, sizes);
}

}  // namespace

std::unique_ptr<SphereKernels> own_sphere_kernels(const DeviceSphere& sphere) {
  return sphere.single ? make<float>(sphere) : make<double>(sphere);
}

}  // namespace seiche::cuda
