// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/subspace.hpp"

#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t block_size = 256;       // waves that are summed by one product
constexpr double one = 1152921504606846976.0;  // 2^60: overlaps as whole numbers, with 1e-18 of error
constexpr double largest = 4;                  // of an overlap, so that no sum of whole numbers overflows

/// The part's places of each block: [low, high) among its waves. Blocks are whole, so all but the last have one size.
std::vector<Range> blocks_of(const OrbitalPart* part) {
  std::vector<Range> blocks;
  if (!part) return blocks;
  std::int64_t place = 0;
  for (const Range& run : part->positions) {
    for (std::int64_t low = run.low; low < run.high; low += block_size) {
      const std::int64_t size = std::min(block_size, run.high - low);
      blocks.push_back({place, place + size});
      place += size;
    }
  }
  return blocks;
}

/// Blocks are whole, so all have one size but the last of all.
class Block {
 public:
  Block(const OrbitalPart& part, Range places, int spinor)
      : places_(places), runs_(part.bands.size() * spinor), waves_(static_cast<std::int64_t>(part.waves.size())) {
    columns_ = static_cast<int>(places_.size()) * spinor;
    for (std::int64_t run = 0; run < runs_; ++run) {
      const auto first = part.coefficients.begin() + run * waves_ + places_.low;
      values.insert(values.end(), first, first + places_.size());
    }
  }
  int bands() const { return columns_ == 0 ? 0 : static_cast<int>(values.size()) / columns_; }
  int columns() const { return columns_; }
  void put_into(OrbitalPart& part) const {
    for (std::int64_t run = 0; run < runs_; ++run) {
      const auto first = values.begin() + run * places_.size();
      std::copy(first, first + places_.size(), part.coefficients.begin() + run * waves_ + places_.low);
    }
  }
  /// Of half spheres: so that sums over the kept waves are those over all, in their real parts.
  void count_twice(const OrbitalPart& part) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto wave = static_cast<std::int64_t>(i) % places_.size();
      if (!(part.waves[static_cast<std::size_t>(places_.low + wave)] == Miller{})) values[i] *= std::sqrt(2.0);
    }
  }

  Matrix values;  // [band][component][wave]

 private:
  Range places_;
  std::int64_t runs_, waves_;
  int columns_;
};

}  // namespace

OrbitalLayout by_blocks(int ranks) {
  return {{1, 1, ranks}, [ranks](int, std::span<const Miller> waves) {
            const auto n = static_cast<std::int64_t>(waves.size()), blocks = (n + block_size - 1) / block_size;
            std::vector<int> owners;
            for (std::int64_t i = 0; i < n; ++i) owners.push_back(block_owner(blocks, ranks, i / block_size));
            return owners;
          }};
}

Matrix overlap(const Orbitals& a, const Orbitals& b, int spin, int k) {
  return overlap(a.comm, a.header, {part_of(a, spin, k), part_of(b, spin, k), a.header.bands, b.header.bands});
}

