// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times V psi and densities of spheres of plane waves on a CUDA device, beside batched 3D FFTs of cuFFT:
///   sphere_bench [single] [quick] [less=1] N...
/// Waves have |G| <= N / 4 - less. Times are microseconds of a row. `deviation`: relative root mean square difference
/// from cuFFT, or from the first result if cuFFT is not found.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "cuda/segments.hpp"
#include "cuda/sphere.hpp"
#include "shapes.hpp"
#include "whole_grid.cuh"

namespace seiche::bench {

namespace {

/// A sphere in the library's order of sticks: x ascends, and y and z ascend with negative ones last.
struct Geometry {
  DeviceSphere sphere;
  std::vector<int> places;  ///< point of each wave

  Geometry(int n, int reach, bool single) {
    sphere.nx = sphere.ny = sphere.nz = sphere.planes = n;
    sphere.single = single;
    const auto span = [reach](int a, int b) {
      return static_cast<int>(std::sqrt(double(reach * reach - a * a - b * b)) + 1e-9);
    };
    const auto wrap = [n](int g) { return g < 0 ? g + n : g; };
    for (int x = -reach; x <= reach; ++x) {
      const int most = span(x, 0), count = 2 * most + 1;
      const auto first = static_cast<std::int32_t>(sphere.sticks.size());
      sphere.columns.push_back({x, static_cast<std::int32_t>(sphere.places.size()), most, most});
      for (int y = -most; y <= most; ++y) sphere.places.push_back({first + (y < 0 ? y + count : y), 0});
      for (int i = 0; i < count; ++i) {
        const int y = i > most ? i - count : i, top = span(x, y), length = 2 * top + 1;
        const auto base = static_cast<std::int32_t>(places.size());
        sphere.sticks.push_back({static_cast<std::int32_t>(sphere.waves.size()), top, top});
        for (int z = -top; z <= top; ++z)
          sphere.waves.push_back(DeviceSphere::flags * (base + (z < 0 ? z + length : z)));
        for (int k = 0; k < length; ++k) places.push_back((wrap(k > top ? k - length : k) * n + wrap(y)) * n + wrap(x));
      }
    }
    sphere.pitch = (static_cast<std::int32_t>(sphere.sticks.size()) + 7) / 8 * 8;
    for (auto& place : sphere.places) place.pitch = sphere.pitch;
  }
};

void synchronize(const cuda::Stream& stream) {
  cuda::check(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize");
}

/// Returns the median time of `work` in microseconds, which covers `rows` rows.
double time_of(cuda::Stream& stream, int rows, bool quick, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto once = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) work();
    synchronize(stream);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / repeats;
  };
  once(1);
  const int repeats = std::clamp(static_cast<int>(3000 / once(1)), 1, 50);
  std::vector<double> times;
  for (int i = 0; i < (quick ? 3 : 7); ++i) times.push_back(once(repeats));
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2] / rows;
}

template <class Real>
class Bench {
 public:
  using Value = cuda::Complex<Real>;

  Bench(int n, int less, bool quick)
      : n_(n),
        reach_(n / 4 - less),
        quick_(quick),
        geometry_(n, reach_, sizeof(Real) == 4),
        waves_(static_cast<int>(geometry_.places.size())),
        rows_(n >= 192   ? 16
              : n >= 128 ? 32
                         : 64),
        kernels_(cuda::own_sphere_kernels(geometry_.sphere)),
        in_(random_values()),
        out_(in_.bytes() / sizeof(Value)),
        potential_(random_potential()),
        density_(points()) {}

  void run() {
    if (!kernels_) {
      std::printf("n=%d: no kernels were compiled\n", n_);
      return;
    }
    std::printf("# n=%d %s, |G| <= %d, %d waves, %zu sticks, method %s, favourite rows %d, %.1f MB\n", n_,
                sizeof(Real) == 8 ? "double" : "float", reach_, waves_, geometry_.sphere.sticks.size(),
                kernels_->method(), kernels_->favourite_rows(), double(kernels_->bytes()) * 1e-6);
    time_cufft();
    for (const int batch : {1, 4, 8, 16, 32, 64}) {
      if (batch <= rows_ && (!quick_ || batch == 8 || batch == 16)) time_batch(batch);
    }
    time_shapes(std::min(rows_, 16));
  }

 private:
  std::size_t points() const { return static_cast<std::size_t>(n_) * n_ * n_; }
  std::vector<Value> random_values() const {
    std::mt19937 random(5);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<Value> values(static_cast<std::size_t>(waves_) * rows_);
    for (Value& value : values) value = {number(random), number(random)};
    return values;
  }
  std::vector<Real> random_potential() const {
    std::mt19937 random(6);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<Real> values(points());
    for (Real& value : values) value = number(random);
    return values;
  }

