// SPDX-License-Identifier: BSD-3-Clause
/// \file  Averages over the symmetry operations of a crystal, in plane waves. All waves of a star are on one rank, so
/// that the average needs no communication.
///
/// {R|t} maps the point x to R x + t (in units of the lattice vectors), and a density rho to rho(R^-1 (x - t)). With
/// rho(x) = sum_h rho(h) exp(2 pi i h.x) and h.R^-1 x = (R^-T h).x, the coefficient of the image at g = R^-T h is
///     rho(R^T g) exp(-2 pi i g.t).
/// The symmetric density is the mean over all operations. A magnetization is an axial vector, which time reversal
/// inverts. So each image is also multiplied by +-det(R) R in Cartesian form.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <tuple>

#include "comm/agree.hpp"
#include "crystal/lattice.hpp"
#include "crystal/operations.hpp"
#include "fft/resolved_options.hpp"
#include "seiche/density.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Matrix3 = std::array<Vector3, 3>;

bool before(const Miller& a, const Miller& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }
Miller opposite(const Miller& g) { return {-g.x, -g.y, -g.z}; }

/// Returns R^T g.
Miller transposed_times(const SymmetryOperation& operation, const Miller& g) {
  const auto& r = operation.rotation;
  const auto along = [&](std::size_t j) { return r[0][j] * g.x + r[1][j] * g.y + r[2][j] * g.z; };
  return {along(0), along(1), along(2)};
}

/// Returns the half sphere of the density in x, y, z order, and its cutoff. Waves exactly at the cutoff are included or
/// not depending on rounding. If the code's number of waves is known, the cutoff is adjusted to it. \throws Error if
/// the number of waves does not match
std::vector<Miller> density_sphere(const OrbitalHeader& header, double& cutoff) {
  const auto b = header.crystal.reciprocal();
  for (const double edge : {1.0, 1.0 + 1e-10, 1.0 - 1e-10}) {
    cutoff = header.density_cutoff * edge;
    auto waves = sphere_of_waves(b, {0, 0, 0}, cutoff, true);
    const auto half = static_cast<std::int64_t>(waves.size());
    const std::int64_t count = header.half_sphere ? half : 2 * half - 1;
    if (header.density_waves == 0 || count == header.density_waves) return waves;
  }
  fail(Fault::bad_file,
       "{}: the density has {} waves, which does not match its cutoff of {} hartree and its cell: rerun the code that "
       "wrote the file",
       header.path, header.density_waves, header.density_cutoff);
}

/// Returns the first wave of the star of g. Waves g and -g are equivalent.
Miller star_of(const std::vector<SymmetryOperation>& operations, const Miller& g) {
  Miller first = g;
  for (const SymmetryOperation& operation : operations) {
    const Miller image = transposed_times(operation, g);
    const Miller kept = in_half(image) ? image : opposite(image);
    if (before(kept, first)) first = kept;
  }
  return first;
}

/// Returns this rank's part of the sphere, in x, y, z order. Ranks have whole stars, and nearly equal numbers of waves.
std::vector<Miller> my_stars(const Communicator& comm, const std::vector<Miller>& sphere,
                             const std::vector<SymmetryOperation>& operations) {
  std::vector<Miller> star(sphere.size());
  std::map<Miller, std::int64_t, decltype(&before)> members(&before);
  for (std::size_t i = 0; i < sphere.size(); ++i) {
    star[i] = star_of(operations, sphere[i]);
    ++members[star[i]];
  }
  std::int64_t counted = 0;
  for (auto& [first, place] : members) counted += std::exchange(place, counted);
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < sphere.size(); ++i) {
    const int owner = block_owner(counted, comm.size(), members.at(star[i]));
    if (owner == comm.rank()) mine.push_back(sphere[i]);
  }
  return mine;
}

/// Action of each symmetry operation on the components.
struct Images {
  explicit Images(const Crystal& crystal);
  std::vector<double> scalar;  ///< on a magnetization along one axis: -1 with time reversal
  std::vector<Matrix3> axial;  ///< on a magnetization vector, Cartesian
};

Images::Images(const Crystal& crystal) {
  const auto& a = crystal.lattice;
  const auto b = crystal.reciprocal();
  for (const SymmetryOperation& operation : crystal.operations) {
    const auto& r = operation.rotation;
    const auto proper = static_cast<double>(determinant(r));
    const double sign = operation.time_reversal ? -1 : 1;
    scalar.push_back(sign);
    Matrix3& m = axial.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0;  // A R A^-1, where A has the lattice vectors as columns and A^-1 has b / 2 pi as rows
        for (std::size_t p = 0; p < 3; ++p) {
          for (std::size_t q = 0; q < 3; ++q) sum += a[p][i] * r[p][q] * b[q][j];
        }
        m[i][j] = sign * proper * sum / (2 * std::numbers::pi);
      }
    }
  }
}

