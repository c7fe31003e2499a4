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
#include "orbitals/holdings.hpp"
#include "support/blas.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t block_size = 256;       // waves summed by one product
constexpr double one = 1152921504606846976.0;  // 2^60: overlaps are summed as integers, with an error below 1e-18
constexpr double largest = 4;                  // bound of overlaps, so that no sum of integers overflows

/// Returns the index range [low, high) of each block among the part's waves. Ranks hold whole blocks, so only the last
/// one may be smaller.
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

/// Returns the distance from one band to the next.
int row_length(const OrbitalPart& part, int spinor) { return spinor * static_cast<int>(part.waves.size()); }

/// Computes product[j][i]: the sums of conj(a_i) b_j over the waves of a block.
void multiply_block(const PartPair& pair, const Range& places, int spinor, Matrix& product) {
  const int length = row_length(*pair.a, spinor);
  for (int component = 0; component < spinor; ++component) {
    const Complex factor = 1, before = component == 0 ? 0 : 1;
    const std::int64_t first = places.low + component * static_cast<std::int64_t>(pair.a->waves.size());
    const auto alone = lock_blas();
    cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasConjTrans, pair.columns, pair.rows, static_cast<int>(places.size()),
                &factor, pair.b->coefficients.data() + first, length, pair.a->coefficients.data() + first, length,
                &before, product.data(), pair.rows);
  }
}

/// For half spheres: converts sums over the stored waves to sums over all waves, which are real. G = 0 has no opposite
/// wave.
void add_other_half(const PartPair& pair, const Range& places, Matrix& product) {
  for (Complex& value : product) value = 2 * value.real();
  const auto waves = pair.a->waves.begin();
  const auto zero = std::find(waves + places.low, waves + places.high, Miller{});
  if (zero == waves + places.high) return;
  const std::int64_t length = row_length(*pair.a, 1), place = zero - waves;
  for (int j = 0; j < pair.columns; ++j) {
    for (int i = 0; i < pair.rows; ++i) {
      const Complex a = pair.a->coefficients[static_cast<std::size_t>(i * length + place)];
      const Complex b = pair.b->coefficients[static_cast<std::size_t>(j * length + place)];
      product[static_cast<std::size_t>(j * pair.rows + i)] -= (std::conj(a) * b).real();
    }
  }
}

/// \throws Error if an overlap is too large for bands of norm 1
void require_overlaps(const OrbitalHeader& h, const PartPair& pair, const Matrix& product) {
  for (std::size_t place = 0; place < product.size(); ++place) {
    const Complex value = product[place];
    const std::size_t rows = static_cast<std::size_t>(pair.rows);
    require(std::abs(value.real()) < largest && std::abs(value.imag()) < largest, Fault::bad_argument,
            "{}: bands {} and {} of k-point {} overlap by {:.3g}: bands must have norm 1", h.path, place % rows + 1,
            place / rows + 1, pair.a->k + 1, std::abs(value));
  }
}

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
  const auto rows = static_cast<std::size_t>(pair.rows), columns = static_cast<std::size_t>(pair.columns);
  std::vector<std::int64_t> sums;  // [j][i], real and imaginary
  Matrix result;
  together(comm, [&] {
    sums.resize(2 * rows * columns);
    result.resize(rows * columns);
    require((pa == nullptr) == (pb == nullptr) && (!pa || pa->waves == pb->waves), Fault::bad_argument,
            "overlaps need the same waves in both sets: reassign one set to the waves of the other first");
    Matrix product(rows * columns);
    for (const Range& places : blocks_of(pa)) {
      multiply_block(pair, places, h.spinor, product);
      if (h.half_sphere) add_other_half(pair, places, product);
      require_overlaps(h, pair, product);
      for (std::size_t place = 0; place < product.size(); ++place) {
        sums[2 * place] += std::llrint(product[place].real() * one);
        sums[2 * place + 1] += std::llrint(product[place].imag() * one);
      }
    }
  });
  reduce_each(comm, sums, MPI_SUM);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::int64_t* const sum = &sums[2 * (j * rows + i)];
      result[i * columns + j] = {static_cast<double>(sum[0]) / one, static_cast<double>(sum[1]) / one};
    }
  }
  return result;
}

Matrix cholesky(Matrix s, int n) {
  const auto alone = lock_blas();
  const bool done = LAPACKE_zpotrf(LAPACK_ROW_MAJOR, 'L', n, s.data(), n) == 0 &&
                    LAPACKE_ztrtri(LAPACK_ROW_MAJOR, 'L', 'N', n, s.data(), n) == 0;
  Matrix x(s.size());
  for (int i = 0; i < n; ++i) {
    // A diagonal element is 1 / norm of the band's component orthogonal to the bands before it.
    require(done && std::abs(s[static_cast<std::size_t>(i * n + i)]) < 1e6, Fault::bad_argument,
            "bands are linearly dependent and cannot be orthonormalized: keep fewer bands or more waves");
    for (int j = 0; j <= i; ++j) {
      x[static_cast<std::size_t>(j * n + i)] = std::conj(s[static_cast<std::size_t>(i * n + j)]);
    }
  }
  return x;
}

Matrix loewdin(Matrix s, int n) {
  const auto alone = lock_blas();
  std::vector<double> values(static_cast<std::size_t>(n));
  const int code = LAPACKE_zheevd(LAPACK_ROW_MAJOR, 'V', 'L', n, s.data(), n, values.data());
  require(code == 0 && values[0] > 1e-12, Fault::bad_argument,
          "bands are linearly dependent and cannot be orthonormalized: keep fewer bands or more waves");
  Matrix scaled = s, x(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) scaled[i] /= std::sqrt(values[i % static_cast<std::size_t>(n)]);
  const Complex factor = 1, nothing = 0;
  cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasConjTrans, n, n, n, &factor, scaled.data(), n, s.data(), n, &nothing,
              x.data(), n);
  return x;
}

void add_combined(const OrbitalPart& from, const Matrix& x, int spinor, OrbitalPart& to) {
  const int bands = static_cast<int>(from.bands.size()), length = row_length(from, spinor);
  for (const Range& places : blocks_of(&from)) {
    for (int component = 0; component < spinor; ++component) {
      const Complex factor = 1;
      const std::int64_t first = places.low + component * static_cast<std::int64_t>(from.waves.size());
      const auto alone = lock_blas();
      cblas_zgemm(CblasRowMajor, CblasTrans, CblasNoTrans, bands, static_cast<int>(places.size()), bands, &factor,
                  x.data(), bands, from.coefficients.data() + first, length, &factor, to.coefficients.data() + first,
                  length);
    }
  }
}

double smallest_singular_value(Matrix matrix, int rows, int columns) {
  std::vector<double> values(static_cast<std::size_t>(std::min(rows, columns)));
  Complex unused;  // no singular vectors are requested
  const auto alone = lock_blas();
  const int code = LAPACKE_zgesdd(LAPACK_ROW_MAJOR, 'N', rows, columns, matrix.data(), columns, values.data(), &unused,
                                  rows, &unused, columns);
  require(code == 0 && !values.empty(), Fault::internal, "the singular values of a {} x {} matrix did not converge",
          rows, columns);
  return values.back();
}

}  // namespace seiche
