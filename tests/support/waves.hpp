// SPDX-License-Identifier: BSD-3-Clause
/// \file  Loads wavefunctions of files into memory, lists layouts, and compares subspaces.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "seiche/basis.hpp"
#include "seiche/wavefile.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Returns all grids that `count` ranks can form.
inline std::vector<OrbitalGrid> grids(int count) {
  std::vector<OrbitalGrid> all;
  for (int k = 1; k <= count; ++k) {
    for (int b = 1; k * b <= count; ++b) {
      if (count % (k * b) == 0) all.push_back({k, b, count / (k * b)});
    }
  }
  return all;
}

/// Returns the smallest singular value of <a|b> over groups of bands that are degenerate in `b` within `gap` hartree.
/// The last group of each k-point is left out, because some of its bands may be missing.
inline double smallest_overlap(const Orbitals& a, const Orbitals& b, double gap) {
  const auto all = overlaps(a, b);
  const OrbitalHeader& h = b.header;
  double smallest = std::numeric_limits<double>::max();
  std::size_t state = 0;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k, ++state) {
      int low = 0;
      for (int band = 1; band < h.bands; ++band) {
        if (h.energies[h.state(spin, k, band)] - h.energies[h.state(spin, k, band - 1)] < gap) continue;
        std::vector<std::complex<double>> part;
        for (int i = low; i < band; ++i) {
          for (int j = low; j < band; ++j) part.push_back(all[state][static_cast<std::size_t>(i * h.bands + j)]);
        }
        smallest = std::min(smallest, smallest_singular_value(part, band - low, band - low));
        compared();
        low = band;
      }
    }
  }
  return smallest;
}

/// Collective. Returns the waves of each k-point of a file, in its order, on every rank.
inline std::vector<std::vector<Miller>> waves_of_file(const WaveFile& file) {
  std::vector<std::vector<Miller>> all;
  for (std::size_t k = 0; k < file.header().kpoints.size(); ++k) {
    all.push_back(file.waves(0, static_cast<int>(k), {0, file.header().kpoints[k].plane_waves}));
  }
  return all;
}

/// Collective. Loads a file into memory, distributed over `grid`.
inline Orbitals in_memory(MPI_Comm comm, const WaveFile& file, const OrbitalGrid& grid) {
  Orbitals orbitals{Communicator(comm), file.header(), {}};
  const int size = orbitals.comm.size(), me = orbitals.comm.rank();
  const OrbitalHeader& h = orbitals.header;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const Range mine = block(h.kpoints[static_cast<std::size_t>(k)].plane_waves, size, me);
      OrbitalPart part{
          spin, k, {0, h.bands}, {mine}, file.waves(spin, k, mine), file.coefficients(spin, k, {0, h.bands}, mine)};
      if (!mine.empty()) orbitals.parts.push_back(std::move(part));
    }
  }
  return redistribute(orbitals, {grid});
}

/// Checks that the parts of `orbitals` are bitwise equal to the same parts of `whole`, which is entirely on this rank.
inline void expect_parts_of(const Orbitals& orbitals, const Orbitals& whole) {
  std::int64_t different = 0;
  for (const OrbitalPart& part : orbitals.parts) {
    const auto all = std::find_if(whole.parts.begin(), whole.parts.end(),
                                  [&](const OrbitalPart& p) { return p.spin == part.spin && p.k == part.k; });
    const auto count = static_cast<std::int64_t>(all->waves.size()), spinor = std::int64_t{whole.header.spinor};
    auto next = part.coefficients.begin();
    for (std::int64_t run = part.bands.low * spinor; run < part.bands.high * spinor; ++run) {
      auto wave = part.waves.begin();
      for (const Range& positions : part.positions) {
        for (std::int64_t p = positions.low; p < positions.high; ++p, ++next, ++wave) {
          different += *next != all->coefficients[static_cast<std::size_t>(run * count + p)];
          different += !(*wave == all->waves[static_cast<std::size_t>(p)]);
          compared();
        }
        if (positions.empty()) ADD_FAILURE() << "an empty run";
      }
    }
    different += next != part.coefficients.end();
  }
  EXPECT_EQ(different, 0);
  EXPECT_EQ(orbitals.header.energies, whole.header.energies);
  EXPECT_EQ(orbitals.header.occupations, whole.header.occupations);
}

}  // namespace seiche::testing
