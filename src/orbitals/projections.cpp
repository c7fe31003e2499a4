// SPDX-License-Identifier: BSD-3-Clause
/// \file  Projects bands on trial orbitals or on columns of the density matrix. Both are overlaps with functions whose
/// coefficients are known in closed form. Only the selection of columns needs a grid.
#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/trial_orbitals.hpp"
#include "orbitals/wannier_bands.hpp"
#include "seiche/fft.hpp"
#include "support/blas.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Creates `count` functions on the waves that this rank holds of the only k-point of `like`. `value` gives the
/// coefficient of each function, component and wave.
template <class Function>
Orbitals functions_like(const Orbitals& like, int count, const Function& value) {
  Orbitals made{like.comm, like.header, like.parts};
  for (OrbitalPart& part : made.parts) {
    part.bands = {0, count};
    part.coefficients.clear();
    for (int n = 0; n < count; ++n) {
      for (int component = 0; component < like.header.spinor; ++component) {
        for (const Miller& g : part.waves) part.coefficients.push_back(value(n, component, g));
      }
    }
  }
  return made;
}

Vector3 sum_of(const Vector3& k, const Miller& g) { return {k[0] + g.x, k[1] + g.y, k[2] + g.z}; }

Matrix overlap_with(const Orbitals& left, const Orbitals& functions, int count) {
  return overlap(left.comm, left.header, {part_of(left, 0, 0), part_of(functions, 0, 0), left.header.bands, count});
}

/// Collective. Scales functions by powers of 2 to norms of about 1. Powers of 2 change no digits, so that results do
/// not depend on the order of these sums.
void normalise(Orbitals& functions, int count) {
  std::vector<double> norms(size_of(count));
  for (const OrbitalPart& part : functions.parts) {
    const std::size_t row = part.coefficients.size() / norms.size();
    for (std::size_t i = 0; i < part.coefficients.size(); ++i) norms[i / row] += std::norm(part.coefficients[i]);
  }
  reduce_each(functions.comm, norms, MPI_SUM);
  for (std::size_t n = 0; n < norms.size(); ++n) {
    require(norms[n] > 1e-100, Fault::bad_argument,
            "trial orbital {} is zero within the cutoff: choose a smaller diffusivity or a larger cutoff", n + 1);
  }
  for (OrbitalPart& part : functions.parts) {
    const std::size_t row = part.coefficients.size() / norms.size();
    for (std::size_t i = 0; i < part.coefficients.size(); ++i) {
      part.coefficients[i] *= std::exp2(-std::ceil(std::log2(norms[i / row]) / 2));
    }
  }
}

double weight_of(const SelectedColumns& columns, double energy) {
  const double x = (energy - columns.centre) / columns.width;
  switch (columns.weight) {
    case BandWeight::erfc:
      return std::erfc(x) / 2;
    case BandWeight::gaussian:
      return std::exp(-x * x);
    default:
      return 1;
  }
}

/// Selects columns from the values of all bands on grid points, one after another. Each step takes the column with the
/// largest component orthogonal to the columns before it, as in QR with column pivoting. Each rank keeps its own
/// points.
class ColumnSelection {
 public:
  ColumnSelection(const Communicator& comm, const OrbitalHeader& header, const Box& box)
      : comm_(comm), grid_(header.grid), box_(box), bands_(size_of(header.bands)) {}

  std::vector<Complex> values;  // [band][component][point]

