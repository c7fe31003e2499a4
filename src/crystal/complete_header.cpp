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
            "{}: symmetry operation {} has {} (must be determinant 1 or -1): rerun the code that wrote the file",
            header.path, s + 1, small ? formatted("determinant {}", d) : "invalid numbers");
  }
}

/// Returns the remedy for a wrong value of a header.
const char* remedy_for(Fault fault) {
  return fault == Fault::bad_file ? "rerun the code that wrote the file" : "correct the header";
}

/// Checks the numbers of sets, bands and k-points, which the sizes of arrays follow from.
void require_counts(const OrbitalHeader& h, Fault fault) {
  const auto one_or_two = [](int n) { return n == 1 || n == 2; };
  require(one_or_two(h.spins) && one_or_two(h.spinor), fault,
          "{}: invalid numbers of spins ({}) and spinor components ({}): {}", h.path, h.spins, h.spinor,
          remedy_for(fault));
  require(h.bands > 0 && !h.kpoints.empty(), fault, "{}: the header has {} bands and {} k-points: {}", h.path, h.bands,
          h.kpoints.size(), remedy_for(fault));
}

void require_states(const OrbitalHeader& h, const char* what, const std::vector<double>& values, Fault fault) {
  const std::size_t states = h.state(h.spins, 0, 0);
  require(values.size() == states, fault,
          "{}: the header has {} {}, but {} spins x {} k-points x {} bands: assign them again after a change of these "
          "numbers",
          h.path, values.size(), what, h.spins, h.kpoints.size(), h.bands);
  const auto odd = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  require(odd == values.end(), fault, "{}: the header has {} that are not finite: {}", h.path, what, remedy_for(fault));
}

}  // namespace

void require_sound(const OrbitalHeader& h, Fault fault) {
  require_counts(h, fault);
  require_states(h, "energies", h.energies, fault);
  require_states(h, "occupations", h.occupations, fault);
  for (const KPoint& k : h.kpoints) {
    require(std::isfinite(k.weight), fault, "{}: the header has weights of k-points that are not finite: {}", h.path,
            remedy_for(fault));
    require(k.plane_waves >= 0, fault, "{}: the header has a k-point with {} plane waves: {}", h.path, k.plane_waves,
            remedy_for(fault));
  }
}

void require_movable(const OrbitalHeader& h) {
  if (!h.energies.empty() || !h.occupations.empty()) return require_sound(h);
  require_counts(h, Fault::bad_argument);
}

void require_sound_crystal(const OrbitalHeader& header) {
  double box = 1;
  bool lengths = true;
  for (const Vector3& a : header.crystal.lattice) {
    const double length = std::sqrt(dot(a, a));
    lengths = lengths && length > 1e-2 && length < 1e6;  // false also for NaN
    box *= length;
  }
  const double volume = header.crystal.volume();
  require(lengths && volume > 1e-6 * box, Fault::bad_file,
          "{}: the lattice vectors span an invalid volume ({} bohr^3): rerun the code that wrote the file", header.path,
          volume);
  require(header.cutoff > 0 && header.cutoff < 1e6, Fault::bad_file,
          "{}: invalid cutoff ({} hartree): rerun the code that wrote the file", header.path, header.cutoff);
  for (const KPoint& k : header.kpoints) {
    for (const double x : k.k) {
      require(std::abs(x) < 1e3, Fault::bad_file,
              "{}: invalid coordinate of a k-point ({}): rerun the code that wrote the file", header.path, x);
    }
  }
  require_operations(header);
}

void require_count(const std::string& path, const char* what, std::int64_t count, std::int64_t file_size) {
  require(count >= 0 && count <= file_size, Fault::bad_file,
          "{} declares {} {}, but has only {} bytes: it is truncated or has a wrong count, copy it again", path, count,
          what, file_size);
}

bool plausible(const GridShape& grid) {
  const auto some = [](std::int64_t points) { return points > 0 && points < 100000; };
  return some(grid.nx) && some(grid.ny) && some(grid.nz);
}

void require_volume(const std::string& path, const Crystal& crystal) {
  const double volume = crystal.volume();
  require(volume > 0 && std::isfinite(volume), Fault::bad_file,
          "{}: the cell has no volume: rerun the code that wrote the file", path);
}

}  // namespace seiche
