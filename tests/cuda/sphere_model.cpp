// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/sphere_model.hpp"

#include <algorithm>
#include <map>
#include <numbers>

namespace seiche::testing {

namespace {

using Value = std::complex<double>;
using Values = std::vector<Value>;

int wrapped(int g, int n) { return (g % n + n) % n; }

/// Transforms lines along one axis by sums.
void transform(Values& grid, const std::array<int, 3>& n, int axis, int sign) {
  const std::size_t length = n[axis], step = axis == 0 ? 1 : axis == 1 ? n[0] : std::size_t(n[0]) * n[1];
  Values line(length), roots(length);
  for (std::size_t k = 0; k < length; ++k) roots[k] = std::polar(1.0, sign * 2 * std::numbers::pi * double(k) / double(length));
  for (std::size_t first = 0; first < grid.size(); ++first) {
    if (first / step % length != 0) continue;
    for (std::size_t i = 0; i < length; ++i) line[i] = grid[first + i * step];
    if (std::all_of(line.begin(), line.end(), [](Value v) { return v == Value(0); })) continue;
    for (std::size_t k = 0; k < length; ++k) {
      Value sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum += line[i] * roots[i * k % length];
      grid[first + k * step] = sum;
    }
  }
}

}  // namespace

/// Entries by z: see DeviceSphere::waves.
struct SphereModel::Stick {
  int x = 0, y = 0, rank = 0, number = 0;
  std::map<int, std::int32_t> entries;
};

SphereModel::SphereModel(const SphereCase& properties) : case_(properties) {
  choose_waves();
  describe(make_sticks());
}

void SphereModel::choose_waves() {
  std::mt19937 random(7);
  const auto reach = [&](int axis) { return static_cast<int>(case_.radius[axis]); };
  for (int x = case_.half ? 0 : -reach(0); x <= reach(0); ++x) {
    for (int y = -reach(1); y <= reach(1); ++y) {
      for (int z = -reach(2); z <= reach(2); ++z) {
        const double u = x / case_.radius[0], v = y / case_.radius[1], w = z / case_.radius[2];
        if (u * u + v * v + w * w > 1) continue;
        if (case_.half && x == 0 && (y < 0 || (y == 0 && z < 0))) continue;
        if (case_.holes && (x == 2 || (x == 1 && y == 1) || random() % 7 == 0)) continue;
        waves_.push_back({x, y, z, case_.half && case_.order == WaveOrder::shuffled && random() % 2 == 0});
      }
    }
  }
  const auto key = [](const Wave& w) { return std::array{w.x, w.y < 0, w.y, w.z < 0, w.z}; };
  if (case_.order == WaveOrder::wrapped) {
    std::sort(waves_.begin(), waves_.end(), [&](const Wave& a, const Wave& b) { return key(a) < key(b); });
  }
  if (case_.order == WaveOrder::shuffled) std::shuffle(waves_.begin(), waves_.end(), random);
}

std::vector<SphereModel::Stick> SphereModel::make_sticks() const {
  std::map<std::array<int, 3>, Stick> sticks;  // by x, sign of y, y: y ascends, negative ones last
  const auto add = [&](int x, int y, int z, std::int32_t entry) {
    Stick& stick = sticks[{x, y < 0, y}];
    stick.x = x;
    stick.y = y;
    stick.entries[z] = entry;
  };
  for (std::size_t i = 0; i < waves_.size(); ++i) {
    const Wave& wave = waves_[i];
    const auto index = static_cast<std::int32_t>(i) * DeviceSphere::flags;
    const std::int32_t given = wave.conjugate ? DeviceSphere::conjugate : 0;
    add(wave.x, wave.y, wave.z, index + given);
    if (!case_.half || wave.x != 0 || (wave.y == 0 && wave.z == 0)) continue;
    add(0, -wave.y, -wave.z, index + DeviceSphere::mirror + DeviceSphere::conjugate - given);
  }
  std::vector<Stick> all;
  for (auto& [key, stick] : sticks) all.push_back(stick);
  if (case_.order == WaveOrder::shuffled) std::shuffle(all.begin(), all.end(), std::mt19937(3));
  std::vector<int> counts(case_.ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].rank = (case_.holes ? static_cast<int>(i) : all[i].x + 1000) % case_.ranks;
    all[i].number = counts[all[i].rank]++;
  }
  return all;
}

