// SPDX-License-Identifier: BSD-3-Clause
/// \file  Are two files the same physics? Degenerate bands are compared as subspaces, by the singular values of their
/// overlap: the cosines of the principal angles (Bjorck and Golub, Math. Comp. 27, 579 (1973)).
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "comm/agree.hpp"
#include "files/file_order.hpp"
#include "files/wavefile_body.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;  // column after column

constexpr double degenerate = 1e-5;  // hartree; nearer bands may be mixed

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Bands of nearly the same energy, at one k-point.
std::vector<Range> groups_of(const OrbitalHeader& h, int spin, int k, int bands) {
  std::vector<Range> groups;
  for (int band = 0; band < bands; ++band) {
    const bool close =
        band > 0 && std::abs(h.energies[h.state(spin, k, band)] - h.energies[h.state(spin, k, band - 1)]) < degenerate;
    if (close) {
      ++groups.back().high;
    } else {
      groups.push_back({band, band + 1});
    }
  }
  return groups;
}

/// One file's bands of one k-point, on the waves of a common list.
class Bands {
 public:
  Bands(const WaveTable& table, int spin, int k)
      : block_(table.block(spin, k)),
        file_(block_.first_band.path),
        components_(table.header.spinor),
        half_(table.header.half_sphere),
        waves_(read_plane_waves(table, spin, k, {0, table.header.kpoints[size_of(k)].plane_waves})) {}

  std::vector<Miller> whole() const { return half_ ? whole_sphere(waves_) : waves_; }
  /// Columns: bands; rows: [component][wave of `common`].
  Matrix on(std::span<const Miller> common, const Range& bands) const {
    const FileOrder order(waves_, common, half_);
    const auto waves = static_cast<std::int64_t>(waves_.size());
    Matrix values(common.size() * size_of(components_ * bands.size()));
    std::vector<Complex> row(waves_.size());
    auto next = std::span(values);
    for (std::int64_t band = bands.low; band < bands.high; ++band) {
      for (std::int64_t component = 0; component < components_; ++component, next = next.subspan(common.size())) {
        read_coefficients(file_, block_, {band, component, waves, {0, waves}}, row);
        if (order.same()) {
          std::copy(row.begin(), row.end(), next.begin());
        } else {
          order.reorder(row, next.first(common.size()));
        }
      }
    }
    return values;
  }

 private:
  const WaveBlock& block_;
  File file_;
  std::int64_t components_;
  bool half_;
  std::vector<Miller> waves_;
};

/// a^H b, for matrices of n columns.
Matrix product(const Matrix& a, const Matrix& b, int n) {
  const auto rows = static_cast<int>(a.size() / size_of(n));
  Matrix result(size_of(n) * size_of(n));
  const Complex one = 1, zero = 0;
  cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, n, n, rows, &one, a.data(), rows, b.data(), rows, &zero,
              result.data(), n);
  return result;
}

double trace(const Matrix& m, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += m[size_of(i) * size_of(n + 1)].real();
  return sum;
}

/// The smallest singular value of a^H b, with the columns of both made orthonormal; 0 where they are dependent.
double smallest_cosine(const Matrix& aa, Matrix ab, const Matrix& bb, int n) {
  Matrix left = aa, right = bb;
  if (LAPACKE_zpotrf(LAPACK_COL_MAJOR, 'U', n, left.data(), n) != 0) return 0;
  if (LAPACKE_zpotrf(LAPACK_COL_MAJOR, 'U', n, right.data(), n) != 0) return 0;
  const Complex one = 1;
  cblas_ztrsm(CblasColMajor, CblasLeft, CblasUpper, CblasConjTrans, CblasNonUnit, n, n, &one, left.data(), n, ab.data(),
              n);
  cblas_ztrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, n, &one, right.data(), n, ab.data(),
              n);
  std::vector<double> values(size_of(n)), rest(size_of(n));
  const int failed = LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'N', n, n, ab.data(), n, values.data(), nullptr, 1, nullptr,
                                    1, rest.data());
  require(failed == 0, Fault::internal, "singular values of {} bands did not converge", n);
  return std::min(1.0, values.back());
}

/// Why two headers cannot be of the same wavefunctions; "" when they can.
std::string difference_of(const OrbitalHeader& a, const OrbitalHeader& b) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (std::abs(a.crystal.lattice[i][j] - b.crystal.lattice[i][j]) > 1e-5) return "the cells differ";
    }
  }
  const auto differ = [](const char* what, std::int64_t x, std::int64_t y) {
    return x == y ? std::string() : fmt::format("one has {} {}, the other {}", x, what, y);
  };
  for (const std::string& found :
       {differ("spins", a.spins, b.spins), differ("spinor components", a.spinor, b.spinor),
        differ("bands", a.bands, b.bands),
        differ("k-points", static_cast<std::int64_t>(a.kpoints.size()), static_cast<std::int64_t>(b.kpoints.size()))}) {
    if (!found.empty()) return found;
  }
  return "";
}