  /// Collective. Returns the number of the column with the largest norm, the first one of nearly equal norms. Columns
  /// are numbered by component, then by point with x fastest. Removes the projection on this column from all columns.
  std::int64_t take() {
    const std::size_t columns = values.size() / bands_;
    std::vector<double> norms(columns);
    for (std::size_t band = 0; band < bands_; ++band) {
      for (std::size_t i = 0; i < columns; ++i) norms[i] += std::norm(values[band * columns + i]);
    }
    constexpr double nearly = 1 - 1e-6;
    double most = 0;
    for (const double norm : norms) most = std::max(most, norm);
    most = maximum(comm_, most);
    require(most > 1e-12, Fault::bad_argument,
            "too few linearly independent columns: request fewer Wannier functions, or include more bands");
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = none;
    std::size_t here = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      if (norms[i] < nearly * most || number_of(i) >= first) continue;
      first = number_of(i);
      here = i;
    }
    const std::int64_t taken = -maximum(comm_, first == none ? -none : -first);
    std::vector<Complex> column(bands_);
    for (std::size_t band = 0; band < bands_ && taken == first; ++band) column[band] = values[band * columns + here];
    check(
        MPI_Allreduce(MPI_IN_PLACE, column.data(), mpi_count(2 * std::ssize(column)), MPI_DOUBLE, MPI_SUM, comm_.get()),
        "MPI_Allreduce");
    remove(column);
    return taken;
  }

 private:
  std::int64_t number_of(std::size_t i) const {
    const auto points = size_of(box_.volume()), component = i / points;
    std::int64_t rest = static_cast<std::int64_t>(i % points);
    const std::int64_t nx = box_.size(0), ny = box_.size(1);
    const std::int64_t x = box_.axis[0].low + rest % nx, y = box_.axis[1].low + rest / nx % ny,
                       z = box_.axis[2].low + rest / (nx * ny);
    return x + grid_.nx * (y + grid_.ny * (z + grid_.nz * static_cast<std::int64_t>(component)));
  }
  void remove(std::vector<Complex> column) {
    double norm = 0;
    for (const Complex& value : column) norm += std::norm(value);
    for (Complex& value : column) value /= std::sqrt(norm);
    const std::size_t columns = values.size() / bands_;
    std::vector<Complex> shares(columns);
    for (std::size_t band = 0; band < bands_; ++band) {
      for (std::size_t i = 0; i < columns; ++i) shares[i] += std::conj(column[band]) * values[band * columns + i];
    }
    for (std::size_t band = 0; band < bands_; ++band) {
      for (std::size_t i = 0; i < columns; ++i) values[band * columns + i] -= column[band] * shares[i];
    }
  }

  const Communicator& comm_;
  GridShape grid_;
  Box box_;
  std::size_t bands_;
};

void require_sound(const SelectedColumns& columns, int bands) {
  require(columns.functions > 0 && columns.functions <= bands, Fault::bad_argument,
          "{} Wannier functions need at least as many bands (got {}): request fewer functions", columns.functions,
          bands);
  require(columns.weight == BandWeight::full || columns.width > 0, Fault::bad_argument,
          "the width of the band weights must be positive (got {})", columns.width);
}

/// Returns the index of k = 0 in the list.
int place_of_gamma(const WannierBands& bands, const WannierRequest& request) {
  for (int k = 0; k < bands.kpoints(); ++k) {
    const Vector3 at = bands.kpoint(k);
    if (std::all_of(at.begin(), at.end(), [](double x) { return std::abs(x) < 1e-6; })) return k;
  }
  fail(Fault::bad_argument, "{} does not list k = 0, where columns are selected: use trial orbitals", request.path);
}

}  // namespace

Projections::Projections(const WannierBands& bands, const WannierRequest& request,
                         const std::optional<SelectedColumns>& columns)
    : bands_(bands),
      request_(request),
      columns_(columns),
      functions_(columns ? columns->functions : static_cast<int>(request.trial_orbitals.size())) {
  require(columns || !request.automatic, Fault::bad_argument,
          "{} requests projections without trial orbitals: select columns of the density matrix", request.path);
  if (columns) select_columns();
}

