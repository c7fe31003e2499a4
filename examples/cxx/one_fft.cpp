// SPDX-License-Identifier: BSD-3-Clause
/// \file  One FFT of a dense grid: a plane wave on the grid has one coefficient.
#include <cmath>
#include <complex>
#include <seiche/fft.hpp>
#include <vector>

#include "answer.hpp"

int one_fft() {
  // [fft]
  using Complex = std::complex<double>;
  seiche::DenseFft<Complex> fft(MPI_COMM_WORLD, {12, 10, 9});
  const seiche::Box mine = fft.grid_box(), waves = fft.spectrum_box();  // what this rank holds of grid and spectrum
  std::vector<Complex> grid(mine.volume()), spectrum(waves.volume());
  // [/fft]

  // exp(i G.r) with G = (1, 2, 4), x fastest
  const double turn = 2 * std::acos(-1.0);
  auto here = grid.begin();
  for (std::int64_t z = mine.axis[2].low; z < mine.axis[2].high; ++z) {
    for (std::int64_t y = mine.axis[1].low; y < mine.axis[1].high; ++y) {
      for (std::int64_t x = mine.axis[0].low; x < mine.axis[0].high; ++x) {
        const double angle = turn * static_cast<double>((15 * x + 36 * y + 80 * z) % 180) / 180;  // x/12 + 2y/10 + 4z/9
        *here++ = {std::cos(angle), std::sin(angle)};
      }
    }
  }
  fft.forward(grid, spectrum);

  double error = 0;
  here = spectrum.begin();
  for (std::int64_t z = waves.axis[2].low; z < waves.axis[2].high; ++z) {
    for (std::int64_t y = waves.axis[1].low; y < waves.axis[1].high; ++y) {
      for (std::int64_t x = waves.axis[0].low; x < waves.axis[0].high; ++x) {
        const double expected = x == 1 && y == 2 && z == 4 ? 1 : 0;
        error = std::fmax(error, std::abs(*here++ - expected));
      }
    }
  }
  return answer("one_fft", error, 1e-14, parts(spectrum));
}

int main(int argc, char** argv) { return run(argc, argv, one_fft); }
