// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operators on dense grids that are products with functions of G: Poisson's equation, derivatives, filters.
///
/// g_o(r) = sum_i sum_G F_oi(G) f_i(G) exp(i G.r), where f_i(G) are the coefficients of the inputs f_i(r). Each call is
/// one pipeline: forward, multiply, backward. The spectrum is not stored.
///
/// A wave of index n/2 along an axis with an even number n of points stands for -n/2, too. Kernels have the mean of
/// both there. So derivatives of real functions are real, and the index n/2 does not contribute to first derivatives
/// along that axis.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// Functions of G. In hartree atomic units, the Coulomb kernels give the potential of a density. Kernels for isolated
/// systems and slabs: C. A. Rozzi et al., Phys. Rev. B 73, 205119 (2006).
enum class OperatorKernel {
  coulomb,      ///< 4 pi / G^2, and 0 for G = 0: the potential of a periodic density, with the mean 0
  screened,     ///< 4 pi / (G^2 + p^2): the potential of exp(-p r) / r
  short_range,  ///< 4 pi / G^2 (1 - exp(-G^2 / 4 p^2)), and pi / p^2 for G = 0: of erfc(p r) / r
  long_range,   ///< 4 pi / G^2 exp(-G^2 / 4 p^2), and 0 for G = 0: of erf(p r) / r
  /// 4 pi / G^2 (1 - cos(p G)), and 2 pi p^2 for G = 0: of 1 / r up to the distance p. The result is that of an
  /// isolated density if p exceeds the extent of the density, and each height of the cell exceeds p plus that extent.
  isolated,
  /// For densities that are periodic along a1 and a2 only: of 1 / r up to the distance p along a3, which is
  /// perpendicular to a1 and a2. Conditions as for `isolated`, along a3.
  slab,
  gradient,    ///< i G: three outputs, along x, y and z
  divergence,  ///< i G: three inputs, along x, y and z
  laplacian    ///< -G^2
};

/// Applies an operator to fields on a dense grid. Value is that of the DenseFft.
///
/// Arrays are [field][z][y][x] of DenseFft::grid_box(), without padding. With Space::cuda, they may be in device
/// memory. The object keeps the plan's data. A call needs memory for several fields: the larger number
/// of inputs and outputs. Operators of a plan with the same numbers share it. One thread at a time may use an operator
/// and its plan (see communicator.hpp).
template <class Value>
class GridOperator {
 public:
  using Complex = typename ComplexOf<Value>::type;       ///< Type of the spectrum.
  using Lattice = std::array<std::array<double, 3>, 3>;  ///< Lattice vectors a1, a2, a3, along the axes x, y, z.

  /// Collective. Creates the operator of a kernel. `lattice` and `parameter` (p above) are equal on all ranks; their
  /// units belong together, such as bohr and 1/bohr. 0 selects a default for two kernels. It is half of the smallest
  /// height of the cell for `isolated`, and half of the length of a3 for `slab`. Kernels without p ignore it.
  /// \throws Error if the lattice does not fit the kernel, the parameter is not positive, or the plan transforms the
  /// caller's arrays
  GridOperator(const DenseFft<Value>& fft, const Lattice& lattice, OperatorKernel kernel, double parameter = 0);
  /// Collective. Creates an operator of any functions of G. `factors` are F_oi(G) for this rank's waves,
  /// [output][input][z][y][x] of DenseFft::spectrum_box(), in host memory; they are copied. For real fields, F(-G) =
  /// conj F(G).
  /// \throws Error if the number of factors does not fit, or if the plan transforms the caller's arrays
  GridOperator(const DenseFft<Value>& fft, std::int64_t inputs, std::int64_t outputs, std::span<const Complex> factors);
  ~GridOperator();
  GridOperator(GridOperator&&) noexcept;
  GridOperator& operator=(GridOperator&&) noexcept;
  void close();  ///< Local. Frees the factors. The operator cannot be used afterwards.

  /// Collective. Computes all outputs from all inputs. `grid` and `result` may be the same array, or overlap.
  /// \throws Error if the size of an array does not fit
  void apply(std::span<const Value> grid, std::span<Value> result);
  /// Collective. Starts apply(). The arrays must exist until finish().
  Pending start_apply(std::span<const Value> grid, std::span<Value> result);

  std::int64_t inputs() const;   ///< Local. Number of inputs.
  std::int64_t outputs() const;  ///< Local. Number of outputs.
  std::int64_t memory() const;   ///< Local. Bytes of the factors on this rank.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;  // started calls share it
};

extern template class GridOperator<double>;
extern template class GridOperator<float>;
extern template class GridOperator<std::complex<double>>;
extern template class GridOperator<std::complex<float>>;

}  // namespace seiche