void Projections::select_columns() {
  const OrbitalHeader& h = bands_.header();
  require_sound(*columns_, h.bands);
  const int gamma = place_of_gamma(bands_, request_);
  const Orbitals at = bands_.at(gamma);
  const OrbitalPart* const part = part_of(at, 0, 0);
  SphereFft<Complex> fft(at.comm, h.grid, part ? std::span<const Miller>(part->waves) : std::span<const Miller>(),
                         {.reproducible = true, .band_groups = 1, .components = h.spinor});
  ColumnSelection selection(at.comm, h, fft.grid_box());
  selection.values.resize(size_of(h.bands * h.spinor * fft.grid_box().volume()));
  fft.backward(part ? std::span<const Complex>(part->coefficients) : std::span<const Complex>(), selection.values,
               h.bands);
  const std::size_t columns_here = selection.values.size() / size_of(h.bands);
  for (std::size_t i = 0; i < selection.values.size(); ++i) {
    const auto band = static_cast<int>(i / columns_here);
    selection.values[i] = weight_of(*columns_, bands_.energy(gamma, band)) * std::conj(selection.values[i]);
  }
  for (int n = 0; n < functions_; ++n) {
    const std::int64_t number = selection.take(), point = number % h.grid.volume();
    const auto share = [](std::int64_t i, std::int64_t count) {
      return static_cast<double>(i) / static_cast<double>(count);
    };
    selected_.push_back({{share(point % h.grid.nx, h.grid.nx), share(point / h.grid.nx % h.grid.ny, h.grid.ny),
                          share(point / (h.grid.nx * h.grid.ny), h.grid.nz)},
                         static_cast<int>(number / h.grid.volume())});
  }
}

Matrix Projections::at(int k, const Orbitals& left) const {
  return columns_ ? on_columns(k, left) : on_trial_orbitals(left, bands_.kpoint(k));
}

Matrix Projections::on_trial_orbitals(const Orbitals& left, const Vector3& k) const {
  Orbitals trial{left.comm, left.header, {}};
  together(left.comm, [&] {
    std::vector<TrialWaves> waves;
    for (const TrialOrbital& orbital : request_.trial_orbitals) waves.emplace_back(left.header.crystal, orbital);
    trial = functions_like(left, functions_, [&](int n, int component, const Miller& g) {
      const TrialWaves& of = waves[size_of(n)];
      return of.spin()[size_of(component)] * of(sum_of(k, g));
    });
  });
  normalise(trial, functions_);
  // Normalizes exactly: periodic images and the cutoff change the norms of trial orbitals.
  const Matrix norms =
      overlap(left.comm, left.header, {part_of(trial, 0, 0), part_of(trial, 0, 0), functions_, functions_});
  Matrix found = overlap_with(left, trial, functions_);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t n = i % size_of(functions_);
    found[i] /= std::sqrt(norms[n * size_of(functions_ + 1)].real());
  }
  return found;
}

Matrix Projections::on_columns(int k, const Orbitals& left) const {
  const Vector3 at = bands_.kpoint(k);
  const int bands = bands_.bands();
  const double scale = 1 / std::sqrt(static_cast<double>(left.header.kpoints[0].plane_waves));
  const Orbitals waves = functions_like(left, functions_, [&](int n, int component, const Miller& g) {
    const auto& [place, of_component] = selected_[size_of(n)];
    if (component != of_component) return Complex(0);
    const Vector3 q = sum_of(at, g);
    double turn = 0;
    for (std::size_t i = 0; i < 3; ++i) turn += std::remainder(q[i] * place[i], 1.0);
    return std::polar(scale, -2 * std::numbers::pi * turn);
  });
  Matrix found = overlap_with(left, waves, functions_), squares(size_of(functions_ * functions_));
  double most = 0;
  for (int m = 0; m < bands; ++m) {
    for (int n = 0; n < functions_; ++n) {
      Complex& value = found[size_of(m * functions_ + n)];
      value *= weight_of(*columns_, bands_.energy(k, m));
      most = std::max(most, std::abs(value));
    }
  }
  for (Complex& value : found) value /= most;
  const Complex one = 1, nothing = 0;
  {
    const auto alone = lock_blas();
    cblas_zgemm(CblasRowMajor, CblasConjTrans, CblasNoTrans, functions_, functions_, bands, &one, found.data(),
                functions_, found.data(), functions_, &nothing, squares.data(), functions_);
  }
  Matrix result(found.size()), x;
  together(left.comm, [&] { x = loewdin(squares, functions_); });
  // loewdin() returns x for sum_j psi_j x_ji in the index order of overlaps; x is Hermitian
  const auto alone = lock_blas();
  cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, bands, functions_, functions_, &one, found.data(), functions_,
              x.data(), functions_, &nothing, result.data(), functions_);
  return result;
}

}  // namespace seiche
