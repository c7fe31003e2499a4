// SPDX-License-Identifier: BSD-3-Clause
/// \file  Values of one orbital on the grid, and the choice of their phase.
#pragma once

#include <complex>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/crystal.hpp"
#include "seiche/layout.hpp"
#include "support/vector3.hpp"

namespace seiche {

/// This rank's part of one orbital, [component][point].
class OrbitalValues {
 public:
  using Complex = std::complex<double>;
  OrbitalValues(const Communicator& comm, const GridShape& grid, const Box& box)
      : comm_(comm), grid_(grid), box_(box) {}

  std::vector<Complex> values;

  /// Multiplies by exp(i k.r).
  void add_bloch_wave(const Vector3& k);
  /// Collective. Chooses the phase as described at OrbitalGridOptions.
  void fix_phase();

 private:
  template <class Use>
  void each_point(const Use& use);
  void turn(const Complex& phase);
  /// Collective. Returns the sum of of(value) over all points.
  template <class Of>
  Complex sum(const Of& of);
  /// Collective. Returns the first value whose `size` is the maximum, within a tolerance.
  template <class Size>
  Complex largest(const Size& size);

  const Communicator& comm_;
  GridShape grid_;
  Box box_;
};

}  // namespace seiche
