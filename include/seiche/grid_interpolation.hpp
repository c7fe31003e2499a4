// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interpolation of fields between dense grids of different size.
///
/// A field f(r) = sum_G f(G) exp(i G.r) on a grid is evaluated at the points of another grid of the same cell. Waves
/// that the target grid does not have are left out. Each call is one pipeline. Ranks exchange only the waves that both
/// grids have.
///
/// A wave of index n/2 along an axis with an even number n of points stands for -n/2, too. On a finer grid, each of
/// both waves has half of its coefficient. On a coarser grid of n points, it has the sum of both. So real fields stay
/// real, and interpolation to a finer grid and back returns the same values.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// Interpolates fields from one dense grid to another. Value is that of both DenseFft.
///
/// Arrays are [field][z][y][x] of DenseFft::grid_box(), without padding, in host memory. Both plans may be closed once
/// the object exists. A call needs memory for all fields on both grids. One thread at a time may use an interpolation
/// and its plans (see communicator.hpp).
template <class Value>
class GridInterpolation {
 public:
  /// Collective. Creates an interpolation of `fields` fields (1 to 65536) from the grid of one plan to the grid of
  /// another. Both plans have the same communicator and distribution over ranks. `from` determines all other options.
  /// \throws Error if the plans do not fit, if one transforms the caller's arrays, or for a plan on a device
  GridInterpolation(const DenseFft<Value>& from, const DenseFft<Value>& to, std::int64_t fields = 1);
  ~GridInterpolation();
  GridInterpolation(GridInterpolation&&) noexcept;
  GridInterpolation& operator=(GridInterpolation&&) noexcept;
  void close();  ///< Local. The interpolation cannot be used afterwards.

  /// Collective. Interpolates all fields from `grid` to `result`, which may not overlap.
  /// \throws Error if the size of an array does not fit
  void apply(std::span<const Value> grid, std::span<Value> result);
  /// Collective. Starts apply(). The arrays must exist until finish().
  Pending start_apply(std::span<const Value> grid, std::span<Value> result);

  std::int64_t fields() const;  ///< Local. Number of fields.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;  // started calls share it
};

extern template class GridInterpolation<double>;
extern template class GridInterpolation<float>;
extern template class GridInterpolation<std::complex<double>>;
extern template class GridInterpolation<std::complex<float>>;

}  // namespace seiche
