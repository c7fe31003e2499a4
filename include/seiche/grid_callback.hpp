// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions of the caller on the grid, which SphereFft calls for each band.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "seiche/layout.hpp"

namespace seiche {

/// Bands on the grid in memory of a device, for a function that starts kernels.
template <class Value>
struct DeviceBands {
  std::int64_t first = 0;   ///< number of the first band, from 0
  std::int64_t count = 0;   ///< number of bands
  std::int64_t step = 1;    ///< distance of their numbers: FftReport::band_groups
  Box box{};                ///< this rank's part of the grid: SphereFft::grid_box()
  int components = 1;       ///< number of components of a band
  Value* values = nullptr;  ///< values in device memory, [count][components][z][y][x], without padding
  /// With Space::cuda: handle of the stream in which the function starts its kernels (a cudaStream_t as integer).
  std::int64_t stream = 0;
};

/// A function on the grid, for SphereFft. Any function with the parameters of one of three types converts to it.
template <class Value>
class GridCallback {
 public:
  /// Receives a part (`box`) of a band with one component, and may change the values. Rows along x are contiguous
  /// (stride 1). Several threads may call it at the same time for different parts.
  using RealSpace = std::function<void(std::int64_t band, const Box& box, View<Value> values)>;
  /// Receives all components of a part of a band together. Otherwise as RealSpace.
  using SpinorSpace = std::function<void(std::int64_t band, const Box& box, std::span<const View<Value>> components)>;
  /// Receives some bands at a time in memory of a device. It is called on the host, starts kernels in the given stream,
  /// and returns without waiting for them. The kernels may change the values. A rank without grid points is not called.
  using OnDevice = std::function<void(const DeviceBands<Value>& bands)>;
  using Any = std::variant<RealSpace, SpinorSpace, OnDevice>;  ///< One of the three.

  /// Local. Functions with unspecified types of parameters (`auto`) are RealSpace.
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, GridCallback> &&
           (std::is_invocable_v<Function&, std::int64_t, const Box&, View<Value>> ||
            std::is_invocable_v<Function&, std::int64_t, const Box&, std::span<const View<Value>>> ||
            std::is_invocable_v<Function&, const DeviceBands<Value>&>)) GridCallback(Function&& function)
      : any_(as_one_of_three(std::forward<Function>(function))) {}
  const Any& any() const { return any_; }  ///< Local. Returns the function.

 private:
  template <class Function>
  static Any as_one_of_three(Function&& function) {
    if constexpr (std::is_invocable_v<Function&, std::int64_t, const Box&, View<Value>>) {
      return RealSpace(std::forward<Function>(function));
    } else if constexpr (std::is_invocable_v<Function&, std::int64_t, const Box&, std::span<const View<Value>>>) {
      return SpinorSpace(std::forward<Function>(function));
    } else {
      return OnDevice(std::forward<Function>(function));
    }
  }
  Any any_;
};

}  // namespace seiche
