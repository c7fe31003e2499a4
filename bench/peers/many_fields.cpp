// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times transforms of many interleaved grids to their spectra and back: FFTW-MPI (planned with measurements,
/// transposed spectra, the faster of in place and out of place), Seiche with its own fields, and Seiche with the arrays
/// of FFTW. They alternate in each repeat. Prints medians of the ratios of each repeat. usage: bench_many_fields --grid
/// NX,NY,NZ --bands FIELDS --repeat N
#include <fftw3-mpi.h>

#include <functional>
#include <memory>
#include <seiche/fft.hpp>

#include "peer.hpp"

namespace {

using peer::Complex;

struct Freed {
  void operator()(double* memory) const { fftw_free(memory); }
};
using Memory = std::unique_ptr<double, Freed>;

/// FFTW's share of the planes and columns, and its arrays.
struct Share {
  std::ptrdiff_t planes, first, columns, first_column, size;
  explicit Share(const peer::Options& o) {
    const std::ptrdiff_t n[3] = {o.nz, o.ny, o.nx};
    size = fftw_mpi_local_size_many_transposed(3, n, o.bands, 0, 0, MPI_COMM_WORLD, &planes, &first, &columns,
                                               &first_column);
  }
  Memory memory() const { return Memory(fftw_alloc_real(static_cast<std::size_t>(2 * size))); }
};

/// A method: a pair of transforms, and functions that fill and check its arrays.
struct Way {
  std::string name;
  std::function<void()> fill, pair;
  std::function<double()> error;
  std::vector<double> seconds;
};

/// visit(index in FFTW's array, value) for all that this rank has.
template <class Visit>
void each(const peer::Options& o, const Share& share, const Visit& visit) {
  for (std::ptrdiff_t z = 0; z < share.planes; ++z) {
    for (std::ptrdiff_t y = 0; y < o.ny; ++y) {
      for (std::ptrdiff_t x = 0; x < o.nx; ++x) {
        for (std::ptrdiff_t f = 0; f < o.bands; ++f) {
          const auto at = static_cast<std::size_t>(((z * o.ny + y) * o.nx + x) * o.bands + f);
          visit(at, Complex(peer::value_at(x + f, y, share.first + z), peer::value_at(x, y + f, share.first + z)));
        }
      }
    }
  }
}

void fill(const peer::Options& o, const Share& share, double* values) {
  each(o, share, [&](std::size_t at, const Complex& value) { reinterpret_cast<Complex*>(values)[at] = value; });
}
double error(const peer::Options& o, const Share& share, const double* values, double scale) {
  double worst = 0;
  each(o, share, [&](std::size_t at, const Complex& value) {
    worst = std::max(worst, std::abs(scale * reinterpret_cast<const Complex*>(values)[at] - value));
  });
  return worst;
}

Way by_fftw(const peer::Options& o, const Share& share, double* grid, double* spectrum) {
  const std::ptrdiff_t n[3] = {o.nz, o.ny, o.nx};
  auto* values = reinterpret_cast<fftw_complex*>(grid);
  auto* waves = reinterpret_cast<fftw_complex*>(spectrum);
  const auto forward = fftw_mpi_plan_many_dft(3, n, o.bands, 0, 0, values, waves, MPI_COMM_WORLD, FFTW_FORWARD,
                                              FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  const auto backward = fftw_mpi_plan_many_dft(3, n, o.bands, 0, 0, waves, values, MPI_COMM_WORLD, FFTW_BACKWARD,
                                               FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
  const double scale = 1.0 / static_cast<double>(o.nx * o.ny * o.nz);
  return {grid == spectrum ? "FFTW-MPI in place" : "FFTW-MPI out of place",
          [=] { fill(o, share, grid); },
          [=] {
            fftw_execute(forward);
            fftw_execute(backward);
          },
          [=] { return error(o, share, grid, scale); },
          {}};
}

Way in_fftws_arrays(const peer::Options& o, const Share& share, double* grid, double* spectrum) {
  const seiche::Range x{0, o.nx}, y{0, o.ny}, z{0, o.nz};
  const seiche::Box planes{{x, y, seiche::Range{share.first, share.first + share.planes}}};
  const seiche::Box columns{{x, seiche::Range{share.first_column, share.first_column + share.columns}, z}};
  auto waves = seiche::interleaved(columns, o.bands);
  waves.stride[1] = o.bands * o.nx * o.nz;  // transposed: [y][z][x][field]
  waves.stride[2] = o.bands * o.nx;
  const seiche::DenseArrays arrays{.fields = o.bands,
                                   .grid = seiche::interleaved(planes, o.bands),
                                   .spectrum = waves,
                                   .in_place = grid == spectrum,
                                   .unscaled = true};
  const auto fft =
      std::make_shared<seiche::DenseFft<Complex>>(MPI_COMM_WORLD, seiche::GridShape{o.nx, o.ny, o.nz}, arrays);
  const std::span<Complex> from(reinterpret_cast<Complex*>(grid), static_cast<std::size_t>(share.size));
  const std::span<Complex> into(reinterpret_cast<Complex*>(spectrum), static_cast<std::size_t>(share.size));
  const double scale = 1.0 / static_cast<double>(o.nx * o.ny * o.nz);
  return {grid == spectrum ? "Seiche in FFTW's array" : "Seiche in FFTW's arrays",
          [=] { fill(o, share, grid); },
          [=] {
            fft->forward(from, into);
            fft->backward(into, from);
          },
          [=] { return error(o, share, grid, scale); },
          {}};
}

Way in_own_fields(const peer::Options& o) {
  using Fields = std::vector<seiche::Field<Complex>>;
  const auto fft = std::make_shared<seiche::DenseFft<Complex>>(MPI_COMM_WORLD, seiche::GridShape{o.nx, o.ny, o.nz});
  const auto fields = std::make_shared<Fields>();
  for (int f = 0; f < o.bands; ++f) fields->push_back(fft->allocate());
  const auto visit = [=](const auto& one) {
    const auto first = fft->grid_box().axis;
    for (std::size_t f = 0; f < fields->size(); ++f) {
      const auto view = (*fields)[f].grid();
      const auto field = static_cast<std::ptrdiff_t>(f);
      for (std::int64_t z = 0; z < view.shape[2]; ++z) {
        for (std::int64_t y = 0; y < view.shape[1]; ++y) {
          for (std::int64_t x = 0; x < view.shape[0]; ++x) {
            const std::ptrdiff_t i = x, j = y + first[1].low, k = z + first[2].low;
            one(view(x, y, z), Complex(peer::value_at(i + field, j, k), peer::value_at(i, j + field, k)));
          }
        }
      }
    }
  };
  return {
      "Seiche in its own fields",
      [=] {
        for (auto& field : *fields) field.become_grid();
        visit([](Complex& value, const Complex& expected) { value = expected; });
      },
      [=] {
        fft->forward(std::span(*fields));
        fft->backward(std::span(*fields));
      },
      [=] {
        double worst = 0;
        visit([&](Complex& value, const Complex& expected) { worst = std::max(worst, std::abs(value - expected)); });
        return worst;
      },
      {}};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// Of the slowest rank.
double timed(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

void run(const peer::Options& o) {
  fftw_mpi_init();
  const Share share(o);
  const Memory grid = share.memory(), spectrum = share.memory();
  std::vector<Way> ways;
  ways.push_back(by_fftw(o, share, grid.get(), grid.get()));
  ways.push_back(by_fftw(o, share, grid.get(), spectrum.get()));
  ways.push_back(in_own_fields(o));
  ways.push_back(in_fftws_arrays(o, share, grid.get(), grid.get()));
  ways.push_back(in_fftws_arrays(o, share, grid.get(), spectrum.get()));
  for (int repeat = -1; repeat < o.repeats; ++repeat) {
    for (Way& way : ways) {
      way.fill();
      const double seconds = timed(way.pair);
      if (repeat >= 0) way.seconds.push_back(seconds);
      double worst = way.error();
      MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (!(worst < 1e-12)) throw std::runtime_error(way.name + " is wrong by " + std::to_string(worst));
    }
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const bool in_place = median(ways[0].seconds) < median(ways[1].seconds);
  const std::vector<double>& peer = ways[in_place ? 0 : 1].seconds;
  for (const Way& way : ways) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < peer.size(); ++i) ratios.push_back(way.seconds[i] / peer[i]);
    std::printf("%td x %td x %td, %d fields: %-24s %8.2f ms a pair, %.2f of FFTW-MPI\n", o.nx, o.ny, o.nz, o.bands,
                way.name.c_str(), 1e3 * median(way.seconds), median(ratios));
  }
}

}  // namespace

int main(int argc, char** argv) { return peer::main_of(argc, argv, run); }
