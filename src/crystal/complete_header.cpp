// SPDX-License-Identifier: BSD-3-Clause
#include "crystal/complete_header.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crystal/fft_grid.hpp"
#include "crystal/operations.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

void normalise_weights(OrbitalHeader& header) {
  double sum = 0;
  for (const KPoint& k : header.kpoints) sum += k.weight;
  require(sum > 0 && std::isfinite(sum), Fault::bad_file,
          "{}: the weights of the k-points do not have a positive sum: rerun the code that wrote the file",
          header.path);
  for (KPoint& k : header.kpoints) k.weight /= sum;
}

double electrons_of(const OrbitalHeader& header) {
  double sum = 0;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      for (int band = 0; band < header.bands; ++band) {
        sum += header.kpoints[k].weight * header.occupations[header.state(spin, static_cast<int>(k), band)];
      }
    }
  }
  return sum * header.degeneracy();
}

void complete_grid(OrbitalHeader& header) {
  header.density_cutoff = 4 * header.cutoff;
  header.grid = fft_grid(header.crystal, header.density_cutoff);
}

void limit_density_cutoff(OrbitalHeader& header) {
  header.density_cutoff = 4 * header.cutoff;
  const std::array<std::int64_t, 3> points{header.grid.nx, header.grid.ny, header.grid.nz};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& a = header.crystal.lattice[i];
    const auto beyond = static_cast<double>((points[i] - 1) / 2 + 1);  // the first index that the grid cannot represent
    const double most = 2 * std::numbers::pi * beyond / std::sqrt(dot(a, a)) * (1 - 1e-12);  // G . a = 2 pi index
    header.density_cutoff = std::min(header.density_cutoff, most * most / 2);
  }
}

namespace {

void require_operations(const OrbitalHeader& header) {
  for (std::size_t s = 0; s < header.crystal.operations.size(); ++s) {
    const SymmetryOperation& operation = header.crystal.operations[s];
    bool small = true;
    for (std::size_t i = 0; i < 3; ++i) {
      small = small && std::abs(operation.translation[i]) < 1e3;  // false also for NaN
      for (const int r : operation.rotation[i]) small = small && r > -1000 && r < 1000;
    }
    const std::int64_t d = small ? determinant(operation.rotation) : 0;
    require(d == 1 || d == -1, Fault::bad_file,
            "{}: symmetry operation {} has {} (must be determinant 1 or -1): the file is damaged, copy it again",
            header.path, s + 1, small ? fmt::format("determinant {}", d) : "invalid numbers");
  }
}

}  // namespace

void require_sound(const OrbitalHeader& header) {
  double box = 1;
  bool lengths = true;
  for (const Vector3& a : header.crystal.lattice) {
    const double length = std::sqrt(dot(a, a));
    lengths = lengths && length > 1e-2 && length < 1e6;  // false also for NaN
    box *= length;
  }
  const double volume = header.crystal.volume();
  require(lengths && volume > 1e-6 * box, Fault::bad_file,
          "{}: the lattice vectors span an invalid volume ({} bohr^3): the file is damaged, copy it again", header.path,
          volume);
  require(header.cutoff > 0 && header.cutoff < 1e6, Fault::bad_file,
          "{}: invalid cutoff ({} hartree): the file is damaged, copy it again", header.path, header.cutoff);
  for (const KPoint& k : header.kpoints) {
    for (const double x : k.k) {
      require(std::abs(x) < 1e3, Fault::bad_file,
              "{}: invalid coordinate of a k-point ({}): the file is damaged, copy it again", header.path, x);
    }
  }
  require_operations(header);
}

void require_count(const std::string& path, const char* what, std::int64_t count, std::int64_t file_size) {
  require(count >= 0 && count <= file_size, Fault::bad_file,
          "{} declares {} {}, but has only {} bytes: it is damaged, copy it again", path, count, what, file_size);
}

bool plausible(const GridShape& grid) {
  const auto some = [](std::int64_t points) { return points > 0 && points < 100000; };
  return some(grid.nx) && some(grid.ny) && some(grid.nz);
}

void require_volume(const std::string& path, const Crystal& crystal) {
  const double volume = crystal.volume();
  require(volume > 0 && std::isfinite(volume), Fault::bad_file, "{}: the cell has no volume: copy the file again",
          path);
}

}  // namespace seiche
