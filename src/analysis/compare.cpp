// SPDX-License-Identifier: BSD-3-Clause
/// \file  Compares the states in two files. Degenerate bands are compared as subspaces, by the singular values of their
/// overlap: the cosines of the principal angles (Bjorck and Golub, Math. Comp. 27, 579 (1973)).
#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "analysis/partners.hpp"
#include "comm/equal_arguments.hpp"
#include "files/bands/kpoint_bands.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/degenerate.hpp"
#include "support/blas.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;  // stored by columns

constexpr double holds_electrons =
    1e-6;  // smallest occupation of an occupied state; smearing leaves smaller values far above
constexpr double same_kinetic = 1e-4;  // relative; errors of the bands enter in first order

/// Returns the larger of two differences; NaN if either is NaN, so that files with NaN are never equal.
double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

/// Returns a^H b for matrices of n columns.
Matrix product(const Matrix& a, const Matrix& b, int n) {
  const auto rows = static_cast<int>(a.size() / size_of(n));
  Matrix result(size_of(n) * size_of(n));
  const Complex one = 1, zero = 0;
  const auto alone = lock_blas();
  cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, n, n, rows, &one, a.data(), rows, b.data(), rows, &zero,
              result.data(), n);
  return result;
}

double trace(const Matrix& m, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += m[size_of(i) * size_of(n + 1)].real();
  return sum;
}

/// Returns the smallest singular value of a^H b after orthonormalization of the columns; 0 if they are linearly
/// dependent.
double smallest_cosine(const Matrix& aa, Matrix ab, const Matrix& bb, int n) {
  Matrix left = aa, right = bb;
  const auto alone = lock_blas();
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
  return std::min(values.back(), 1.0);  // keeps NaN
}

/// Returns the number of bands that the options select for comparison.
int bands_of(const OrbitalHeader& a, const OrbitalHeader& b, const CompareOptions& options) {
  if (options.bands > 0) return options.bands;
  return options.occupied ? std::min(a.bands, b.bands) : a.bands;
}

/// Two files with their corresponding k-points and bands.
struct Pair {
  const WaveFile &left, &right;
  const CompareOptions& options;
  std::vector<Partner> partners;
  double constant = 0;  ///< subtracted from the energies of the second file

  const OrbitalHeader& header() const { return left.header(); }
  /// Returns the number of bands of a state to compare.
  int bands(int spin, int k) const {
    const OrbitalHeader &a = left.header(), &b = right.header();
    const int all = bands_of(a, b, options);
    if (!options.occupied) return all;
    int filled = 0;
    for (int band = 0; band < all; ++band) {
      const double most =
          std::max(a.occupations[a.state(spin, k, band)], b.occupations[b.state(spin, partners[size_of(k)].k, band)]);
      if (most > holds_electrons) filled = band + 1;
    }
    return filled;
  }
  /// Returns the energy of a band in the second file minus its energy in the first file.
  double energy_step(int spin, int k, int band) const {
    const OrbitalHeader &a = left.header(), &b = right.header();
    return b.energies[b.state(spin, partners[size_of(k)].k, band)] - a.energies[a.state(spin, k, band)] - constant;
  }
  double energy_difference(int spin, int k, const Range& bands) const {
    double most = 0;
    for (auto band = static_cast<int>(bands.low); band < bands.high; ++band) {
      most = larger(most, std::abs(energy_step(spin, k, band)));
    }
    return most;
  }
  /// Returns whether the band at `end` of either file is degenerate with the band below.
  bool goes_on(int spin, int k, int end) const {
    return (end < left.header().bands && degenerate_with_below(left.header(), spin, k, end)) ||
           (end < right.header().bands && degenerate_with_below(right.header(), spin, partners[size_of(k)].k, end));
  }
};

/// Sets the constant to the middle of all differences, which minimizes the largest one that remains.
void find_constant(const Pair& pair, Comparison& comparison) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double least = infinity, most = -infinity;
  for (int spin = 0; spin < pair.header().spins; ++spin) {
    for (int k = 0; k < static_cast<int>(pair.partners.size()); ++k) {
      for (int band = 0; band < pair.bands(spin, k); ++band) {
        const double step = pair.energy_step(spin, k, band);
        if (std::isnan(step)) {
          comparison.constant = comparison.beyond_constant = step;
          return;
        }
        least = std::min(least, step);
        most = std::max(most, step);
      }
    }
  }
  if (most < least) return;  // no bands
  comparison.constant = (least + most) / 2;
  comparison.beyond_constant = (most - least) / 2;
}

