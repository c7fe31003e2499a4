// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of FFTs along one or two axes of arrays with any strides. A module loaded at run time implements
/// them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace seiche {

class DeviceStream;

/// Many FFTs of equal shape. Strides count elements of the array: reals at the real end of real transforms, else
/// complex numbers.
struct DeviceTransforms {
  enum class Kind {
    forward,    ///< complex, exp(-i)
    backward,   ///< complex, exp(+i)
    from_real,  ///< reals to the n/2+1 complex numbers of a line, exp(-i)
    to_real     ///< back, exp(+i); the input is lost
  };
  /// A number of points or of FFTs, and their strides in the input and in the output.
  struct Axis {
    std::int64_t count = 1, in = 0, out = 0;
    friend auto operator<=>(const Axis&, const Axis&) = default;
  };

  Kind kind = Kind::forward;
  bool single = false;          ///< float instead of double
  Axis points{};                ///< of a line; at the complex end of real transforms there are points.count / 2 + 1
  Axis second{};                ///< second axis of the FFT, which is complex; count 1: none
  std::array<Axis, 3> lines{};  ///< positions of the FFTs, along up to three directions

  std::int64_t count() const { return lines[0].count * lines[1].count * lines[2].count; }
  bool empty() const { return count() * points.count * second.count == 0; }
  friend auto operator<=>(const DeviceTransforms&, const DeviceTransforms&) = default;
};

/// Returns the inverse transforms, from the output to the input.
inline DeviceTransforms reversed(DeviceTransforms all) {
  using Kind = DeviceTransforms::Kind;
  constexpr std::array opposite{Kind::backward, Kind::forward, Kind::to_real, Kind::from_real};
  all.kind = opposite[static_cast<std::size_t>(all.kind)];
  const auto swap = [](DeviceTransforms::Axis& axis) { axis = {axis.count, axis.out, axis.in}; };
  for (auto* axis : {&all.points, &all.second, &all.lines[0], &all.lines[1], &all.lines[2]}) swap(*axis);
  return all;
}

/// FFTs without scale.
class LineKernels {
 public:
  virtual ~LineKernels() = default;
  /// Starts the transforms on a stream. Device arrays must live until they are complete. `in` and `out` may be equal if
  /// each FFT uses the same bytes in both.
  virtual void run(DeviceStream& stream, const void* in, void* out) = 0;
};

}  // namespace seiche