/// Averages coefficients of whole stars over the symmetry operations.
class Symmetrizer {
 public:
  Symmetrizer(const Crystal& crystal, const std::vector<Miller>& waves)
      : crystal_(crystal), waves_(waves), images_(crystal) {}

  /// Returns the average. `fields` is [component][wave]: the total, then no component, one component, or a vector.
  std::vector<Complex> operator()(const std::vector<Complex>& fields) const {
    const std::size_t n = waves_.size(), components = n == 0 ? 0 : fields.size() / n;
    std::vector<Complex> result(fields.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = 0; s < crystal_.operations.size(); ++s) add_image(s, i, fields, components, result);
      for (std::size_t c = 0; c < components; ++c) result[c * n + i] /= static_cast<double>(crystal_.operations.size());
    }
    return result;
  }

 private:
  void add_image(std::size_t s, std::size_t i, const std::vector<Complex>& fields, std::size_t components,
                 std::vector<Complex>& result) const {
    const std::size_t n = waves_.size();
    const SymmetryOperation& operation = crystal_.operations[s];
    const Miller from = transposed_times(operation, waves_[i]);
    const bool conjugate = !in_half(from);
    const std::size_t j = index_of(conjugate ? opposite(from) : from);
    const Vector3& t = operation.translation;
    const double angle = -2 * std::numbers::pi * (waves_[i].x * t[0] + waves_[i].y * t[1] + waves_[i].z * t[2]);
    const Complex phase = std::polar(1.0, angle);
    const auto value = [&](std::size_t c) {
      const Complex found = fields[c * n + j];
      return phase * (conjugate ? std::conj(found) : found);
    };
    result[i] += value(0);
    if (components == 2) result[n + i] += images_.scalar[s] * value(1);
    for (std::size_t p = 1; components == 4 && p <= 3; ++p) {
      const Vector3& row = images_.axial[s][p - 1];
      result[p * n + i] += row[0] * value(1) + row[1] * value(2) + row[2] * value(3);
    }
  }

  std::size_t index_of(const Miller& g) const {
    const auto found = std::lower_bound(waves_.begin(), waves_.end(), g, before);
    require(found != waves_.end() && *found == g, Fault::bad_file,
            "the symmetry operations do not map the waves of the density onto each other: check that cell and symmetry "
            "agree");
    return static_cast<std::size_t>(found - waves_.begin());
  }

  const Crystal& crystal_;
  const std::vector<Miller>& waves_;
  Images images_;
};

void require_sphere(const OrbitalHeader& header, const Density& density) {
  const GridShape &is = density.grid, &wanted = header.grid;
  require(is == wanted, Fault::bad_argument,
          "the density has {} x {} x {} points, but the grid of the header has {} x {} x {}: use the same grid", is.nx,
          is.ny, is.nz, wanted.nx, wanted.ny, wanted.nz);
  require(header.density_cutoff > 0, Fault::bad_argument, "the header has no density_cutoff: set it, in hartree");
}

/// Returns all components in one array.
std::vector<double> joined(const std::vector<std::vector<double>>& components) {
  std::vector<double> all;
  for (const auto& component : components) all.insert(all.end(), component.begin(), component.end());
  return all;
}

}  // namespace

void symmetrize(Density& density, const OrbitalHeader& header, const FftOptions& options) {
  const Communicator& comm = density.comm;
  const bool symmetric = header.averaged && header.crystal.operations.size() > 1;
  std::vector<Miller> mine;
  together(comm, [&] {
    require_sphere(header, density);
    const auto operations = symmetric ? header.crystal.operations : std::vector<SymmetryOperation>{};
    mine = my_stars(comm, density_sphere(header, density.cutoff), operations);
  });
  density.half_sphere = header.half_sphere;
  SphereFft<double> fft(comm, header.grid, mine, in_one_group(options));
  std::vector<Complex> waves;
  std::vector<double> grids;
  together(comm, [&] {
    require(fft.grid_box() == density.box, Fault::bad_argument,
            "the density is not distributed like the grid of SphereFft with these options: pass the options of the "
            "density");
    waves.resize(density.components.size() * mine.size());
    grids = joined(density.components);
  });
  const auto components = static_cast<std::int64_t>(density.components.size());
  fft.forward(grids, waves, components);
  if (symmetric) together(comm, [&] { waves = Symmetrizer(header.crystal, mine)(waves); });
  fft.backward(waves, grids, components);
  auto next = grids.begin();
  for (auto& component : density.components) {
    std::copy_n(next, component.size(), component.begin());
    next += std::ssize(component);
  }
}

}  // namespace seiche