void compare_energies(const Pair& pair, Comparison& comparison) {
  const OrbitalHeader &a = pair.left.header(), &b = pair.right.header();
  find_constant(pair, comparison);
  for (int spin = 0; spin < a.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(pair.partners.size()); ++k) {
      const int bands = pair.bands(spin, k);
      comparison.energy = larger(comparison.energy, pair.energy_difference(spin, k, {0, bands}));
      for (int band = 0; band < bands; ++band) {
        const std::size_t i = a.state(spin, k, band), j = b.state(spin, pair.partners[size_of(k)].k, band);
        comparison.occupation = larger(comparison.occupation, std::abs(a.occupations[i] - b.occupations[j]));
      }
    }
  }
}

/// Returns the mean kinetic energy of bands, from the kinetic energies of the waves.
double kinetic_energy(const Matrix& bands, const std::vector<double>& of_wave) {
  double sum = 0, norm = 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    sum += std::norm(bands[i]) * of_wave[i % of_wave.size()];
    norm += std::norm(bands[i]);
  }
  return sum / std::max(norm, 1e-300);
}

/// The bands of one state of both files, on common waves.
class State {
 public:
  State(const Pair& pair, int spin, int k)
      : pair_(pair),
        spin_(spin),
        k_(k),
        first_(pair.left, spin, k),
        second_(pair.right, spin, pair.partners[size_of(k)].k, pair.partners[size_of(k)].shift) {
    common_ = first_.whole_sphere();
    const auto b = pair.header().crystal.reciprocal();
    const Vector3& at = pair.header().kpoints[size_of(k)].k;
    for (const Miller& g : common_) {
      const Vector3 index{at[0] + g.x, at[1] + g.y, at[2] + g.z};
      double square = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double q = index[0] * b[0][i] + index[1] * b[1][i] + index[2] * b[2][i];
        square += q * q;
      }
      kinetic_.push_back(square / 2);
    }
  }

  /// Compares a group, and returns whether the last band cuts it.
  std::pair<Comparison::Group, bool> compare(const Range& bands) const {
    Comparison::Group group{spin_, k_, bands, 1, 0};
    const auto n = static_cast<int>(bands.size());
    const Matrix first = first_.coefficients(common_, bands), second = second_.coefficients(common_, bands);
    const Matrix aa = product(first, first, n), bb = product(second, second, n);
    group.overlap = smallest_cosine(aa, product(first, second, n), bb, n);
    group.norm = std::abs(trace(aa, n) - trace(bb, n)) / std::max(trace(aa, n), 1e-300);
    return {group, cut(group, first, second)};
  }

 private:
  /// All bands of a symmetry multiplet have the same kinetic energy, for any mixing, because kinetic energy has the
  /// symmetry.
  bool cut(const Comparison::Group& group, const Matrix& first, const Matrix& second) const {
    const OrbitalHeader& h = pair_.header();
    const auto end = static_cast<int>(group.bands.high);
    if (end < pair_.bands(spin_, k_)) return false;
    if (pair_.goes_on(spin_, k_, end)) return true;
    const Tolerance& within = pair_.options.tolerance;
    if (end < h.bands || group.overlap > 1 - within.overlap || group.norm > within.norm) return false;
    if (pair_.energy_difference(spin_, k_, group.bands) > within.energy) return false;
    const double a = kinetic_energy(first, kinetic_), b = kinetic_energy(second, kinetic_);
    return std::abs(a - b) < same_kinetic * a;
  }

  const Pair& pair_;
  int spin_, k_;
  KPointBands first_, second_;
  std::vector<Miller> common_;
  std::vector<double> kinetic_;  // of each common wave, hartree
};

bool worse(const Comparison::Group& a, const Comparison::Group& b) { return a.overlap < b.overlap; }

}  // namespace

