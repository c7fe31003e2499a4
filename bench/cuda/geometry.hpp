// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "device/sphere_kernels.hpp"

namespace seiche::bench {

/// A sphere in the library's order of sticks: x ascends, and y and z ascend with negative ones last.
struct Geometry {
  DeviceSphere sphere;
  std::vector<int> places;  ///< point of each wave

  Geometry(int n, int reach, bool single) {
    sphere.nx = sphere.ny = sphere.nz = sphere.planes = n;
    sphere.single = single;
    const auto span = [reach](int a, int b) {
      return static_cast<int>(std::sqrt(double(reach * reach - a * a - b * b)) + 1e-9);
    };
    const auto wrap = [n](int g) { return g < 0 ? g + n : g; };
    for (int x = -reach; x <= reach; ++x) {
      const int most = span(x, 0), count = 2 * most + 1;
      const auto first = static_cast<std::int32_t>(sphere.sticks.size());
      sphere.columns.push_back({x, static_cast<std::int32_t>(sphere.places.size()), most, most});
      for (int y = -most; y <= most; ++y) sphere.places.push_back({first + (y < 0 ? y + count : y), 0});
      for (int i = 0; i < count; ++i) {
        const int y = i > most ? i - count : i, top = span(x, y), length = 2 * top + 1;
        const auto base = static_cast<std::int32_t>(places.size());
        sphere.sticks.push_back({static_cast<std::int32_t>(sphere.waves.size()), top, top});
        for (int z = -top; z <= top; ++z)
          sphere.waves.push_back(DeviceSphere::flags * (base + (z < 0 ? z + length : z)));
        for (int k = 0; k < length; ++k) places.push_back((wrap(k > top ? k - length : k) * n + wrap(y)) * n + wrap(x));
      }
    }
    sphere.pitch = (static_cast<std::int32_t>(sphere.sticks.size()) + 7) / 8 * 8;
    for (auto& place : sphere.places) place.pitch = sphere.pitch;
  }
};

}  // namespace seiche::bench
