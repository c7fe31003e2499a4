// SPDX-License-Identifier: BSD-3-Clause
/// \file  Many FFTs in one call, in existing arrays: interleaved fields, planes in blocks of ceil(n/ranks).
#include <algorithm>
#include <cmath>
#include <complex>
#include <seiche/fft.hpp>
#include <vector>

#include "answer.hpp"

namespace {

/// Returns this rank's part of [0, n), as FFTW-MPI distributes it. The last ranks may have none.
seiche::Range block_of(std::int64_t n, int ranks, int rank) {
  const std::int64_t size = (n + ranks - 1) / ranks, low = std::min(n, rank * size);
  return {low, std::min(n, low + size)};
}

}  // namespace

int many_fields() {
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  // [many]
  using Complex = std::complex<double>;
  constexpr std::int64_t fields = 8, nx = 12, ny = 10, nz = 9;
  const seiche::Box planes{{seiche::Range{0, nx}, seiche::Range{0, ny}, block_of(nz, ranks, rank)}};
  const seiche::Box columns{{seiche::Range{0, nx}, block_of(ny, ranks, rank), seiche::Range{0, nz}}};
  seiche::DenseFft<Complex> fft(MPI_COMM_WORLD, {nx, ny, nz},
                                seiche::DenseArrays{.fields = fields,
                                                    .grid = seiche::interleaved(planes, fields),
                                                    .spectrum = seiche::interleaved(columns, fields)},
                                {.reproducible = true});
  std::vector<Complex> grid(planes.volume() * fields), spectrum(columns.volume() * fields);
  // [/many]

  // exp(i G.r) with G = (1, 2, f) in field f
  const double turn = 2 * std::acos(-1.0);
  auto here = grid.begin();
  for (std::int64_t z = planes.axis[2].low; z < planes.axis[2].high; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        for (std::int64_t f = 0; f < fields; ++f) {
          const double angle = turn * static_cast<double>((15 * x + 36 * y + 20 * f * z) % 180) / 180;
          *here++ = {std::cos(angle), std::sin(angle)};
        }
      }
    }
  }
  fft.forward(grid, spectrum);

  double error = 0;
  here = spectrum.begin();
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = columns.axis[1].low; y < columns.axis[1].high; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        for (std::int64_t f = 0; f < fields; ++f) {
          const double expected = x == 1 && y == 2 && z == f ? 1 : 0;
          error = std::fmax(error, std::abs(*here++ - expected));
        }
      }
    }
  }
  return answer("many_fields", error, 1e-14, parts(spectrum));
}

int main(int argc, char** argv) { return run(argc, argv, many_fields); }
