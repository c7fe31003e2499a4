// SPDX-License-Identifier: BSD-3-Clause
/// \file  Index sets and who owns which part of them: boxes of a grid, waves of a sphere. Knows no MPI.
/// Every grid is indexed (x, y, z) with x fastest in memory, as Fortran's (nx,ny,nz) or NumPy's [z,y,x].
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace seiche {

/// Integer coordinates of a plane wave G = x b1 + y b2 + z b3.
struct Miller {
  std::int32_t x = 0, y = 0, z = 0;
  friend bool operator==(const Miller&, const Miller&) = default;
};

/// Points of a grid along x, y, z.
struct GridShape {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t volume() const noexcept { return nx * ny * nz; }
  friend bool operator==(const GridShape&, const GridShape&) = default;
};

/// A half-open range [low, high) of indices.
struct Range {
  std::int64_t low = 0, high = 0;
  std::int64_t size() const noexcept { return high - low; }
  bool empty() const noexcept { return high <= low; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The part-th of `parts` nearly equal consecutive ranges of [0, n): the first n % parts have one index more.
Range block(std::int64_t n, int parts, int part);
/// The part that `index` falls into by block().
int block_owner(std::int64_t n, int parts, std::int64_t index);

/// The part-th of the consecutive ranges into which [0, n) is cut, sized as nearly as can be like `weights`.
Range weighted_block(std::int64_t n, std::span<const int> weights, std::size_t part);

/// A box of grid points: a half-open range along each axis (0 = x).
struct Box {
  std::array<Range, 3> axis;
  std::int64_t size(int a) const noexcept { return axis[static_cast<std::size_t>(a)].size(); }
  std::int64_t volume() const noexcept { return empty() ? 0 : size(0) * size(1) * size(2); }
  bool empty() const noexcept { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
  friend bool operator==(const Box&, const Box&) = default;
};

/// All points of a grid.
Box whole(const GridShape& shape);
/// The points that lie in both.
Box intersect(const Box& a, const Box& b);

/// A strided window on grid values somewhere in memory; owns nothing. Strides count elements.
template <class T>
struct View {
  T* data = nullptr;
  std::array<std::int64_t, 3> shape{};
  std::array<std::int64_t, 3> stride{};
  T& operator()(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return data[x * stride[0] + y * stride[1] + z * stride[2]];
  }
  std::int64_t volume() const noexcept { return shape[0] * shape[1] * shape[2]; }
  /// The array in whose first corner the values lie, x fastest: A(ldx, ldy, nz) in Fortran, [nz][ldy][ldx] in C.
  /// \pre stride[0] is 1, and stride[2] a multiple of stride[1], as in fields, tiles and dense arrays
  std::array<std::int64_t, 3> padded_shape() const noexcept {
    return {stride[1], stride[1] == 0 ? 0 : stride[2] / stride[1], shape[2]};
  }
};

/// A view of densely stored values, x fastest.
template <class T>
View<T> dense_view(T* data, const Box& box) {
  return {data, {box.size(0), box.size(1), box.size(2)}, {1, box.size(0), box.size(0) * box.size(1)}};
}

/// The rank that should own each wave so that sticks (waves of equal x and y) stay whole and every rank gets nearly
/// the same number of waves: the longest stick first, each to the rank with the fewest waves so far.
/// Deterministic: the same list gives the same owners everywhere. \return one rank per wave, in the order given
std::vector<int> balanced_owners(std::span<const Miller> waves, int ranks);

/// Whether G is the one that half spheres keep of the pair G, -G: x > 0, or x = 0 and y > 0, or x = y = 0 and z >= 0.
constexpr bool in_half(const Miller& g) { return g.x > 0 || (g.x == 0 && (g.y > 0 || (g.y == 0 && g.z >= 0))); }

/// The axis along which a code halves a sphere. Of G and -G it keeps that with a positive index along x, as in_half()
/// says, or along z.
enum class HalfAxis : int { x, z };

/// The waves G with |k + G|^2 / 2 <= cutoff (hartree) in x, y, z order (z fastest), for reciprocal vectors `b` (rows,
/// bohr^-1) and k in units of them. With `half`, only those
/// in_half().
std::vector<Miller> sphere_of_waves(const std::array<std::array<double, 3>, 3>& b, const std::array<double, 3>& k,
                                    double cutoff, bool half = false);

}  // namespace seiche