  /// Rows of coefficients and sticks of a batch.
  struct Rows {
    std::vector<const void*> in, sticks_in;
    std::vector<void*> out, sticks;
  };
  Rows rows_of(int first, int count, Value* sticks) const {
    Rows rows;
    for (int i = 0; i < count; ++i) {
      rows.in.push_back(in_.data() + std::size_t(first + i) * waves_);
      rows.out.push_back(out_.data() + std::size_t(first + i) * waves_);
      rows.sticks.push_back(sticks + i * stick_values());
      rows.sticks_in.push_back(rows.sticks.back());
    }
    return rows;
  }
  std::size_t stick_values() const { return static_cast<std::size_t>(geometry_.sphere.pitch) * n_; }

  PlaneArrays plane_arrays(const Rows& rows) const {
    PlaneArrays arrays;
    arrays.in = rows.sticks_in;
    arrays.out = rows.sticks;
    arrays.potential = potential_.data();
    return arrays;
  }
  void apply(cuda::Stream& stream, const Rows& rows) {
    kernels_->z_to_planes(stream, rows.in, rows.sticks);
    kernels_->planes(stream, PlaneWork::potential, plane_arrays(rows));
    kernels_->z_from_planes(stream, rows.sticks_in, rows.out, false);
  }
  void each_batch(int batch, Value* sticks, const std::function<void(const Rows&)>& work) const {
    for (int first = 0; first < rows_; first += batch) work(rows_of(first, batch, sticks));
  }

  void time_batch(int batch) {
    const cuda::Array<Value> sticks(stick_values() * batch);
    clear();
    each_batch(batch, sticks.data(), [&](const Rows& rows) { apply(stream_, rows); });
    const double error = deviation();
    const auto time = [&](const std::function<void(const Rows&)>& work) {
      return time_of(stream_, rows_, quick_, [&] { each_batch(batch, sticks.data(), work); });
    };
    const double out = time([&](const Rows& r) { kernels_->z_to_planes(stream_, r.in, r.sticks); });
    const double plane = time([&](const Rows& r) { kernels_->planes(stream_, PlaneWork::potential, plane_arrays(r)); });
    const double back = time([&](const Rows& r) { kernels_->z_from_planes(stream_, r.sticks_in, r.out, false); });
    const double all = time([&](const Rows& r) { apply(stream_, r); });
    const double density = time([&](const Rows& r) { add_density(r); });
    std::printf(
        "n=%-3d %-6s batch %-2d z out %7.2f planes %7.2f z back %7.2f | V psi %7.2f two streams %7.2f ratio "
        "%.3f | density %7.2f ratio %.3f | deviation %.1e\n",
        n_, sizeof(Real) == 8 ? "double" : "float", batch, out, plane, back, all, time_overlap(batch),
        all / cufft_potential_, density, density / cufft_density_, error);
    std::fflush(stdout);
  }

  void add_density(const Rows& rows) {
    kernels_->z_to_planes(stream_, rows.in, rows.sticks);
    PlaneArrays arrays;
    const std::vector<double> weights(rows.in.size(), 1.0);
    arrays.in = rows.sticks_in;
    arrays.density = density_.data();
    arrays.weights = weights;
    kernels_->planes(stream_, PlaneWork::density, arrays);
  }

  /// Batches alternate between two streams, so that z kernels of one run beside plane kernels of the other.
  double time_overlap(int batch) {
    cuda::Stream other(nullptr);
    const cuda::Array<Value> sticks(2 * stick_values() * batch);
    cudaEvent_t start = nullptr, end = nullptr;
    for (cudaEvent_t* event : {&start, &end})
      cuda::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    const double time = time_of(stream_, rows_, quick_, [&] {
      cudaEventRecord(start, stream_.handle());
      cudaStreamWaitEvent(other.handle(), start, 0);
      for (int i = 0; i * batch < rows_; ++i)
        apply(i % 2 ? other : stream_, rows_of(i * batch, batch, sticks.data() + i % 2 * batch * stick_values()));
      cudaEventRecord(end, other.handle());
      cudaStreamWaitEvent(stream_.handle(), end, 0);
    });
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return time;
  }

  void time_cufft() {
    const int batch = n_ >= 192 ? 4 : std::min(16, rows_);
    try {
      WholeGrid<Real> whole(n_, geometry_.places, batch, stream_);
      const auto each = [&](auto&& work) {
        for (int first = 0; first < rows_; first += batch) work(std::size_t(first) * waves_);
      };
      const auto apply_all = [&] {
        each([&](std::size_t at) { whole.apply_potential(in_.data() + at, out_.data() + at, potential_.data()); });
      };
      clear();
      apply_all();
      reference_ = result();
      cufft_potential_ = time_of(stream_, rows_, quick_, apply_all);
      cufft_density_ = time_of(stream_, rows_, quick_, [&] {
        each([&](std::size_t at) { whole.add_density(in_.data() + at, density_.data()); });
      });
      std::printf("n=%-3d %-6s cuFFT 3D batch %d: V psi %.2f density %.2f\n", n_,
                  sizeof(Real) == 8 ? "double" : "float", batch, cufft_potential_, cufft_density_);
    } catch (const std::exception& error) {
      std::printf("n=%d: no times of cuFFT: %s\n", n_, error.what());
    }
  }