/// The k-point of `b` that is this one of `a`, or -1.
int partner_of(const Vector3& k, const OrbitalHeader& b) {
  for (std::size_t i = 0; i < b.kpoints.size(); ++i) {
    const Vector3& other = b.kpoints[i].k;
    if (std::abs(k[0] - other[0]) + std::abs(k[1] - other[1]) + std::abs(k[2] - other[2]) < 1e-5) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void compare_energies(const OrbitalHeader& a, const OrbitalHeader& b, const std::vector<int>& partner,
                      Comparison& comparison) {
  for (int spin = 0; spin < a.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(partner.size()); ++k) {
      for (int band = 0; band < a.bands; ++band) {
        const std::size_t i = a.state(spin, k, band), j = b.state(spin, partner[size_of(k)], band);
        comparison.energy = std::max(comparison.energy, std::abs(a.energies[i] - b.energies[j]));
        comparison.occupation = std::max(comparison.occupation, std::abs(a.occupations[i] - b.occupations[j]));
      }
    }
  }
}

Comparison::Group compare_group(const Bands& a, const Bands& b, std::span<const Miller> common,
                                Comparison::Group group) {
  const auto n = static_cast<int>(group.bands.size());
  const Matrix first = a.on(common, group.bands), second = b.on(common, group.bands);
  const Matrix aa = product(first, first, n), bb = product(second, second, n);
  group.overlap = smallest_cosine(aa, product(first, second, n), bb, n);
  group.norm = std::abs(trace(aa, n) - trace(bb, n)) / std::max(trace(aa, n), 1e-300);
  return group;
}

bool worse(const Comparison::Group& a, const Comparison::Group& b) {
  return 1 - a.overlap + a.norm > 1 - b.overlap + b.norm;
}

}  // namespace

Comparison::Group Comparison::worst() const {
  const auto found =
      std::max_element(kpoints.begin(), kpoints.end(), [](const Group& a, const Group& b) { return worse(b, a); });
  return found == kpoints.end() ? Group{} : *found;
}

bool Comparison::equal() const {
  const bool same_states =
      std::all_of(kpoints.begin(), kpoints.end(), [](const Group& g) { return g.overlap > 1 - 1e-9 && g.norm < 1e-6; });
  return difference.empty() && same_states && energy < 1e-6;
}

Comparison compare(const WaveFile& a, const WaveFile& b) {
  const Communicator& comm = a.body().comm;
  const WaveTable &left = a.body().table, &right = b.body().table;
  const OrbitalHeader& h = left.header;
  Comparison comparison;
  comparison.difference = difference_of(h, right.header);
  std::vector<int> partner;
  for (std::size_t k = 0; k < h.kpoints.size() && comparison.difference.empty(); ++k) {
    partner.push_back(partner_of(h.kpoints[k].k, right.header));
    const Vector3& at = h.kpoints[k].k;
    if (partner.back() < 0) {
      comparison.difference = fmt::format("the k-point ({:g}, {:g}, {:g}) is in one file only", at[0], at[1], at[2]);
    }
  }
  if (!comparison.difference.empty()) return comparison;
  compare_energies(h, right.header, partner, comparison);
  std::vector<double> mine;  // for each spin and k: of the worst of this rank's groups
  together(comm, [&] {
    std::int64_t turn = 0;
    for (int spin = 0; spin < h.spins; ++spin) {
      for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
        const Bands first(left, spin, k), second(right, spin, partner[size_of(k)]);
        const std::vector<Miller> common = first.whole();
        Comparison::Group worst{spin, k, {0, 0}, 1, 0};
        for (const Range& bands : groups_of(h, spin, k, h.bands)) {
          if (turn++ % comm.size() != comm.rank()) continue;
          const auto group = compare_group(first, second, common, {spin, k, bands, 1, 0});
          if (worst.bands.empty() || worse(group, worst)) worst = group;
        }
        mine.insert(mine.end(), {worst.overlap, worst.norm, static_cast<double>(worst.bands.low),
                                 static_cast<double>(worst.bands.high)});
      }
    }
  });
  const auto all = join_all(comm, mine);
  for (std::size_t at = 0; at < mine.size(); at += 4) {
    const auto k = static_cast<int>(at / 4 % h.kpoints.size()), spin = static_cast<int>(at / 4 / h.kpoints.size());
    Comparison::Group worst{spin, k, {0, 0}, 1, 0};
    for (std::size_t from = at; from < all.size(); from += mine.size()) {
      const Comparison::Group group{
          spin,
          k,
          {static_cast<std::int64_t>(all[from + 2]), static_cast<std::int64_t>(all[from + 3])},
          all[from],
          all[from + 1]};
      if (!group.bands.empty() && (worst.bands.empty() || worse(group, worst))) worst = group;
    }
    comparison.kpoints.push_back(worst);
  }
  return comparison;
}

}  // namespace seiche
