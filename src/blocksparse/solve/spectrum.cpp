// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bounds on the eigenvalues of a matrix.
#include <cmath>
#include <limits>

#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "comm/agree.hpp"
#include "seiche/purify.hpp"

namespace seiche {

namespace {

/// Rounds away from zero to about eleven bits. Sums in another order differ in their last bits, but results derived
/// from the bounds must be the same on all process grids.
double outward(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x * (1 + 1e-12), &exponent);
  return std::ldexp(fraction > 0 ? std::ceil(fraction * 2048) : std::floor(fraction * 2048), exponent - 11);
}

/// Gershgorin circles of the rows of this rank's block rows: the contributions of this rank.
struct Circles {
  std::vector<double> radius, centre;
};

template <class Value>
Circles circles_of(const BlockMatrix<Value>& m) {
  std::vector<std::int64_t> first{0};  // row of each block row
  for (const std::int32_t i : m.rows()) first.push_back(first.back() + m.layout().row_sizes[i]);
  Circles circles{std::vector<double>(first.back(), 0.0), std::vector<double>(first.back(), 0.0)};
  each_block(m, [&](const StoredBlock& b) {
    const Value* v = m.values().data() + b.offset;
    for (std::int64_t k = 0; k < b.size(); ++k) {
      const std::int64_t row = first[b.row_number] + k % b.rows;
      if (b.on_diagonal() && k / b.rows == k % b.rows) {
        circles.centre[row] = real_part(v[k]);
      } else {
        circles.radius[row] += static_cast<double>(std::abs(v[k]));
      }
    }
  });
  return circles;
}

/// Collective. Sums the contributions of ranks with the same block rows, and returns the interval that they cover.
Interval covered_by(const Circles& mine, const BlockLayout& layout) {
  const Communicator across = layout.comm.split(layout.grid_row());
  const auto radii = join_all(across, mine.radius), centres = join_all(across, mine.centre);
  constexpr double target = std::numeric_limits<double>::infinity();
  Interval covered{target, -target};
  for (std::size_t row = 0; row < mine.radius.size(); ++row) {
    double radius = 0, centre = 0;
    for (std::size_t part = row; part < radii.size(); part += mine.radius.size()) {
      radius += radii[part];
      centre += centres[part];
    }
    covered = {std::min(covered.low, centre - radius), std::max(covered.high, centre + radius)};
  }
  return {-maximum(layout.comm, -covered.low), maximum(layout.comm, covered.high)};
}

}  // namespace

template <class Value>
Interval spectrum(const BlockMatrix<Value>& matrix) {
  if (matrix.symmetry() != Symmetry::none) return spectrum(redistribute(matrix, matrix.shared_layout()));
  const Circles mine = made_together(matrix.layout().comm, [&] { return circles_of(matrix); });
  const auto [lowest, highest] = covered_by(mine, matrix.layout());
  if (highest < lowest) return {};
  const double margin = 1e-12 * std::max(std::abs(highest), std::abs(lowest));
  return {lowest < 0 ? outward(lowest - margin) : lowest - margin,
          highest > 0 ? outward(highest + margin) : highest + margin};
}

template Interval spectrum(const BlockMatrix<float>&);
template Interval spectrum(const BlockMatrix<double>&);
template Interval spectrum(const BlockMatrix<std::complex<float>>&);
template Interval spectrum(const BlockMatrix<std::complex<double>>&);

}  // namespace seiche