  /// Times the fused kernel alone.
  void time_shapes(int batch) {
    const DeviceSphere& sphere = geometry_.sphere;
    const cuda::SphereExtents extents = cuda::extents_of(sphere);
    const cuda::Array<cuda::SegmentColumn> columns(cuda::plane_columns(sphere, extents.x));
    const cuda::Array<DeviceSphere::Place> places(sphere.places);
    const cuda::Array<Value> twiddles(cuda::twiddle_table<Real>(n_)), sticks(stick_values() * batch);
    const Rows rows = rows_of(0, batch, sticks.data());
    for (const cuda::FusedKernels& fused : shapes<Real>(n_).all) {
      cuda::FusedArguments a{};
      for (int i = 0; i < batch; ++i) a.rows.in[i] = a.rows.out[i] = rows.sticks[i];
      a.row_count = batch;
      a.planes = n_;
      a.columns = {columns.data(), extents.x.count(), -extents.x.low, places.data()};
      a.function.work = PlaneWork::potential;
      a.function.potential = potential_.data();
      a.twiddles = twiddles.data();
      a.groups = 1;
      try {
        const int resident = fused.clusters(false), clusters = std::min(resident, batch * n_);
        const auto planes = [&] { fused.start(a, false, clusters, stream_.handle()); };
        clear();
        kernels_->z_to_planes(stream_, rows.in, rows.sticks);
        planes();
        kernels_->z_from_planes(stream_, rows.sticks_in, rows.out, false);
        const double error = deviation(batch);
        std::printf(
            "n=%-3d %-6s shape: %2d warps, cluster %d, %3d clusters at once, %6.1f KB: planes %7.2f | deviation %.1e\n",
            n_, sizeof(Real) == 8 ? "double" : "float", fused.shape.warps, fused.shape.cluster, resident,
            double(fused.shared) / 1024, time_of(stream_, batch, quick_, planes), error);
      } catch (const std::exception& error) {
        std::printf("n=%d shape: %d warps, cluster %d: %s\n", n_, fused.shape.warps, fused.shape.cluster, error.what());
      }
      std::fflush(stdout);
    }
  }

  void clear() { stream_.zero(out_.data(), out_.bytes()); }
  std::vector<Value> result() {
    std::vector<Value> values(out_.bytes() / sizeof(Value));
    stream_.copy(out_.data(), values.data(), out_.bytes());
    synchronize(stream_);
    return values;
  }
  /// Compares the first rows, or all.
  double deviation(int rows = 0) {
    const std::vector<Value> values = result();
    if (reference_.empty()) reference_ = values;
    double difference = 0, norm = 0;
    const std::size_t count = rows > 0 ? std::size_t(rows) * waves_ : values.size();
    for (std::size_t i = 0; i < count; ++i) {
      difference += std::pow(values[i].x - reference_[i].x, 2) + std::pow(values[i].y - reference_[i].y, 2);
      norm += std::pow(reference_[i].x, 2) + std::pow(reference_[i].y, 2);
    }
    const double relative = std::sqrt(difference / norm);
    if (!(relative < (sizeof(Real) == 8 ? 1e-13 : 1e-5))) std::printf("WRONG RESULT\n");
    return relative;
  }

  int n_, reach_;
  bool quick_;
  Geometry geometry_;
  int waves_, rows_;
  std::unique_ptr<SphereKernels> kernels_;
  cuda::Stream stream_{nullptr};
  cuda::Array<Value> in_, out_;
  cuda::Array<Real> potential_;
  cuda::Array<double> density_;
  std::vector<Value> reference_;
  double cufft_potential_ = NAN, cufft_density_ = NAN;
};

}  // namespace

}  // namespace seiche::bench

int main(int argc, char** argv) {
  bool single = false, quick = false;
  int less = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "single" || word == "double") {
      single = word == "single";
    } else if (word == "quick") {
      quick = true;
    } else if (word.starts_with("less=")) {
      less = std::atoi(word.c_str() + 5);
    } else if (const int n = std::atoi(word.c_str()); n > 0) {
      try {
        single ? seiche::bench::Bench<float>(n, less, quick).run() : seiche::bench::Bench<double>(n, less, quick).run();
      } catch (const std::exception& error) {
        std::printf("n=%d: %s\n", n, error.what());
      }
    } else {
      std::fprintf(stderr, "unknown argument %s: give single, double, quick, less=NUMBER, or sizes\n", argv[i]);
      return 2;
    }
  }
}
