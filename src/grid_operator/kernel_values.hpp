// SPDX-License-Identifier: BSD-3-Clause
/// \file  Values of the kernels of operators.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "seiche/grid_operator.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// A kernel with its lattice.
class KernelValues {
 public:
  using Vector = std::array<double, 3>;
  using Lattice = std::array<Vector, 3>;

  /// \throws Error if the lattice or the parameter does not fit the kernel
  KernelValues(const Lattice& lattice, OperatorKernel kernel, double parameter);
  std::int64_t inputs() const { return kernel_ == OperatorKernel::divergence ? 3 : 1; }
  std::int64_t outputs() const { return kernel_ == OperatorKernel::gradient ? 3 : 1; }
  /// Returns the values [output][input][z][y][x] for the waves of a box.
  template <class Complex>
  std::vector<Complex> on(const Box& box, const GridShape& shape) const;

 private:
  Vector wave(const std::array<std::int64_t, 3>& index) const;
  std::complex<double> at(const Vector& g, std::int64_t component) const;
  double coulomb_of_slab(const Vector& g) const;

  OperatorKernel kernel_;
  double parameter_;
  Lattice reciprocal_;
  Vector normal_;  // direction of a3
};

}  // namespace seiche
