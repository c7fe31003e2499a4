// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times dtFFT with its FFTW executor: one dense transform and back. Plans choose the fastest exchange backend
/// except RMA, and the fastest kernels. Both transpose modes are tried, each in place and out of place, and the fastest
/// is reported. With --patient, plans also choose the transpose mode, and Y slabs are tried besides Z slabs. This takes
/// minutes for large grids.
#include <dtfft.h>

#include <array>
#include <memory>

#include "peer.hpp"

namespace {

/// dtFFT 3.2.0 gives wrong values in a few runs, with Open MPI 4.1 and large grids. These runs do not count.
constexpr double wrong = 1e-9;

void check(dtfft_error_t error) {
  if (error != DTFFT_SUCCESS) throw std::runtime_error(dtfft_get_error_string(error));
}

/// A plan and its memory. dtFFT frees the memory through the plan.
class Plan {
 public:
  Plan(const peer::Options& o, bool z_slab, dtfft_transpose_mode_t mode) {
    dtfft_config_t config;
    check(dtfft_create_config(&config));
    config.enable_mpi_backends = true;
    config.enable_rma_backends = false;  // Debian's Open MPI 4.1 does not support their windows
    config.enable_kernel_autotune = true;
    config.transpose_mode = mode;
    config.n_measure_warmup_iters = 1;
    config.n_measure_iters = 3;
    config.enable_z_slab = z_slab;
    config.enable_y_slab = !z_slab;
    check(dtfft_set_config(&config));
    const std::array<std::int32_t, 3> shape{static_cast<std::int32_t>(o.nz), static_cast<std::int32_t>(o.ny),
                                            static_cast<std::int32_t>(o.nx)};
    const auto create = o.kind == "r2c" ? dtfft_create_plan_r2c : dtfft_create_plan_c2c;
    check(create(3, shape.data(), MPI_COMM_WORLD, DTFFT_DOUBLE, o.patient ? DTFFT_EXHAUSTIVE : DTFFT_PATIENT,
                 DTFFT_EXECUTOR_FFTW3, &plan_));
    check(dtfft_get_local_sizes(plan_, first.data(), counts.data(), nullptr, nullptr, nullptr));
    std::size_t bytes = 0, aux_bytes = 0;
    check(dtfft_get_alloc_bytes(plan_, &bytes));
    check(dtfft_get_aux_bytes(plan_, &aux_bytes));
    for (auto& [memory, size] :
         {std::pair{&grid, bytes}, {&spectrum, bytes}, {&aux_, std::max<std::size_t>(aux_bytes, 64)}}) {
      void* start = nullptr;
      check(dtfft_mem_alloc(plan_, size, &start));
      *memory = static_cast<double*>(start);
    }
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    for (double* memory : {grid, spectrum, aux_}) dtfft_mem_free(plan_, memory);
    dtfft_destroy(&plan_);
  }

  void pair(bool in_place) {
    double* out = in_place ? grid : spectrum;
    check(dtfft_execute(plan_, grid, out, DTFFT_EXECUTE_FORWARD, aux_));
    check(dtfft_execute(plan_, out, grid, DTFFT_EXECUTE_BACKWARD, aux_));
  }
  std::string backend() const {
    dtfft_backend_t backend{};
    check(dtfft_get_backend(plan_, &backend));
    return dtfft_get_backend_string(backend);
  }

  std::array<std::int32_t, 3> first{}, counts{};  ///< this rank's points: z, y, x
  double *grid = nullptr, *spectrum = nullptr;

 private:
  dtfft_plan_t plan_ = nullptr;
  double* aux_ = nullptr;
};

void run(const peer::Options& o) {
  const int values = o.kind == "r2c" ? 1 : 2;  // reals per element
  const std::string version = std::to_string(DTFFT_VERSION_MAJOR) + "." + std::to_string(DTFFT_VERSION_MINOR) + "." +
                              std::to_string(DTFFT_VERSION_PATCH);
  peer::Line line{peer::name_of_dense(o), "dtFFT " + version + " (FFTW)", "", 1, 0, peer::gflops_of_pair(o)};
  peer::Times best;
  for (const bool second : {false, true}) {  // the second one: Y slabs with --patient, else unpacking
    const bool z_slab = !(o.patient && second), unpack = !o.patient && second;
    Plan plan(o, z_slab, unpack ? DTFFT_TRANSPOSE_MODE_UNPACK : DTFFT_TRANSPOSE_MODE_PACK);
    const auto visit = [&](auto&& one) {
      double* next = plan.grid;
      for (std::int32_t z = 0; z < plan.counts[0]; ++z) {
        for (std::int32_t y = 0; y < plan.counts[1]; ++y) {
          for (std::int32_t x = 0; x < values * plan.counts[2]; ++x)
            one(*next++, peer::value_at(values * plan.first[2] + x, plan.first[1] + y, plan.first[0] + z));
        }
      }
    };
    for (const bool in_place : {false, true}) {
      const auto fill = [&] { visit([](double& value, double expected) { value = expected; }); };
      const auto times = peer::time_repeats(o.repeats, fill, [&] { plan.pair(in_place); });
      const double scale = 1.0 / (static_cast<double>(o.nx) * static_cast<double>(o.ny) * static_cast<double>(o.nz));
      double error = 0;
      visit([&](double value, double expected) { error = std::max(error, std::abs(value * scale - expected)); });
      MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (error > wrong) {
        std::fprintf(stderr, "dtFFT's result is wrong by %g with %s; this run is not counted\n", error,
                     plan.backend().c_str());
        continue;
      }
      line.max_error = std::max(line.max_error, error);
      if (!best.seconds.empty() && best.median() <= times.median()) continue;
      best = times;
      line.chosen = std::string(z_slab ? "Z" : "Y") + " slab, " + plan.backend() + (unpack ? ", unpack" : "") +
                    (in_place ? ", in place" : "");
    }
  }
  if (best.seconds.empty()) throw std::runtime_error("all results are wrong");
  peer::print(line, best);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