void SphereModel::describe(const std::vector<Stick>& sticks) {
  for (int rank = 0; rank < case_.ranks; ++rank) {
    DeviceSphere sphere;
    sphere.nx = case_.n[0], sphere.ny = case_.n[1], sphere.nz = case_.n[2];
    sphere.planes = first_plane(rank + 1) - first_plane(rank);
    sphere.half = case_.half;
    sphere.single = case_.single;
    for (const Stick& stick : sticks) {
      if (stick.rank != rank) continue;
      const int below = -stick.entries.begin()->first, above = stick.entries.rbegin()->first;
      sphere.sticks.push_back({static_cast<std::int32_t>(sphere.waves.size()), below, above});
      for (int z = -below; z <= above; ++z) {
        const auto found = stick.entries.find(z);
        sphere.waves.push_back(found == stick.entries.end() ? DeviceSphere::no_wave : found->second);
      }
    }
    sphere.pitch = static_cast<std::int32_t>(sphere.sticks.size()) + 3 * rank;
    ranks_.push_back(sphere);
  }
  std::map<int, std::map<int, const Stick*>> columns;
  for (const Stick& stick : sticks) columns[stick.x][stick.y] = &stick;
  for (int rank = 0; rank < case_.ranks; ++rank) {
    DeviceSphere& sphere = ranks_[rank];
    for (const auto& [x, column] : columns) {
      const int below = -column.begin()->first, above = column.rbegin()->first;
      sphere.columns.push_back({x, static_cast<std::int32_t>(sphere.places.size()), below, above});
      for (int y = -below; y <= above; ++y) {
        const auto found = column.find(y);
        DeviceSphere::Place place;
        if (found != column.end()) {
          const Stick& stick = *found->second;
          place.offset = static_cast<std::int32_t>(block(rank, stick.rank)) + stick.number;
          place.pitch = ranks_[stick.rank].pitch;
        }
        sphere.places.push_back(place);
      }
    }
  }
}

std::size_t SphereModel::block(int rank, int source) const {
  std::size_t before = 0;
  for (int r = 0; r < source; ++r) before += std::size_t(ranks_[r].pitch) * ranks_[rank].planes;
  return before;
}

Values SphereModel::coefficients(unsigned seed) const {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Values values(waves_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool zero = waves_[i].x == 0 && waves_[i].y == 0 && waves_[i].z == 0;
    values[i] = Value(number(random), case_.half && zero ? 0 : number(random));
  }
  return values;
}

Values SphereModel::to_grid(const Values& coefficients) const {
  Values grid(points());
  const auto place = [&](int x, int y, int z) -> Value& {
    const auto& n = case_.n;
    return grid[(std::size_t(wrapped(z, n[2])) * n[1] + wrapped(y, n[1])) * n[0] + wrapped(x, n[0])];
  };
  for (std::size_t i = 0; i < waves_.size(); ++i) {
    const Wave& wave = waves_[i];
    const Value value = wave.conjugate ? std::conj(coefficients[i]) : coefficients[i];
    place(wave.x, wave.y, wave.z) = value;
    if (case_.half && (wave.x != 0 || wave.y != 0 || wave.z != 0)) place(-wave.x, -wave.y, -wave.z) = std::conj(value);
  }
  for (int axis : {2, 1, 0}) transform(grid, case_.n, axis, 1);
  return grid;
}

Values SphereModel::from_grid(Values grid) const {
  for (int axis : {0, 1, 2}) transform(grid, case_.n, axis, -1);
  Values values;
  for (const Wave& wave : waves_) {
    const auto& n = case_.n;
    const Value value =
        grid[(std::size_t(wrapped(wave.z, n[2])) * n[1] + wrapped(wave.y, n[1])) * n[0] + wrapped(wave.x, n[0])];
    values.push_back((wave.conjugate ? std::conj(value) : value) / double(points()));
  }
  return values;
}

}  // namespace seiche::testing
