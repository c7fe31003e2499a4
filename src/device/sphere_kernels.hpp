// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of sphere FFTs on a device. The library describes a sphere by lists and calls these kernels. A module
/// loaded at run time implements them.
///
/// Data paths: coefficients -> 1D FFTs along z -> sticks [z][stick] -> 1D FFTs along y and x of each plane -> a
/// function on the grid, and back. Several ranks exchange sticks between the two steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace seiche {

class DeviceStream;

/// Sphere of plane waves, as one rank sees it. All indices count elements.
struct DeviceSphere {
  /// Waves with equal x and y. The wave at z is waves[first + z + below] for -below <= z <= above. z is not wrapped.
  struct Stick {
    std::int32_t first = 0, below = 0, above = -1;
  };
  /// Sticks with equal x. The stick at y is places[first + y + below] for -below <= y <= above. x and y are not
  /// wrapped. x is not negative in half spheres.
  struct Column {
    std::int32_t x = 0, first = 0, below = 0, above = -1;
  };
  /// Value of a stick on plane z (from 0, relative to this rank's first plane): offset + z * pitch. offset < 0: no
  /// stick.
  struct Place {
    std::int32_t offset = -1, pitch = 0;
  };
  static constexpr std::int32_t no_wave = -1;
  static constexpr std::int32_t conjugate = 1;  ///< the stick contains the complex conjugate of the coefficient
  static constexpr std::int32_t mirror = 2;     ///< second image of a wave of a half sphere; it is not read back
  static constexpr std::int32_t flags = 4;      ///< waves[] contains flags * (index of the coefficient) + flags set

  std::int32_t nx = 0, ny = 0, nz = 0;
  std::int32_t planes = 0;          ///< number of this rank's planes
  bool half = false;                ///< one wave of each pair G, -G is given; grid values are real
  bool single = false;              ///< float instead of double
  std::vector<Stick> sticks;        ///< this rank's sticks; stick s has the values s + z * pitch, 0 <= z < nz
  std::int32_t pitch = 0;           ///< at least sticks.size()
  std::vector<std::int32_t> waves;  ///< see Stick
  std::vector<Column> columns;      ///< ascending x; the sticks of all ranks
  std::vector<Place> places;        ///< see Column
};

/// Function on the grid.
enum class PlaneWork {
  potential,         ///< multiplies by one real potential
  spinor_potential,  ///< multiplies pairs of components by v + b.sigma; four fields
  density,           ///< adds weight * |psi|^2
  magnetization,     ///< adds weight * (n, mx, my, mz) of pairs of components; four fields
  to_grid,           ///< stores the grid values
  from_grid          ///< transforms stored grid values
};

/// Arrays of a kernel for planes. Rows are components of bands: row = band * components + component. Pairs of
/// components are neighbouring rows.
struct PlaneArrays {
  std::span<const void* const> in;  ///< sticks of each row; unused by from_grid
  std::span<void* const> out;       ///< sticks of each row, may be equal to `in`; unused by density and to_grid
  std::span<void* const> grid;      ///< to_grid, from_grid: values of each row [z][y][x]
  const void* potential = nullptr;  ///< [field][z][y][x], of the real type of the plan
  double* density = nullptr;        ///< [field][z][y][x]
  std::span<const double> weights;  ///< density: of each row; host memory
};

/// Kernels of one sphere. All functions only start work on the stream: device arrays must live until it is complete.
/// The spans themselves may be freed when the function returns.
class SphereKernels {
 public:
  virtual ~SphereKernels() = default;
  /// Transforms coefficients of each row along z, from frequencies to the grid, without scale.
  virtual void z_to_planes(DeviceStream& stream, std::span<const void* const> coefficients,
                           std::span<void* const> sticks) = 0;
  /// Transforms planes along y and x, applies the function, and transforms back.
  virtual void planes(DeviceStream& stream, PlaneWork work, const PlaneArrays& arrays) = 0;
  /// Transforms sticks of each row along z to coefficients, and multiplies by 1 / (nx ny nz). `adds`: adds them to the
  /// stored coefficients.
  virtual void z_from_planes(DeviceStream& stream, std::span<const void* const> sticks,
                             std::span<void* const> coefficients, bool adds) = 0;
  virtual const char* method() const = 0;  ///< "fused", "five kernels" or "cuFFT"
  virtual std::int64_t bytes() const = 0;  ///< device memory of tables and work arrays
  virtual int favourite_rows() const = 0;  ///< rows of one call with the least time per row
};

}  // namespace seiche
