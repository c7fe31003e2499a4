// SPDX-License-Identifier: BSD-3-Clause
/// \file  Spheres for tests of kernels, divided over simulated ranks that use one device.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "device/sphere_kernels.hpp"
#include "support/oracle.hpp"

namespace seiche::testing {

struct Wave {
  std::int32_t x, y, z;
};

/// Order of coefficients. Ordered ones are complete, and ascend along z within sticks. wrapped: z < 0 and y < 0 are
/// last.
enum class Order { shuffled, ascending, wrapped };

struct SphereCase {
  GridShape shape;
  double radius;  ///< waves with |G| / n < radius on each axis; 1 fills the box
  bool half = false, single = false;
  int ranks = 1;
  Order order = Order::shuffled;
};

/// One rank's part of a sphere.
struct Share {
  DeviceSphere sphere;
  std::int32_t first_plane = 0;
  std::vector<std::size_t> waves;              ///< index of the wave of each coefficient
  std::vector<std::int32_t> offsets, pitches;  ///< sticks of each rank in an array of planes
  std::int32_t plane_array = 0;                ///< size of that array
  std::int32_t stick_count() const { return static_cast<std::int32_t>(sphere.sticks.size()); }
};

/// Waves of a case in random order. Some waves inside of the sphere are missing, and a whole stick. Of a half sphere,
/// either G or -G is given.
inline std::vector<Wave> waves_of(const SphereCase& c) {
  std::mt19937 random(7);
  std::vector<Wave> waves;
  const auto nx = static_cast<std::int32_t>(c.shape.nx), ny = static_cast<std::int32_t>(c.shape.ny),
             nz = static_cast<std::int32_t>(c.shape.nz);
  const auto inside = [&](double x, double y, double z) {
    const double a = x / nx, b = y / ny, d = z / nz;
    return c.radius >= 1 || a * a + b * b + d * d < c.radius * c.radius;
  };
  for (std::int32_t x = c.half ? 0 : -((nx - 1) / 2); x <= (c.half ? (nx - 1) / 2 : nx / 2); ++x) {
    for (std::int32_t y = -((ny - 1) / 2); y <= (c.half ? (ny - 1) / 2 : ny / 2); ++y) {
      for (std::int32_t z = -((nz - 1) / 2); z <= (c.half ? (nz - 1) / 2 : nz / 2); ++z) {
        const bool first_of_pair = x > 0 || (x == 0 && (y > 0 || (y == 0 && z >= 0)));
        if (!inside(x, y, z) || (c.half && !first_of_pair)) continue;
        if (c.order == Order::shuffled && (random() % 16 == 0 || x * y == 1)) continue;
        const std::int32_t sign = c.half && c.order == Order::shuffled && random() % 2 == 0 ? -1 : 1;
        waves.push_back({sign * x, sign * y, sign * z});
      }
    }
  }
  if (c.order == Order::shuffled) std::shuffle(waves.begin(), waves.end(), random);
  const auto key = [](const Wave& w) { return std::tuple(w.x, w.y < 0, w.y, w.z < 0, w.z); };
  if (c.order == Order::wrapped)
    std::ranges::sort(waves, [&](const Wave& a, const Wave& b) { return key(a) < key(b); });
  return waves;
}

using Point = std::pair<std::int32_t, std::int32_t>;  // x, y of a stick

/// Image of a wave in a stick: z, and waves[] without the index of the coefficient.
struct Image {
  Point stick;
  std::int32_t z, flags;
};

inline std::vector<Image> images_of(const Wave& w, bool half) {
  if (!half) return {{{w.x, w.y}, w.z, 0}};
  const Image same{{w.x, w.y}, w.z, 0};
  const Image opposite{{-w.x, -w.y}, -w.z, DeviceSphere::conjugate};
  if (w.x > 0 || (w.x == 0 && w.y == 0 && w.z == 0)) return {same};
  if (w.x < 0) return {opposite};
  return {same, {opposite.stick, opposite.z, DeviceSphere::conjugate + DeviceSphere::mirror}};
}

/// The last of several ranks has no sticks. Sticks that contain images of the same wave have the same owner. Ordered
/// spheres have whole columns.
inline int owner_of(const Point& stick, const SphereCase& c) {
  if (c.ranks > 1 && c.order != Order::shuffled) return (stick.first + 1000) % (c.ranks - 1);
  const std::int32_t y = c.half && stick.first == 0 ? std::abs(stick.second) : stick.second;
  return c.ranks == 1 ? 0 : static_cast<int>((7 * stick.first + 3 * y + 1000) % (c.ranks - 1));
}

/// Planes are distributed unevenly; the first rank may have none.
inline std::int32_t first_plane_of(const SphereCase& c, int rank) {
  return static_cast<std::int32_t>(c.shape.nz * rank * rank / (c.ranks * c.ranks));
}

/// Adds the sticks of a rank. Returns the local number of each stick.
inline std::map<Point, std::int32_t> add_sticks(const SphereCase& c, const std::vector<Wave>& waves, int rank,
                                                Share& share) {
  std::map<Point, std::map<std::int32_t, std::int32_t>> sticks;  // by z
  for (std::size_t w = 0; w < waves.size(); ++w) {
    bool mine = false;
    for (const Image& image : images_of(waves[w], c.half)) {
      if (owner_of(image.stick, c) != rank) continue;
      sticks[image.stick][image.z] = DeviceSphere::flags * static_cast<std::int32_t>(share.waves.size()) + image.flags;
      mine = true;
    }
    if (mine) share.waves.push_back(w);
  }
  std::map<Point, std::int32_t> numbers;
  DeviceSphere& sphere = share.sphere;
  std::vector<Point> points;
  for (const auto& [point, line] : sticks) points.push_back(point);
  const auto key = [](const Point& p) { return std::tuple(p.first, p.second < 0, p.second); };
  if (c.order == Order::wrapped)
    std::ranges::sort(points, [&](const Point& a, const Point& b) { return key(a) < key(b); });
  for (const Point& point : points) {
    const auto& line = sticks[point];
    numbers[point] = share.stick_count();
    const std::int32_t low = line.begin()->first, high = line.rbegin()->first;
    sphere.sticks.push_back({static_cast<std::int32_t>(sphere.waves.size()), -low, high});
    for (std::int32_t z = low; z <= high; ++z)
      sphere.waves.push_back(line.contains(z) ? line.at(z) : DeviceSphere::no_wave);
  }
  sphere.pitch = share.stick_count() + 3;
  return numbers;
}

/// Adds the columns of all ranks' sticks.
inline void add_columns(const SphereCase& c, const std::vector<std::map<Point, std::int32_t>>& numbers, Share& share) {
  std::map<std::int32_t, std::map<std::int32_t, DeviceSphere::Place>> columns;
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    for (const auto& [point, number] : numbers[r])
      columns[point.first][point.second] = {share.offsets[r] + number, share.pitches[r]};
  }
  DeviceSphere& sphere = share.sphere;
  for (const auto& [x, line] : columns) {
    const std::int32_t low = line.begin()->first, high = line.rbegin()->first;
    sphere.columns.push_back({x, static_cast<std::int32_t>(sphere.places.size()), -low, high});
    for (std::int32_t y = low; y <= high; ++y)
      sphere.places.push_back(line.contains(y) ? line.at(y) : DeviceSphere::Place{});
  }
  sphere.nx = static_cast<std::int32_t>(c.shape.nx);
  sphere.ny = static_cast<std::int32_t>(c.shape.ny);
  sphere.nz = static_cast<std::int32_t>(c.shape.nz);
  sphere.half = c.half;
  sphere.single = c.single;
}

/// Returns the parts of all ranks.
inline std::vector<Share> shares_of(const SphereCase& c, const std::vector<Wave>& waves) {
  std::vector<Share> shares(static_cast<std::size_t>(c.ranks));
  std::vector<std::map<Point, std::int32_t>> numbers;
  for (int r = 0; r < c.ranks; ++r) numbers.push_back(add_sticks(c, waves, r, shares[static_cast<std::size_t>(r)]));
  for (int r = 0; r < c.ranks; ++r) {
    Share& share = shares[static_cast<std::size_t>(r)];
    share.first_plane = first_plane_of(c, r);
    share.sphere.planes = first_plane_of(c, r + 1) - share.first_plane;
    for (const Share& source : shares) {  // a block of each rank
      share.offsets.push_back(share.plane_array);
      share.pitches.push_back(source.stick_count() + 1);
      share.plane_array += share.pitches.back() * share.sphere.planes;
    }
    add_columns(c, numbers, share);
  }
  return shares;
}

}  // namespace seiche::testing
