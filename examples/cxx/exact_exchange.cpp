// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exact exchange of electrons in a box without a potential. Their orbitals are plane waves, and the exchange
/// operator is diagonal: V_x |G> = -sum_j weight_j K(G - G_j) |G>. Orbitals of a k-point interact with those of another
/// one in the same way, with K(G + q).
#include <seiche/exact_exchange.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "answer.hpp"

using Complex = std::complex<double>;

constexpr double length = 10;  // edge of the cubic box, bohr
constexpr int radius = 3;      // of the sphere of plane waves

/// The interaction 4 pi / (volume |G + q|^2). The value at G + q = 0 is a choice of the method.
double interaction(const seiche::Miller& g, double q) {
  const double unit = 2 * std::numbers::pi / length;
  const double square = unit * unit * ((g.x + q) * (g.x + q) + g.y * g.y + g.z * g.z);
  return square > 0 ? 4 * std::numbers::pi / (length * length * length * square) : 0.05;
}

/// Returns the waves of a sphere that balanced_owners assigns to this rank.
std::vector<seiche::Miller> my_sphere(int around) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<seiche::Miller> all, mine;
  for (int x = -around; x <= around; ++x) {
    for (int y = -around; y <= around; ++y) {
      for (int z = -around; z <= around; ++z) {
        if (x * x + y * y + z * z <= around * around) all.push_back({x, y, z});
      }
    }
  }
  const std::vector<int> owners = seiche::balanced_owners(all, ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == rank) mine.push_back(all[i]);
  }
  return mine;
}

int exact_exchange() {
  const std::vector<seiche::Miller> waves = my_sphere(radius), density_waves = my_sphere(2 * radius);
  const std::array<seiche::Miller, 7> filled{
      {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  std::vector<Complex> psi, v_psi(filled.size() * waves.size());  // each orbital is one plane wave
  for (const auto& g : filled) {
    for (const auto& wave : waves) psi.emplace_back(wave == g ? 1 : 0);
  }
  const auto bands = static_cast<std::int64_t>(filled.size());
  const std::vector<double> weights(filled.size(), 1.0);  // electrons of one spin in each orbital

  // [exchange]
  seiche::ExactExchangeOptions options;
  options.fft.reproducible = true;  // the same bits in every run
  const seiche::GridShape shape{15, 14, 16};
  seiche::ExactExchange<Complex> exchange(MPI_COMM_WORLD, shape, waves, density_waves, options);
  const seiche::OccupiedOrbitals<Complex> occupied = exchange.occupied(psi, weights);

  std::vector<double> kernel;  // one value for each of density_waves
  for (const auto& g : density_waves) kernel.push_back(interaction(g, 0));
  exchange.apply(occupied, kernel, psi, v_psi, bands);
  const double energy = exchange.energy(occupied, kernel, psi, weights);
  // [/exchange]
  // [kpoints]
  const double q = 0.25;  // k - k', here along x
  for (std::size_t i = 0; i < kernel.size(); ++i) kernel[i] = interaction(density_waves[i], q);
  exchange.apply(occupied, kernel, psi, v_psi, bands, seiche::Result::adds);
  // [/kpoints]

  double error = 0, expected_energy = 0;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    double at_zero = 0, at_q = 0;
    for (const auto& g : filled) {
      const seiche::Miller difference{filled[i].x - g.x, filled[i].y - g.y, filled[i].z - g.z};
      at_zero -= interaction(difference, 0);
      at_q -= interaction(difference, q);
    }
    expected_energy += 0.5 * at_zero;
    for (std::size_t w = 0; w < waves.size(); ++w) {
      const Complex expected = (at_zero + at_q) * psi[i * waves.size() + w];
      error = std::fmax(error, std::abs(v_psi[i * waves.size() + w] - expected));
    }
  }
  error = std::fmax(error, std::abs(energy - expected_energy));
  return answer("exact_exchange", error, 1e-13, parts(v_psi));
}

int main(int argc, char** argv) { return run(argc, argv, exact_exchange); }
