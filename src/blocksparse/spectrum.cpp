// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where the eigenvalues of a matrix lie.
#include "blocksparse/parts.hpp"
#include "comm/agree.hpp"

namespace seiche {

namespace {

/// Rounds away from zero to some eleven bits: sums of other groupings differ in their last bits, and what is made of
/// the bounds should be the same on all grids.
double outward(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x * (1 + 1e-12), &exponent);
  return std::ldexp(fraction > 0 ? std::ceil(fraction * 2048) : std::floor(fraction * 2048), exponent - 11);
}

}  // namespace

template <class Value>
Interval spectrum(const BlockMatrix<Value>& stored) {
  const bool triangle = stored.symmetry() != Symmetry::none;
  std::optional<BlockMatrix<Value>> whole;
  if (triangle) whole.emplace(redistribute(stored, stored.shared_layout()));
  const BlockMatrix<Value>& m = triangle ? *whole : stored;
  std::vector<double> radius, centre;  // of each row of this rank's block rows; the part that this rank has
  for (std::size_t r = 0; r < m.rows().size(); ++r) {
    const std::int32_t i = m.rows()[r];
    const auto n = static_cast<std::size_t>(m.layout().row_sizes[static_cast<std::size_t>(i)]);
    const std::size_t base = radius.size();
    radius.resize(base + n, 0.0);
    centre.resize(base + n, 0.0);
    for (std::int64_t b = m.row_start()[r]; b < m.row_start()[r + 1]; ++b) {
      const auto block = static_cast<std::size_t>(b);
      const Value* v = m.values().data() + m.offset()[block];
      const auto size = static_cast<std::size_t>(block_size(m, r, b));
      const bool diagonal = m.columns()[block] == i;
      for (std::size_t k = 0; k < size; ++k) {
        if (diagonal && k / n == k % n) {
          centre[base + k % n] = real_part(v[k]);
        } else {
          radius[base + k % n] += static_cast<double>(std::abs(v[k]));
        }
      }
    }
  }
  const Communicator across = m.layout().comm.split(m.layout().grid_row());
  const auto all_radii = join_all(across, radius), all_centres = join_all(across, centre);
  constexpr double target = std::numeric_limits<double>::infinity();
  double low = target, high = -target;
  for (std::size_t k = 0; k < radius.size(); ++k) {
    double r = 0, c = 0;
    for (std::size_t part = k; part < all_radii.size(); part += radius.size()) {
      r += all_radii[part];
      c += all_centres[part];
    }
    low = std::min(low, c - r);
    high = std::max(high, c + r);
  }
  const double highest = maximum(m.layout().comm, high), lowest = -maximum(m.layout().comm, -low);
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
