// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks whether the bands of a file are orthonormal. Each rank multiplies its part of the plane waves of all
/// bands of a k-point while the next k-point is read.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/check.hpp"
#include "comm/equal_arguments.hpp"
#include "files/bands/file_bands.hpp"
#include "interface/wavefile_members.hpp"
#include "support/blas.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// The bands of one k-point after another.
class Overlaps {
 public:
  Overlaps(const Communicator& comm, const OrbitalHeader& header, const BandSource& source)
      : comm_(comm), header_(header), source_(source) {}

  /// Collective.
  void add(const BandRange& some, std::span<const Complex> coefficients) {
    together(comm_, [&] { bands_.insert(bands_.end(), coefficients.begin(), coefficients.end()); });
    if (some.bands.high < header_.bands) return;
    if (header_.half_sphere) count_pairs_twice(some);
    close_kpoint(std::exchange(bands_, {}));
  }
  const Soundness& result() const { return result_; }

 private:
  /// Only one of G and -G is stored: the sum over both is twice the real part.
  void count_pairs_twice(const BandRange& some) {
    const auto waves = source_.waves(some.spin, some.k, streamed_waves(header_, some.k, comm_));
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      if (!(waves[i % waves.size()] == Miller{})) bands_[i] *= std::sqrt(2.0);
    }
  }
  void close_kpoint(const std::vector<Complex>& rows) {
    const int n = header_.bands;
    std::vector<Complex> overlaps;  // the lower triangle
    together(comm_, [&] {
      const int length = mpi_count(std::ssize(rows) / n);
      overlaps.resize(size_of(n) * size_of(n));
      const auto alone = lock_blas();
      cblas_zherk(CblasRowMajor, CblasLower, CblasNoTrans, n, length, 1, rows.data(), std::max(length, 1), 0,
                  overlaps.data(), n);
    });
    check(MPI_Allreduce(MPI_IN_PLACE, overlaps.data(), mpi_count(std::ssize(overlaps)), MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                        comm_.get()),
          "MPI_Allreduce");
    for (int m = 0; m < n; ++m) {
      for (int other = 0; other <= m; ++other) compare(m, other, overlaps[size_of(m) * size_of(n) + size_of(other)]);
    }
  }
  void compare(int m, int n, const Complex& overlap) {
    const double size = std::abs(header_.half_sphere ? overlap.real() : overlap);
    if (m == n) {
      result_.norm = std::max(result_.norm, std::abs(size - 1));
    } else {
      result_.overlap = std::max(result_.overlap, size);
    }
  }

  const Communicator& comm_;
  const OrbitalHeader& header_;
  const BandSource& source_;
  std::vector<Complex> bands_;  // of this k-point so far, [band][component][wave]
  Soundness result_;
};

int odd_counts(const OrbitalHeader& h) {
  return static_cast<int>(std::count_if(h.kpoints.begin(), h.kpoints.end(), [&](const KPoint& k) {
    const auto sphere = sphere_of_waves(h.crystal.reciprocal(), k.k, h.cutoff, h.half_sphere);
    return std::ssize(sphere) != k.plane_waves;
  }));
}

}  // namespace

Soundness soundness(const WaveFile& file, const MoveOptions& options) {
  const OrbitalHeader& h = file.header();
  together(file.communicator(), "soundness", [&](EqualArguments& same) { same.add_options(options); });
  const BandSource source = bands_of(file);
  Overlaps overlaps(file.communicator(), h, source);
  each_band(
      file, source,
      [&](const BandRange& some, std::span<const Complex> coefficients) { overlaps.add(some, coefficients); }, options);
  Soundness result = overlaps.result();
  result.odd_counts = odd_counts(h);
  return result;
}

}  // namespace seiche
