// SPDX-License-Identifier: BSD-3-Clause
/// \file  Static polarisability of electrons in a box without a potential. Their orbitals are plane waves, so that
/// rho_ij(G) is 1 if G = G_j - G_i, else 0. The polarisability is diagonal: chi(G) = 4 / volume sum_ij |rho_ij(G)|^2 /
/// (e_i - e_j), for filled i and empty j.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <seiche/pair_densities.hpp>

#include "answer.hpp"

using Complex = std::complex<double>;

constexpr double length = 10;  // edge of the cubic box, bohr
constexpr int radius = 2;      // of the spheres of plane waves

double energy(const seiche::Miller& g) {
  const double unit = 2 * std::numbers::pi / length;
  return 0.5 * unit * unit * (g.x * g.x + g.y * g.y + g.z * g.z);
}

/// Returns one orbital for each wave, on the waves of this rank.
std::vector<Complex> plane_waves(const std::vector<seiche::Miller>& orbitals, const std::vector<seiche::Miller>& mine) {
  std::vector<Complex> psi;
  for (const auto& g : orbitals) {
    for (const auto& wave : mine) psi.emplace_back(wave == g ? 1 : 0);
  }
  return psi;
}

int polarisability() {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<seiche::Miller> filled, empty, waves;  // waves: of this rank, also for the densities
  for (int x = -radius; x <= radius; ++x) {
    for (int y = -radius; y <= radius; ++y) {
      for (int z = -radius; z <= radius; ++z) {
        const int square = x * x + y * y + z * z;
        if (square <= radius * radius) (square <= 1 ? filled : empty).push_back({x, y, z});
      }
    }
  }
  std::vector<seiche::Miller> all = filled;
  all.insert(all.end(), empty.begin(), empty.end());
  const std::vector<int> owners = seiche::balanced_owners(all, ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == rank) waves.push_back(all[i]);
  }
  const auto psi_filled = plane_waves(filled, waves), psi_empty = plane_waves(empty, waves);
  const auto filled_count = static_cast<std::int64_t>(filled.size()), empty_count = std::ssize(empty);
  const std::vector<Complex> ones(filled.size() * empty.size(), 1.0);
  std::vector<Complex> transitions(waves.size());

  // [pairs]
  seiche::PairDensityOptions options;
  options.fft.reproducible = true;  // the same bits in every run
  seiche::PairDensities<Complex> densities(MPI_COMM_WORLD, {15, 14, 16}, waves, options);
  const auto left = densities.orbitals(waves, psi_filled, filled_count);
  const auto right = densities.orbitals(waves, psi_empty, empty_count);

  std::vector<double> chi(waves.size());
  densities.compute(left, right, [&](const seiche::PairBlock<Complex>& block) {
    const Complex* rho = block.densities.data();
    for (const auto& [i, j] : block.pairs) {
      const double factor = 4 / (length * length * length * (energy(filled[i]) - energy(empty[j])));
      for (std::size_t g = 0; g < chi.size(); ++g, ++rho) {
        chi[g] += factor * (rho->real() * rho->real() + rho->imag() * rho->imag());
      }
    }
  });
  densities.sum(left, right, ones, transitions, 1);  // sum_ij rho_ij(G)
  // [/pairs]

  double error = 0;
  for (std::size_t w = 0; w < waves.size(); ++w) {
    double expected = 0, count = 0;
    for (const auto& g : filled) {
      const seiche::Miller other{g.x + waves[w].x, g.y + waves[w].y, g.z + waves[w].z};
      if (std::find(empty.begin(), empty.end(), other) == empty.end()) continue;
      expected += 4 / (length * length * length * (energy(g) - energy(other)));
      ++count;
    }
    error = std::max({error, std::abs(chi[w] - expected), std::abs(transitions[w] - count)});
  }
  return answer("pair_densities", error, 1e-13, chi);
}

int main(int argc, char** argv) { return run(argc, argv, polarisability); }
