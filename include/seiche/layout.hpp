// SPDX-License-Identifier: BSD-3-Clause
/// \file  Index sets (boxes of a grid, waves of a sphere) and their distribution over ranks.
///
/// Grids are indexed (x, y, z) with x fastest in memory: (nx,ny,nz) in Fortran, [z,y,x] in NumPy. All functions are
/// local. Any thread may call them.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "seiche/cxx20.hpp"

namespace seiche {

/// Integer coordinates of a plane wave G = x b1 + y b2 + z b3.
struct Miller {
  std::int32_t x = 0, y = 0, z = 0;  ///< Miller indices
  friend bool operator==(const Miller&, const Miller&) = default;
};

/// Number of grid points along x, y and z.
struct GridShape {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t volume() const noexcept { return nx * ny * nz; }  ///< Number of points.
  friend bool operator==(const GridShape&, const GridShape&) = default;
};

/// A half-open range [low, high) of indices.
struct Range {
  std::int64_t low = 0, high = 0;
  std::int64_t size() const noexcept { return high - low; }  ///< Number of indices.
  bool empty() const noexcept { return high <= low; }        ///< Whether there are no indices.
  friend bool operator==(const Range&, const Range&) = default;
};

/// Returns one of `parts` consecutive ranges of [0, n). Sizes are equal, except that the first n % parts ranges have
/// one more index.
Range block(std::int64_t n, int parts, int part);
/// Returns the part that contains `index`, for the ranges of block().
int block_owner(std::int64_t n, int parts, std::int64_t index);

/// Returns one of the consecutive ranges of [0, n) whose sizes are proportional to `weights`, up to rounding.
Range weighted_block(std::int64_t n, std::span<const int> weights, std::size_t part);

/// A box of grid points: a half-open range along each axis (0 = x).
struct Box {
  std::array<Range, 3> axis;  ///< ranges along x, y and z
  /// Returns the number of points along an axis.
  std::int64_t size(int a) const noexcept { return axis[static_cast<std::size_t>(a)].size(); }
  /// Returns the number of points.
  std::int64_t volume() const noexcept { return empty() ? 0 : size(0) * size(1) * size(2); }
  /// Tells whether there are no points.
  bool empty() const noexcept { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
  friend bool operator==(const Box&, const Box&) = default;
};

/// Returns the box of all points of a grid.
Box whole(const GridShape& shape);
/// Returns the box of the points in both boxes.
Box intersect(const Box& a, const Box& b);

/// A non-owning strided view of grid values. Strides count elements.
template <class T>
struct View {
  T* data = nullptr;                     ///< first value
  std::array<std::int64_t, 3> shape{};   ///< number of values along x, y and z
  std::array<std::int64_t, 3> stride{};  ///< distance of neighbouring values along x, y and z
  /// Returns the value at (x, y, z), relative to the first point of the view.
  T& operator()(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return data[x * stride[0] + y * stride[1] + z * stride[2]];
  }
  /// Returns the number of values.
  std::int64_t volume() const noexcept { return shape[0] * shape[1] * shape[2]; }
  /// Returns the shape (ldx, ldy, nz) of the array that contains the values and their padding. The array is A(ldx, ldy,
  /// nz) in Fortran and [nz][ldy][ldx] in C.
  /// \pre stride[0] is 1, and stride[2] is a multiple of stride[1], as for fields, callbacks and dense arrays
  std::array<std::int64_t, 3> padded_shape() const noexcept {
    return {stride[1], stride[1] == 0 ? 0 : stride[2] / stride[1], shape[2]};
  }
};

/// Returns a view of values without padding, x fastest.
template <class T>
View<T> dense_view(T* data, const Box& box) {
  return {data, {box.size(0), box.size(1), box.size(2)}, {1, box.size(0), box.size(0) * box.size(1)}};
}

/// Distributes waves over ranks in whole sticks (waves of equal x and y) with nearly equal numbers of waves. The
/// longest stick comes first; each stick is given to the rank with the fewest waves. The same list gives the same
/// result on all ranks.
/// \return the owner of each wave, in the order of `waves`
std::vector<int> balanced_owners(std::span<const Miller> waves, int ranks);

/// Tells whether a half sphere contains G rather than -G: x > 0, or x = 0 and y > 0, or x = y = 0 and z >= 0.
constexpr bool in_half(const Miller& g) { return g.x > 0 || (g.x == 0 && (g.y > 0 || (g.y == 0 && g.z >= 0))); }

/// The axis along which a code halves a sphere. Of G and -G it stores the wave with the positive index along x (see
/// in_half()) or along z.
enum class HalfAxis : int { x, z };

/// Returns the waves G with |k + G|^2 / 2 <= cutoff (hartree), in x, y, z order (z fastest). `b` has the reciprocal
/// lattice vectors as rows (bohr^-1), and k is in units of them. With `half`, only waves with in_half() are returned.
std::vector<Miller> sphere_of_waves(const std::array<std::array<double, 3>, 3>& b, const std::array<double, 3>& k,
                                    double cutoff, bool half = false);

}  // namespace seiche