Comparison::Group Comparison::worst() const {
  const auto found = std::min_element(kpoints.begin(), kpoints.end(), worse);
  return found == kpoints.end() ? Group{} : *found;
}

bool Comparison::equal() const {
  return difference.empty() && worst().overlap > 1 - tolerance.overlap && norm < tolerance.norm &&
         (any_zero ? beyond_constant : energy) < tolerance.energy;
}

namespace {

/// The worst compared group and a cut group of one spin and k-point; without bands: none.
struct Verdict {
  Comparison::Group worst, cut;
  double norm = 0;  ///< largest difference of norms of the compared groups
  void add(const Comparison::Group& group, bool is_cut) {
    if (group.bands.empty()) return;
    if (is_cut) {
      cut = group;
      return;
    }
    norm = std::max(norm, group.norm);
    if (worst.bands.empty() || worse(group, worst)) worst = group;
  }
};

constexpr std::size_t numbers_of_group = 4, numbers_of_state = 2 * numbers_of_group + 1;

void pack(const Comparison::Group& group, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {group.overlap, group.norm, static_cast<double>(group.bands.low),
                                 static_cast<double>(group.bands.high)});
}

Comparison::Group unpack(const Comparison::Group& of, const double* numbers) {
  Comparison::Group group = of;
  group.overlap = numbers[0];
  group.norm = numbers[1];
  group.bands = {static_cast<std::int64_t>(numbers[2]), static_cast<std::int64_t>(numbers[3])};
  return group;
}

/// Returns the results of this rank's groups.
std::vector<double> verdicts_of(const Pair& pair, const Communicator& comm) {
  const OrbitalHeader& h = pair.header();
  std::vector<double> numbers;
  std::int64_t turn = 0;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const State state(pair, spin, k);
      Verdict verdict;
      for (const Range& bands : degenerate_groups(h, spin, k, pair.bands(spin, k))) {
        if (turn++ % comm.size() != comm.rank()) continue;
        const auto [group, cut] = state.compare(bands);
        verdict.add(group, cut);
      }
      pack(verdict.worst, numbers);
      pack(verdict.cut, numbers);
      numbers.push_back(verdict.norm);
      const double done = static_cast<double>(numbers.size()) / static_cast<double>(numbers_of_state);
      if (pair.options.on_progress)
        pair.options.on_progress(done / static_cast<double>(static_cast<std::size_t>(h.spins) * h.kpoints.size()));
    }
  }
  return numbers;
}

}  // namespace

Comparison compare(const WaveFile& a, const WaveFile& b, const CompareOptions& options) {
  const Communicator& comm = a.communicator();
  together(comm, "compare", [&](EqualArguments& same) { same.add_options(options); });
  Pair pair{a, b, options, {}, 0};
  const OrbitalHeader& h = pair.header();
  Comparison comparison;
  comparison.tolerance = options.tolerance;
  comparison.any_zero = options.any_zero;
  comparison.difference = difference_of(h, pair.right.header(), options);
  if (comparison.difference.empty()) pair.partners = partners_of(h, pair.right.header(), comparison.difference);
  if (!comparison.difference.empty()) return comparison;
  compare_energies(pair, comparison);
  if (options.any_zero) pair.constant = comparison.constant;
  std::vector<double> mine;
  together(comm, [&] { mine = verdicts_of(pair, comm); });
  const auto all = join_all(comm, mine);
  for (std::size_t at = 0; at < mine.size(); at += numbers_of_state) {
    const std::size_t state = at / numbers_of_state;
    Comparison::Group here;
    here.spin = static_cast<int>(state / h.kpoints.size());
    here.k = static_cast<int>(state % h.kpoints.size());
    Verdict verdict{here, here};
    for (std::size_t from = at; from < all.size(); from += mine.size()) {
      verdict.add(unpack(here, &all[from]), false);
      verdict.add(unpack(here, &all[from + numbers_of_group]), true);
      comparison.norm = std::max(comparison.norm, all[from + 2 * numbers_of_group]);
    }
    comparison.kpoints.push_back(verdict.worst);
    if (!verdict.cut.bands.empty()) comparison.cut.push_back(verdict.cut);
  }
  return comparison;
}

}  // namespace seiche
