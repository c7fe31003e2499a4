// SPDX-License-Identifier: BSD-3-Clause
/// \file  H|psi> of many bands, and their density. The kinetic energy is applied to the plane waves, the potential on
/// the grid. Exchanges of some bands overlap with computation of others. The potential 2 cos x couples each coefficient
/// to its two neighbours. With the argument `cuda`, transforms run on a CUDA device.
#include <cmath>
#include <complex>
#include <seiche/fft.hpp>
#include <string>
#include <vector>

#include "answer.hpp"

constexpr int bands = 8, radius = 5;

/// Returns the coefficient of a wave of a band; 0 outside the sphere.
double coefficient(int band, const seiche::Miller& g) {
  const int length = g.x * g.x + g.y * g.y + g.z * g.z;
  return length > radius * radius ? 0 : 1.0 / (1 + length + band);
}

/// Returns the waves that balanced_owners assigns to this rank.
std::vector<seiche::Miller> my_waves() {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<seiche::Miller> all, mine;
  for (int x = -radius; x <= radius; ++x) {
    for (int y = -radius; y <= radius; ++y) {
      for (int z = -radius; z <= radius; ++z) {
        if (coefficient(0, {x, y, z}) != 0) all.push_back({x, y, z});
      }
    }
  }
  const std::vector<int> owners = seiche::balanced_owners(all, ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == rank) mine.push_back(all[i]);
  }
  return mine;
}

/// Collective. Returns the deviation between the mean density and the norm of the coefficients.
double difference(const std::vector<double>& density, const seiche::GridShape& shape,
                  const std::vector<std::complex<double>>& psi) {
  double here = 0, all;
  for (const double value : density) here += value / static_cast<double>(shape.volume());
  for (const auto& c : psi) here -= 2 * std::norm(c);
  MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return std::abs(all) / (2 * bands);
}

int hamiltonian(seiche::Space space) {
  const auto waves = my_waves();
  std::vector<std::complex<double>> psi, h_psi(bands * waves.size());
  for (int band = 0; band < bands; ++band) {
    for (const auto& g : waves) psi.push_back(coefficient(band, g));
  }

  // [sphere]
  const seiche::GridShape shape{16, 15, 18};
  seiche::FftOptions options;
  options.space = space;
  options.policy.window = 3;    // bands in flight at once
  options.reproducible = true;  // the same bits in every run
  seiche::SphereFft<std::complex<double>> fft(MPI_COMM_WORLD, shape, waves, options);
  std::vector<double> potential(fft.grid_box().volume());
  for (std::size_t i = 0; i < potential.size(); ++i) {  // rows along x are whole
    potential[i] =
        2 * std::cos(2 * std::acos(-1.0) * static_cast<double>(i % shape.nx) / static_cast<double>(shape.nx));
  }
  fft.apply_potential(psi, h_psi, bands, potential);
  // [/sphere]
  // [density]
  std::vector<double> density(potential.size());
  const std::vector<double> weights(bands, 2.0);  // electrons in each band
  fft.add_density(psi, weights, bands, density);
  // [/density]

  double error = difference(density, shape, psi);
  for (int band = 0; band < bands; ++band) {
    for (std::size_t i = 0; i < waves.size(); ++i) {
      const seiche::Miller g = waves[i], left{g.x - 1, g.y, g.z}, right{g.x + 1, g.y, g.z};
      const double kinetic = 0.5 * (g.x * g.x + g.y * g.y + g.z * g.z) * coefficient(band, g);
      const double expected = kinetic + coefficient(band, left) + coefficient(band, right);
      auto& found = h_psi[band * waves.size() + i];
      found += kinetic;
      error = std::fmax(error, std::abs(found - expected));
    }
  }
  return answer("hamiltonian", error, 1e-13, parts(h_psi));
}

int main(int argc, char** argv) {
  const bool on_device = argc > 1 && std::string(argv[1]) == "cuda";
  return run(argc, argv, [&] { return hamiltonian(on_device ? seiche::Space::cuda : seiche::Space::host); });
}
