// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computing steps of a sphere's transform on a device. Kernels work on all bands of a batch.
#pragma once

#include <array>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "fft/sphere/device_kernels.hpp"
#include "fft/sphere/row_lines.hpp"
#include "fft/sphere/sphere_staging.hpp"
#include "fft/sphere/sphere_steps.hpp"

namespace seiche {

template <class Value>
class SphereDeviceSteps final : public SphereSteps {
 public:
  using Complex = typename ComplexOf<Value>::type;

  SphereDeviceSteps(const SpherePlan& plan, const DeviceKernels& kernels, const SphereSlots& slots,
                    const SphereCall<Value>& call)
      : plan_(plan), kernels_(kernels), slots_(slots), call_(call), staging_(plan, call, kernels.waves_at_sticks()) {}

  void open(Flow flow, GivenBy by) override { staging_.open(flow, by); }

  Event pack_waves(std::int64_t item, int slot) override {
    staging_.copy_in(item, slot);
    each_routed_row(item, [&](int group, int i, int c) {
      stream().pack_waves(staging_.in(item, slot, group, c, i), leaving(slot, group, i, c), kernels_.leaving(),
                          kernels_.leaving_count(), single());
    });
    return plan_.queue.record();
  }
  Event unpack_waves(std::int64_t item, int slot) override {
    staging_.copy_sums_in(item, slot);
    each_routed_row(item, [&](int group, int i, int c) {
      stream().unpack_waves(leaving(slot, group, i, c), staging_.out(item, slot, group, c, i), kernels_.leaving(),
                            kernels_.leaving_count(), single(), call_.adds(item));
    });
    return staging_.copy_out(item, slot, plan_.queue.record());
  }

  Event z_to_planes(std::int64_t item, int slot) override {
    if (!routed()) staging_.copy_in(item, slot);
    std::vector<const void*> coefficients;
    each_row(item, [&](int i, int c) { coefficients.push_back(at_sticks(item, slot, i, c)); });
    kernels_.sphere().z_to_planes(stream(), coefficients, sticks(item, slot));
    return plan_.queue.record();
  }
  Event z_from_planes(std::int64_t item, int slot) override {
    if (!routed()) staging_.copy_sums_in(item, slot);
    std::vector<void*> coefficients;
    each_row(item, [&](int i, int c) {
      coefficients.push_back(routed() ? arrived(slot, i, c) : staging_.out(item, slot, plan_.my_group, c, i));
    });
    const std::vector<void*> from = sticks(item, slot);
    kernels_.sphere().z_from_planes(stream(), {from.begin(), from.end()}, coefficients, !routed() && call_.adds(item));
    const Event done = plan_.queue.record();
    return routed() ? done : staging_.copy_out(item, slot, done);
  }
  Event keep_factors(std::int64_t item, int slot) override {
    if (!call_.my_band(item)) return {};
    if (!routed()) staging_.copy_in(item, slot);
    return plan_.queue.copy(at_sticks(item, slot, 0, 0), call_.function.factors,
                            static_cast<std::size_t>(kernels_.waves_at_sticks()) * sizeof(Complex));
  }
  Event multiply(std::int64_t item, int slot) override {
    const std::vector<void*> lines = sticks(item, slot);
    const std::int64_t waves = kernels_.waves_at_sticks();
    std::vector<void*> rows;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      rows.push_back(staging_.on_sticks(slot) + static_cast<std::int64_t>(i) * waves);
    }
    kernels_.sphere().z_from_planes(stream(), {lines.begin(), lines.end()}, rows, false);
    stream().multiply_waves(staging_.on_sticks(slot), call_.function.factors, waves,
                            static_cast<std::int32_t>(rows.size()));
    kernels_.sphere().z_to_planes(stream(), {rows.begin(), rows.end()}, lines);
    return plan_.queue.record();
  }

  Event fill(std::int64_t item, int slot) override {
    const std::vector<void*> grid = stored(item, slot, true);
    if (grid.empty()) return {};
    (*call_.function.fill_rows)(call_.band_in_run(item), std::ssize(grid), grid[0]);
    return planes(item, slot, PlaneWork::from_grid, grid);
  }
  Event tell_stored(std::int64_t item, int) override {
    call_.tell_stored(item);
    return {};
  }
  Event on_grid(std::int64_t item, int slot) override {
    const Flow flow = call_.flow();
    const GivenBy by = calls_function(flow) ? call_.function.by : GivenBy::library;
    if (by == GivenBy::user) return function_on_host(item, slot);
    if (by == GivenBy::user_on_device || flow == Flow::convolution) return function_on_device(item, slot);
    if (flow == Flow::forward) staging_.copy_values_in(item, slot);
    const Event done = planes(item, slot, work(), stored(item, slot, false));
    return flow == Flow::backward ? staging_.copy_values_out(item, slot, done) : done;
  }
  Event values_to_host(std::int64_t item, int slot) override {
    planes(item, slot, PlaneWork::to_grid, stored(item, slot, true));
    return staging_.values_to_host(slot);
  }

 private:
  const SphereExchanges& at(int slot, int component) const { return slots_.at(slot, component); }
  int components() const { return slots_.components(); }
  DeviceStream& stream() const { return plan_.queue.stream(); }
  bool routed() const { return plan_.map.routed; }
  bool single() const { return plan_.kind.element == sizeof(std::complex<float>); }