Matrix overlap(const Communicator& comm, const OrbitalHeader& h, const PartPair& pair) {
  const OrbitalPart *const pa = pair.a, *const pb = pair.b;
  const int rows = pair.rows, columns = pair.columns;
  std::vector<std::int64_t> mine(static_cast<std::size_t>(2 * rows * columns)), all(mine.size());
  together(comm, [&] {
    require((pa == nullptr) == (pb == nullptr) && (!pa || pa->waves == pb->waves), Fault::bad_argument,
            "overlaps need the same waves in both sets; reassign one of them to the waves of the other first");
    Matrix product(static_cast<std::size_t>(rows * columns));  // [j][i]
    for (const Range& places : blocks_of(pa)) {
      Block left(*pa, places, h.spinor), right(*pb, places, h.spinor);
      if (h.half_sphere) left.count_twice(*pa), right.count_twice(*pb);
      const Complex factor = 1, nothing = 0;
      const int n = left.columns();
      cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasConjTrans, columns, rows, n, &factor, right.values.data(), n,
                  left.values.data(), n, &nothing, product.data(), rows);
      for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
          const Complex value = product[static_cast<std::size_t>(j * rows + i)];
          require(std::abs(value.real()) < largest && std::abs(value.imag()) < largest, Fault::bad_argument,
                  "{}: bands {} and {} of k-point {} overlap by {:.3g}; bands must have norm 1", h.path, i + 1, j + 1,
                  pa->k + 1, std::abs(value));
          const auto place = static_cast<std::size_t>(2 * (i * columns + j));
          mine[place] += std::llround(value.real() * one);
          if (!h.half_sphere) mine[place + 1] += std::llround(value.imag() * one);
        }
      }
    }
  });
  check(MPI_Allreduce(mine.data(), all.data(), mpi_count(static_cast<std::int64_t>(mine.size())), MPI_INT64_T, MPI_SUM,
                      comm.get()),
        "MPI_Allreduce");
  Matrix result;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    result.emplace_back(static_cast<double>(all[i]) / one, static_cast<double>(all[i + 1]) / one);
  }
  return result;
}

Matrix cholesky(Matrix s, int n) {
  const bool done = LAPACKE_zpotrf(LAPACK_ROW_MAJOR, 'L', n, s.data(), n) == 0 &&
                    LAPACKE_ztrtri(LAPACK_ROW_MAJOR, 'L', 'N', n, s.data(), n) == 0;
  Matrix x(s.size());
  for (int i = 0; i < n; ++i) {
    // A pivot is the norm that is left of a band without those before it.
    require(done && std::abs(s[static_cast<std::size_t>(i * n + i)]) < 1e6, Fault::bad_argument,
            "bands depend on each other and cannot be made orthonormal; keep fewer bands or more waves");
    for (int j = 0; j <= i; ++j) {
      x[static_cast<std::size_t>(j * n + i)] = std::conj(s[static_cast<std::size_t>(i * n + j)]);
    }
  }
  return x;
}

Matrix loewdin(Matrix s, int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  const int code = LAPACKE_zheevd(LAPACK_ROW_MAJOR, 'V', 'L', n, s.data(), n, values.data());
  require(code == 0 && values[0] > 1e-12, Fault::bad_argument,
          "bands depend on each other and cannot be made orthonormal; keep fewer bands or more waves");
  Matrix scaled = s, x(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) scaled[i] /= std::sqrt(values[i % static_cast<std::size_t>(n)]);
  const Complex factor = 1, nothing = 0;
  cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasConjTrans, n, n, n, &factor, scaled.data(), n, s.data(), n, &nothing,
              x.data(), n);
  return x;
}

void add_combined(const OrbitalPart& from, const Matrix& x, int spinor, OrbitalPart& to) {
  for (const Range& places : blocks_of(&from)) {
    const Block old(from, places, spinor);
    Block sum(to, places, spinor);
    const Complex factor = 1;
    cblas_zgemm(CblasRowMajor, CblasTrans, CblasNoTrans, old.bands(), old.columns(), old.bands(), &factor, x.data(),
                old.bands(), old.values.data(), old.columns(), &factor, sum.values.data(), old.columns());
    sum.put_into(to);
  }
}

double smallest_singular_value(Matrix matrix, int rows, int columns) {
  std::vector<double> values(static_cast<std::size_t>(std::min(rows, columns)));
  Complex unused;  // no singular vectors are asked for
  const int code = LAPACKE_zgesdd(LAPACK_ROW_MAJOR, 'N', rows, columns, matrix.data(), columns, values.data(), &unused,
                                  rows, &unused, columns);
  require(code == 0 && !values.empty(), Fault::internal, "the singular values of a matrix of {} x {} were not found",
          rows, columns);
  return values.back();
}

}  // namespace seiche
