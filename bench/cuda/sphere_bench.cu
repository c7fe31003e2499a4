// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times V psi and densities of spheres of plane waves on a CUDA device, beside batched 3D FFTs of cuFFT:
///   sphere_bench [single] [quick] [less=1] N...
/// Waves have |G| <= N / 4 - less. Times are microseconds of a row. `deviation`: relative root mean square difference
/// from cuFFT, or from the first result if cuFFT is not found. cuFFT also transforms a dense grid of the size.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "cuda/cuda_sphere_kernels.hpp"
#include "cuda/segments.hpp"
#include "dense_grid.cuh"
#include "geometry.hpp"
#include "shapes.hpp"
#include "timing.cuh"
#include "whole_grid.cuh"
#include "z_blocks.hpp"

namespace seiche::bench {

namespace {

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
    std::printf("# n=%d %s, |G| <= %d, %d waves, %zu sticks, method %s, favourite rows %d, %.1f MB\n", n_, name(),
                reach_, waves_, geometry_.sphere.sticks.size(), kernels_->method(), kernels_->favourite_rows(),
                double(kernels_->bytes()) * 1e-6);
    time_cufft();
    print_dense_times<Real>(n_, stream_, quick_);
    for (const int batch : {1, 4, 8, 16, 32, 64}) {
      if (batch <= rows_ && (!quick_ || batch == 8 || batch == 16)) time_batch(batch);
    }
    if constexpr (sizeof(Real) == 8) time_z(8);
    time_pipeline(4);
    time_pipeline(8);
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
        n_, name(), batch, out, plane, back, all, time_overlap(batch), all / cufft_potential_, density,
        density / cufft_density_, error);
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
      std::printf("n=%-3d %-6s cuFFT 3D batch %d: V psi %.2f density %.2f\n", n_, name(), batch, cufft_potential_,
                  cufft_density_);
    } catch (const std::exception& error) {
      std::printf("n=%d: no times of cuFFT: %s\n", n_, error.what());
    }
  }

  /// Arguments of kernels that are started directly.
  struct Tables {
    cuda::Array<cuda::Segment> sticks;
    cuda::Array<std::int32_t> waves;
    cuda::Array<cuda::SegmentColumn> columns;
    cuda::Array<DeviceSphere::Place> places;
    cuda::Array<Value> twiddles;
    int column_count, below;

    explicit Tables(const DeviceSphere& sphere)
        : sticks(cuda::stick_segments(sphere)),
          waves(sphere.waves),
          columns(cuda::plane_columns(sphere, cuda::extents_of(sphere).x)),
          places(sphere.places),
          twiddles(cuda::twiddle_table<Real>(sphere.nx)),
          column_count(static_cast<int>(sphere.columns.size())),
          below(column_count / 2) {}
  };
  cuda::FusedArguments fused_arguments(const Tables& tables, const Rows& rows) const {
    cuda::FusedArguments a{};
    a.row_count = static_cast<int>(rows.sticks.size());
    std::copy(rows.sticks.begin(), rows.sticks.end(), a.rows.in);
    std::copy(rows.sticks.begin(), rows.sticks.end(), a.rows.out);
    a.planes = n_;
    a.columns = {tables.columns.data(), tables.column_count, tables.below, tables.places.data()};
    a.function.work = PlaneWork::potential;
    a.function.potential = potential_.data();
    a.twiddles = tables.twiddles.data();
    a.groups = 1;
    return a;
  }
  cuda::ZArguments<Real> z_arguments(const Tables& tables, const Rows& rows, bool back) const {
    cuda::ZArguments<Real> a{};
    a.row_count = static_cast<int>(rows.sticks.size());
    std::copy_n(back ? rows.sticks_in.begin() : rows.in.begin(), a.row_count, a.rows.in);
    std::copy_n(back ? rows.out.begin() : rows.sticks.begin(), a.row_count, a.rows.out);
    a.sticks = tables.sticks.data();
    a.stick_count = static_cast<int>(geometry_.sphere.sticks.size());
    a.pitch = geometry_.sphere.pitch;
    a.waves = tables.waves.data();
    a.twiddles = tables.twiddles.data();
    a.scale = static_cast<Real>(1.0 / double(points()));
    return a;
  }

  /// Times the fused kernel alone.
  void time_shapes(int batch) {
    const Tables tables(geometry_.sphere);
    const cuda::Array<Value> sticks(stick_values() * batch);
    const Rows rows = rows_of(0, batch, sticks.data());
    const cuda::FusedArguments a = fused_arguments(tables, rows);
    for (const cuda::FusedKernels& fused : shapes<Real>(n_)) {
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
            n_, name(), fused.shape.warps, fused.shape.cluster, resident, double(fused.shared) / 1024,
            time_of(stream_, batch, quick_, planes), error);
      } catch (const std::exception& error) {
        std::printf("n=%d shape: %d warps, cluster %d: %s\n", n_, fused.shape.warps, fused.shape.cluster, error.what());
      }
      std::fflush(stdout);
    }
  }

  void time_z(int batch) {
    const Tables tables(geometry_.sphere);
    const cuda::Array<Value> sticks(stick_values() * batch);
    const Rows rows = rows_of(0, batch, sticks.data());
    for (const int blocks : {1, 2, 3, 4}) {
      double times[2];
      for (const bool back : {false, true}) {
        const auto a = z_arguments(tables, rows, back);
        if (!start_z(n_, blocks, back, a, stream_.handle())) return;
        times[back] = time_of(stream_, batch, quick_, [&] { start_z(n_, blocks, back, a, stream_.handle()); });
      }
      std::printf("n=%-3d %-6s z kernels for %d blocks: out %.2f back %.2f\n", n_, name(), blocks, times[0], times[1]);
    }
  }

  /// Times two slots of rows: z kernels run on a stream of higher priority beside the planes of the other slot. A
  /// cluster transforms `tasks` planes, or all that are left for it if tasks == 0.
  void time_pipeline(int batch) {
    const Tables tables(geometry_.sphere);
    const cuda::Array<Value> sticks(2 * stick_values() * batch);
    const cuda::SizeKernels<Real>& size = *cuda::size_kernels<Real>(n_);
    cudaStream_t urgent = urgent_stream();
    std::vector<cudaEvent_t> events(2 * static_cast<std::size_t>(rows_ / batch) + 2);
    for (cudaEvent_t& event : events)
      cuda::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    const auto wait = [&](cudaStream_t from, cudaStream_t by, std::size_t number) {
      cudaEventRecord(events[number], from);
      cudaStreamWaitEvent(by, events[number], 0);
    };
    const int batches = rows_ / batch, resident = size.fused.clusters(false);
    for (const int tasks : {0, 8, 4, 2, 1}) {
      const int clusters = std::max(std::min(resident, batch * n_), tasks == 0 ? 0 : batch * n_ / tasks);
      const auto rows = [&](int i) {
        return rows_of(i * batch, batch, sticks.data() + i % 2 * batch * stick_values());
      };
      const auto all = [&] {
        wait(stream_.handle(), urgent, 0);
        size.z_to_planes(z_arguments(tables, rows(0), false), true, urgent);
        for (int i = 0; i < batches; ++i) {
          wait(urgent, stream_.handle(), 2 * i + 1);
          size.fused.start(fused_arguments(tables, rows(i)), false, clusters, stream_.handle());
          if (i + 1 < batches) size.z_to_planes(z_arguments(tables, rows(i + 1), false), true, urgent);
          wait(stream_.handle(), urgent, 2 * i + 2);
          size.z_from_planes(z_arguments(tables, rows(i), true), true, urgent);
        }
        wait(urgent, stream_.handle(), events.size() - 1);
      };
      clear();
      all();
      const double error = deviation();
      std::printf("n=%-3d %-6s pipeline batch %-2d, %d planes of a cluster: V psi %7.2f | deviation %.1e\n", n_, name(),
                  batch, tasks, time_of(stream_, rows_, quick_, all), error);
    }
    for (cudaEvent_t event : events) cudaEventDestroy(event);
    cudaStreamDestroy(urgent);
  }
  static cudaStream_t urgent_stream() {
    cudaStream_t stream = nullptr;
#ifdef SEICHE_CUDA_EMULATED
    cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
#else
    int least = 0, most = 0;
    cuda::check(cudaDeviceGetStreamPriorityRange(&least, &most), "cudaDeviceGetStreamPriorityRange");
    cuda::check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most), "cudaStreamCreateWithPriority");
#endif
    return stream;
  }
  static const char* name() { return sizeof(Real) == 8 ? "double" : "float"; }

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