  /// The last part of on_grid(), after values_to_host(): calls the callback with the values on the host. If the flow
  /// returns to coefficients, copies the values to the device and transforms them.
  Event function_on_host(std::int64_t item, int slot) const {
    call_on_host(item, slot);
    if (!goes_to_waves(call_.flow())) return {};
    staging_.values_from_host(slot);
    return planes(item, slot, PlaneWork::from_grid, stored(item, slot, true));
  }
  /// 1D FFTs to the grid, then a function that starts kernels. If the flow returns to coefficients, transforms the
  /// values after these kernels.
  Event function_on_device(std::int64_t item, int slot) const {
    const std::vector<void*> grid = stored(item, slot, true);
    if (grid.empty()) return {};
    planes(item, slot, PlaneWork::to_grid, grid);
    if (call_.flow() == Flow::convolution) {
      (*call_.function.take_rows)(call_.band_in_run(item), std::ssize(grid), grid[0]);
    } else {
      call_on_device(item, slot, std::ssize(grid) / components());
    }
    return goes_to_waves(call_.flow()) ? planes(item, slot, PlaneWork::from_grid, grid) : plan_.queue.record();
  }
  /// Calls visit(i, component) for the bands of this rank's group in an item.
  template <class Visit>
  void each_row(std::int64_t item, const Visit& visit) const {
    call_.each_band_of(plan_.my_group, item, [&](int i, std::int64_t) {
      for (int c = 0; c < components(); ++c) visit(i, c);
    });
  }
  /// Calls visit(group, i, component) for the bands of all groups in an item.
  template <class Visit>
  void each_routed_row(std::int64_t item, const Visit& visit) const {
    call_.each_band(item, [&](int group, int i, std::int64_t) {
      for (int c = 0; c < components(); ++c) visit(group, i, c);
    });
  }

  /// Returns the values of a band that this rank sends to a group. The exchange has [i][group][value].
  Complex* leaving(int slot, int group, int i, int component) const {
    return source_of<Complex>(at(slot, component).to_sticks) +
           (std::int64_t{i} * plan_.band_groups.count + group) * kernels_.leaving_count();
  }
  Complex* arrived(int slot, int i, int component) const {
    return target_of<Complex>(at(slot, component).to_sticks) + i * kernels_.arriving_size();
  }
  /// Returns the coefficients of a band at their sticks.
  const Complex* at_sticks(std::int64_t item, int slot, int i, int component) const {
    return routed() ? arrived(slot, i, component) : staging_.in(item, slot, plan_.my_group, component, i);
  }
  std::vector<void*> sticks(std::int64_t item, int slot) const {
    std::vector<void*> all;
    each_row(item, [&](int i, int c) {
      all.push_back(source_of<Complex>(at(slot, c).to_planes) + i * kernels_.sticks_size());
    });
    return all;
  }
  /// Returns the stored grid values of all rows. `of_slot`: in memory of the slot, instead of the caller's grid.
  std::vector<void*> stored(std::int64_t item, int slot, bool of_slot) const {
    std::vector<void*> grid;
    if (!of_slot && call_.flow() != Flow::backward && call_.flow() != Flow::forward) return grid;
    each_row(item, [&](int i, int c) {
      grid.push_back(of_slot ? staging_.slot_plane(slot, c, 0, i) : staging_.plane(item, slot, c, 0, i));
    });
    return grid;
  }

  /// Calls the callback of the user for each plane of the host copy.
  void call_on_host(std::int64_t item, int slot) const {
    const Box& mine = plan_.box;
    const std::int64_t nx = mine.size(0), ny = mine.size(1);
    call_.each_band_of(plan_.my_group, item, [&](int i, std::int64_t) {
      const auto one = [&](std::int64_t z, int) {
        std::array<View<Value>, most_components> views;
        for (int c = 0; c < components(); ++c) {
          views[static_cast<std::size_t>(c)] = {staging_.host_plane(slot, c, z, i), {nx, ny, 1}, {1, nx, nx * ny}};
        }
        const std::span<const View<Value>> all(views.data(), static_cast<std::size_t>(components()));
        call_.call_function(item, i, z, {0, ny}, all);
      };
      for_tiles(mine.size(2), plan_.options.threads, one, [&] { call_.poll(); });
    });
  }
  /// Calls the callback of the user that starts kernels, for `count` bands of a slot.
  void call_on_device(std::int64_t item, int slot, std::int64_t count) const {
    const auto paused = call_.while_called();
    if (plan_.box.empty()) return;
    (*call_.function.starts)({.first = call_.band_in_run(item),
                              .count = count,
                              .step = plan_.band_groups.count,
                              .box = plan_.box,
                              .components = components(),
                              .values = staging_.slot_plane(slot, 0, 0, 0),
                              .stream = reinterpret_cast<std::intptr_t>(stream().handle())});
  }
  PlaneWork work() const {
    if (call_.flow() == Flow::backward) return PlaneWork::to_grid;
    return call_.flow() == Flow::forward ? PlaneWork::from_grid : call_.function.work;
  }
  Event planes(std::int64_t item, int slot, PlaneWork work, const std::vector<void*>& grid) const {
    std::vector<void*> values;
    std::vector<double> weights;
    const GridFunction<Value>& function = call_.function;
    each_row(item, [&](int i, int c) {
      const std::int64_t band = call_.band_in_run(item, i);
      if (function.weights && function.weights[band] == 0) return;  // its values may be invalid
      if (function.weights) weights.push_back(function.weights[band]);
      values.push_back(target_of<Complex>(at(slot, c).to_planes) + i * kernels_.planes_size());
    });
    kernels_.sphere().planes(stream(), work,
                             {.in = {values.begin(), values.end()},
                              .out = values,
                              .grid = grid,
                              .potential = function.potential,
                              .density = function.density,
                              .weights = weights});
    return plan_.queue.record();
  }

  const SpherePlan& plan_;
  const DeviceKernels& kernels_;
  const SphereSlots& slots_;
  const SphereCall<Value>& call_;
  SphereStaging<Value> staging_;
};

}  // namespace seiche
