// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/partners.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

#include "support/formatted.hpp"

namespace seiche {

namespace {

/// Returns the equivalent k-point of `b`; of several the one with the smallest shift.
Partner partner_of(const Vector3& k, const OrbitalHeader& b) {
  Partner found;
  int least = 0;
  for (std::size_t i = 0; i < b.kpoints.size(); ++i) {
    std::array<int, 3> shift{};
    double off = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double apart = b.kpoints[i].k[axis] - k[axis];
      shift[axis] = static_cast<int>(std::lround(apart));
      off += std::abs(apart - shift[axis]);
    }
    const int target = std::abs(shift[0]) + std::abs(shift[1]) + std::abs(shift[2]);
    if (off > 1e-5 || (target > 0 && b.half_sphere) || (found.k >= 0 && target >= least)) continue;
    found = {static_cast<int>(i), {shift[0], shift[1], shift[2]}};
    least = target;
  }
  return found;
}

}  // namespace

std::string difference_of(const OrbitalHeader& a, const OrbitalHeader& b, const CompareOptions& options) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (std::abs(a.crystal.lattice[i][j] - b.crystal.lattice[i][j]) > 1e-5) {
        return formatted("{} and {} have different cells", a.path, b.path);
      }
    }
  }
  const auto differ = [&](const char* what, std::int64_t x, std::int64_t y) {
    return x == y ? std::string() : formatted("{} has {} {}, {} has {}", a.path, x, what, b.path, y);
  };
  std::string bands = options.bands > 0 || options.occupied ? "" : differ("bands", a.bands, b.bands);
  for (const OrbitalHeader* file : {&a, &b}) {
    if (options.bands > file->bands) {
      bands = formatted("{} has {} bands, fewer than the {} to compare", file->path, file->bands, options.bands);
    }
  }
  std::string kpoints = differ("k-points", std::ssize(a.kpoints), std::ssize(b.kpoints));
  if (!kpoints.empty()) kpoints += ": one of the files may hold irreducible k-points only";
  for (const std::string& found :
       {differ("spins", a.spins, b.spins), differ("spinor components", a.spinor, b.spinor), bands, kpoints}) {
    if (!found.empty()) return found;
  }
  return "";
}

std::vector<Partner> partners_of(const OrbitalHeader& a, const OrbitalHeader& b, std::string& difference) {
  std::vector<Partner> partners;
  std::vector<bool> taken(b.kpoints.size());
  for (const KPoint& point : a.kpoints) {
    partners.push_back(partner_of(point.k, b));
    if (partners.back().k < 0) {
      difference = formatted("{} has no k-point ({:g}, {:g}, {:g}), which {} has", b.path, point.k[0], point.k[1],
                             point.k[2], a.path);
      return partners;
    }
    taken[static_cast<std::size_t>(partners.back().k)] = true;
  }
  for (std::size_t k = 0; k < taken.size(); ++k) {
    const Vector3& at = b.kpoints[k].k;
    if (!taken[k]) {
      difference = formatted("{} has no k-point ({:g}, {:g}, {:g}), which {} has", a.path, at[0], at[1], at[2], b.path);
    }
  }
  return partners;
}

}  // namespace seiche
