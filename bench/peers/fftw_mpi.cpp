// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times FFTW-MPI: one dense transform and back, with transposed spectra, as its manual recommends. In place and
/// out of place are both tried, and the faster is reported. With --plans, creation is timed instead.
#include <fftw3-mpi.h>

#include <memory>

#include "peer.hpp"

namespace {

struct Freed {
  void operator()(double* memory) const { fftw_free(memory); }
};
using Memory = std::unique_ptr<double, Freed>;

struct Pair {
  fftw_plan forward = nullptr, backward = nullptr;
  ~Pair() {
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
  }
};

/// The plans of one pair between `grid` and `spectrum`, which may be the same memory.
void make(Pair& pair, const peer::Options& o, double* grid, double* spectrum) {
  const unsigned effort = o.patient ? FFTW_PATIENT : FFTW_MEASURE;
  auto* values = reinterpret_cast<fftw_complex*>(grid);
  auto* waves = reinterpret_cast<fftw_complex*>(spectrum);
  const unsigned out = effort | FFTW_MPI_TRANSPOSED_OUT, in = effort | FFTW_MPI_TRANSPOSED_IN;
  if (o.kind == "r2c") {
    pair.forward = fftw_mpi_plan_dft_r2c_3d(o.nz, o.ny, o.nx, grid, waves, MPI_COMM_WORLD, out);
    pair.backward = fftw_mpi_plan_dft_c2r_3d(o.nz, o.ny, o.nx, waves, grid, MPI_COMM_WORLD, in);
  } else {
    pair.forward = fftw_mpi_plan_dft_3d(o.nz, o.ny, o.nx, values, waves, MPI_COMM_WORLD, FFTW_FORWARD, out);
    pair.backward = fftw_mpi_plan_dft_3d(o.nz, o.ny, o.nx, waves, values, MPI_COMM_WORLD, FFTW_BACKWARD, in);
  }
}

void run(const peer::Options& o) {
  fftw_mpi_init();
  const bool real = o.kind == "r2c";
  const std::ptrdiff_t half = o.nx / 2 + 1, row = real ? 2 * half : 2 * o.nx, used = real ? o.nx : 2 * o.nx;
  std::ptrdiff_t planes = 0, first = 0, columns = 0, first_column = 0;
  const std::ptrdiff_t size = fftw_mpi_local_size_3d_transposed(o.nz, o.ny, real ? half : o.nx, MPI_COMM_WORLD, &planes,
                                                                &first, &columns, &first_column);
  const Memory grid(fftw_alloc_real(static_cast<std::size_t>(2 * size)));
  const auto visit = [&](auto&& one) {
    for (std::ptrdiff_t z = 0; z < planes; ++z) {
      for (std::ptrdiff_t y = 0; y < o.ny; ++y) {
        for (std::ptrdiff_t x = 0; x < used; ++x)
          one(grid.get()[(z * o.ny + y) * row + x], peer::value_at(x, y, first + z));
      }
    }
  };
  if (o.plans > 0) {
    std::vector<std::unique_ptr<Pair>> pairs;
    const auto create = [&](int) {
      pairs.push_back(std::make_unique<Pair>());
      make(*pairs.back(), o, grid.get(), grid.get());
    };
    return peer::time_plans(o, create, [&] {
      fftw_execute(pairs.front()->forward);
      fftw_execute(pairs.front()->backward);
    });
  }
  peer::Line line{peer::name_of_dense(o), fftw_version, "", 1, 0, peer::gflops_of_pair(o)};
  peer::Times best;
  for (const bool in_place : {true, false}) {
    const Memory other(in_place ? nullptr : fftw_alloc_real(static_cast<std::size_t>(2 * size)));
    Pair pair;
    make(pair, o, grid.get(), in_place ? grid.get() : other.get());
    const auto fill = [&] { visit([](double& value, double expected) { value = expected; }); };
    const auto times = peer::time_repeats(o.repeats, fill, [&] {
      fftw_execute(pair.forward);
      fftw_execute(pair.backward);
    });
    const double scale = 1.0 / (static_cast<double>(o.nx) * static_cast<double>(o.ny) * static_cast<double>(o.nz));
    visit([&](double value, double expected) {
      line.max_error = std::max(line.max_error, std::abs(value * scale - expected));
    });
    if (!best.seconds.empty() && best.median() <= times.median()) continue;
    best = times;
    line.chosen = std::string(in_place ? "in place" : "out of place") + (o.patient ? ", patient" : ", measured");
  }
  peer::print(line, best);
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
