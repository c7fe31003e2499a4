// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/device_kernels.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "device/cuda.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Converts an index from 0 .. n-1 to the range around 0.
std::int32_t unwrapped(std::int64_t index, std::int64_t n) {
  return static_cast<std::int32_t>(2 * index > n ? index - n : index);
}

std::int32_t with_flags(std::int64_t wave, bool conjugate, bool mirror) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / DeviceSphere::flags;
  require(wave < most, Fault::unsupported, "fft: a device supports {} waves of a rank (got more): use more processes",
          most);
  return static_cast<std::int32_t>(wave * DeviceSphere::flags + (conjugate ? DeviceSphere::conjugate : 0) +
                                   (mirror ? DeviceSphere::mirror : 0));
}

/// Adds this rank's sticks and their waves.
void add_sticks(DeviceSphere& sphere, const SpherePlan& plan) {
  sphere.sticks.resize(plan.map.sticks[static_cast<std::size_t>(plan.me)].size());
  std::size_t begin = 0;
  const std::vector<Arrival>& all = plan.map.arrivals;
  for (std::size_t s = 0; s < sphere.sticks.size(); ++s) {
    DeviceSphere::Stick& stick = sphere.sticks[s];
    std::size_t end = begin;
    std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = std::numeric_limits<std::int32_t>::min();
    for (; end < all.size() && static_cast<std::size_t>(all[end].stick) == s; ++end) {
      const std::int32_t z = unwrapped(all[end].z, plan.shape.nz);
      low = std::min(low, z);
      high = std::max(high, z);
    }
    if (begin == end) continue;
    stick = {static_cast<std::int32_t>(sphere.waves.size()), -low, high};
    sphere.waves.resize(sphere.waves.size() + static_cast<std::size_t>(high - low + 1), DeviceSphere::no_wave);
    for (; begin < end; ++begin) {
      const Arrival& arrival = all[begin];
      const std::int32_t place = stick.first + unwrapped(arrival.z, plan.shape.nz) + stick.below;
      // arriving values are conjugated already, and all of them are sent back
      sphere.waves[static_cast<std::size_t>(place)] =
          with_flags(arrival.source, arrival.conjugate, arrival.mirror && !plan.map.routed);
    }
  }
}

/// Adds the columns of all ranks. `route`: route to planes.
void add_columns(DeviceSphere& sphere, const SpherePlan& plan, const std::vector<Patch>& patches) {
  std::map<std::int32_t, std::map<std::int32_t, DeviceSphere::Place>> columns;  // x, y
  for (std::size_t rank = 0; rank < plan.map.sticks.size(); ++rank) {
    const Patch& patch = patches[rank];
    std::int64_t place = patch.offset;
    for (const Stick& stick : plan.map.sticks[rank]) {
      columns[unwrapped(stick.x, plan.shape.nx)][unwrapped(stick.y, plan.shape.ny)] = {
          static_cast<std::int32_t>(place++), static_cast<std::int32_t>(patch.stride[1])};
    }
  }
  for (const auto& [x, column] : columns) {
    const std::int32_t low = column.begin()->first, high = column.rbegin()->first;
    sphere.columns.push_back({x, static_cast<std::int32_t>(sphere.places.size()), -low, high});
    sphere.places.resize(sphere.places.size() + static_cast<std::size_t>(high - low + 1));
    for (const auto& [y, place] : column) {
      sphere.places[static_cast<std::size_t>(sphere.columns.back().first + y - low)] = place;
    }
  }
}

Memory list_of(const std::vector<std::int32_t>& list, const Queue& queue) {
  const std::size_t bytes = list.size() * sizeof(list[0]);
  Memory memory(bytes, Fresh::raw, queue.space());
  queue.copy(list.data(), memory.data(), bytes).wait();
  return memory;
}

}  // namespace

DeviceKernels::DeviceKernels(const SpherePlan& plan)
    : leaving_count_(std::ssize(plan.map.leaving)), waves_at_sticks_(plan.waves) {
  const std::vector<SphereLeg> legs = plan.legs();  // first, because it communicates
  DeviceSphere sphere;
  const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  sphere.nx = narrow(plan.shape.nx);
  sphere.ny = narrow(plan.shape.ny);
  sphere.nz = narrow(plan.shape.nz);
  sphere.planes = narrow(plan.box.size(2));
  sphere.half = plan.kind.half;
  sphere.single = plan.kind.element == sizeof(std::complex<float>);
  add_sticks(sphere, plan);
  for (const SphereLeg& leg : legs) {
    if (leg.exchange == &SphereExchanges::to_sticks) waves_at_sticks_ = arriving_size_ = leg.route.target_size;
    if (leg.exchange != &SphereExchanges::to_planes) continue;
    const bool in_place = leg.request.target_memory == TargetMemory::zero_copy;
    sphere.pitch = narrow(leg.route.source[0].stride[1]);
    sticks_size_ = leg.route.source_size;
    planes_size_ = in_place ? leg.route.source_size : leg.route.target_size;
    require(planes_size_ <= std::numeric_limits<std::int32_t>::max(), Fault::unsupported,
            "fft: the sticks of a band have {} values on a rank, which are too many for a device: use more processes",
            planes_size_);
    add_columns(sphere, plan, in_place ? leg.route.source : leg.route.target);
  }
  sphere_ = cuda_device().sphere(sphere);
  std::vector<std::int32_t> list;
  for (const Placed& placed : plan.map.leaving) {
    list.push_back(with_flags(placed.wave, placed.conjugate, placed.mirror));
  }
  leaving_ = list_of(list, plan.queue);
}

Memory narrowed(const SpherePlan& plan, std::span<const double> values) {
  if (plan.queue.on_host() || plan.kind.element != sizeof(std::complex<float>)) return {};
  Memory narrow(values.size() * sizeof(float), Fresh::raw, plan.queue.space());
  plan.queue.stream().narrow(values.data(), reinterpret_cast<float*>(narrow.data()), std::ssize(values));
  return narrow;
}

}  // namespace seiche
