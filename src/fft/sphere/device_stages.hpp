// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of a sphere's transform on a device. They correspond to StickStages and PlaneStages. Kernels
/// work on all bands of a batch.
#pragma once

#include <vector>

#include "fft/sphere/device_kernels.hpp"
#include "fft/sphere/sphere_stages.hpp"
#include "fft/sphere/sphere_staging.hpp"

namespace seiche {

template <class Value>
class DeviceStages : public SphereStage<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;
  DeviceStages(const SphereSite<Value>& site, const SphereStaging<Value>& staging, const DeviceKernels* kernels)
      : SphereStage<Value>(site), staging_(staging), kernels_(kernels) {}

  /// If values are routed: sends coefficients to the ranks of their sticks.
  Stage send() const {
    return {[this](std::int64_t item, int slot) {
              staging().bring_in(item, slot);
              each_routed_row(item, [&](int group, int i, int c) {
                queue().stream().pack_waves(staging().in(item, slot, group, c, i), leaving(slot, group, i, c),
                                            kernels_->leaving(), kernels_->leaving_count(), single());
              });
              return queue().record();
            },
            posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_sticks.get(), Toward::target, Payload::values});
            })};
  }
  /// 1D FFTs along z, then the exchange to planes.
  Stage lines_to_planes() const {
    return {
        [this](std::int64_t item, int slot) {
          if (!routed()) staging().bring_in(item, slot);
          std::vector<const void*> coefficients;
          each_row(item, [&](int i, int c) {
            coefficients.push_back(routed() ? arrived(slot, i, c) : staging().in(item, slot, plan().my_group, c, i));
          });
          kernels_->sphere().z_to_planes(queue().stream(), coefficients, sticks(item, slot));
          return queue().record();
        },
        posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
          all.add({exchange.to_planes.get(), Toward::target, Payload::values});
          if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::release});
        })};
  }
  /// First stage of forward transforms. Transfers the memory of the exchanges to their targets, without values.
  Stage open() const {
    return {nullptr, posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::target, Payload::release});
            })};
  }
  /// Returns the stages on the grid. `by`: who provides the function on the grid.
  std::vector<Stage> on_grid(GivenBy by) const {
    if (by == GivenBy::user) return {values_to_host(), function_on_host()};
    return {by == GivenBy::user_on_device ? function_on_device() : grid()};
  }
  /// 1D FFTs along z after the exchange from planes. If values are routed, they are sent back.
  Stage lines_from_planes() const {
    return {
        [this](std::int64_t item, int slot) {
          if (!routed()) staging().bring_sums(item, slot);
          std::vector<void*> coefficients;
          each_row(item, [&](int i, int c) {
            coefficients.push_back(routed() ? arrived(slot, i, c) : staging().out(item, slot, plan().my_group, c, i));
          });
          const std::vector<void*> from = sticks(item, slot);
          kernels_->sphere().z_from_planes(queue().stream(), {from.begin(), from.end()}, coefficients,
                                           !routed() && call().adds(item));
          const Event done = queue().record();
          return routed() ? done : staging().take_out(item, slot, done);
        },
        posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
          if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::values});
        })};
  }
  /// Last stage of keep_factors.
  Stage keep_factors() const {
    return {[this](std::int64_t item, int slot) {
              if (!call().band_of(item, plan().my_group)) return Event();
              if (!routed()) staging().bring_in(item, slot);
              const Complex* values = routed() ? arrived(slot, 0, 0) : staging().in(item, slot, plan().my_group, 0);
              return queue().copy(values, call().function.on_device.factors,
                                  static_cast<std::size_t>(kernels_->waves_at_sticks()) * sizeof(Complex));
            },
            posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
              if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::release});
            })};
  }
  /// Convolutions: sets the values on the grid, and starts to transform them.
  Stage fill() const {
    return {[this](std::int64_t item, int slot) {
              const std::vector<void*> grid = stored(item, slot, true);
              if (grid.empty()) return Event();
              (*call().function.on_device.fill)(band_in_run(item, 0), std::ssize(grid), grid[0]);
              return planes(item, slot, PlaneWork::from_grid, grid);
            },
            posted([this](const SphereExchanges& exchange, PostedExchanges& all) {
              leave_grid(exchange, Payload::values, all);
            })};
  }
  /// Convolutions: 1D FFTs along z to coefficients, times the real parts of factors, and back.
  Stage multiply() const {
    return {[this](std::int64_t item, int slot) {
              const std::vector<void*> lines = sticks(item, slot);
              const std::int64_t waves = kernels_->waves_at_sticks();
              std::vector<void*> rows;
              for (std::size_t i = 0; i < lines.size(); ++i) {
                rows.push_back(staging().on_sticks(slot) + static_cast<std::int64_t>(i) * waves);
              }
              DeviceStream& stream = queue().stream();
              kernels_->sphere().z_from_planes(stream, {lines.begin(), lines.end()}, rows, false);
              stream.multiply_waves(staging().on_sticks(slot), call().function.on_device.factors, waves,
                                    static_cast<std::int32_t>(rows.size()));
              kernels_->sphere().z_to_planes(stream, {rows.begin(), rows.end()}, lines);
              return queue().record();
            },
            posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::target, Payload::values});
            })};
  }
  /// Last stage of convolutions: 1D FFTs to the grid, and the function.
  Stage take() const {
    return {[this](std::int64_t item, int slot) {
              const std::vector<void*> grid = stored(item, slot, true);
              if (grid.empty()) return Event();
              planes(item, slot, PlaneWork::to_grid, grid);
              (*call().function.on_device.take)(band_in_run(item, 0), std::ssize(grid), grid[0]);
              return queue().record();
            },
            leaves_grid()};
  }
  /// If values are routed: stores the coefficients that have returned.
  Stage take_back() const {
    return {[this](std::int64_t item, int slot) {
              staging().bring_sums(item, slot);
              each_routed_row(item, [&](int group, int i, int c) {
                queue().stream().unpack_waves(leaving(slot, group, i, c), staging().out(item, slot, group, c, i),
                                              kernels_->leaving(), kernels_->leaving_count(), single(),
                                              call().adds(item));
              });
              return staging().take_out(item, slot, queue().record());
            },
            nullptr};
  }

 private:
  using SphereStage<Value>::plan;
  using SphereStage<Value>::call;
  using SphereStage<Value>::flow;
  using SphereStage<Value>::components;
  using SphereStage<Value>::at;
  using SphereStage<Value>::source;
  using SphereStage<Value>::posted;
  using SphereStage<Value>::leaves_grid;
  using SphereStage<Value>::leave_grid;
  using SphereStage<Value>::band_in_run;
  using SphereStage<Value>::between;
  using SphereStage<Value>::call_function;
  using SphereStage<Value>::while_called;

  const SphereStaging<Value>& staging() const { return staging_; }
  const Queue& queue() const { return plan().queue; }
  bool routed() const { return plan().map.routed; }
  bool single() const { return plan().kind.element == sizeof(std::complex<float>); }

  /// 1D FFTs along y and x with a function of the library, or with stored grid values.
  Stage grid() const {
    return {[this](std::int64_t item, int slot) {
              if (flow() == Flow::forward) staging().bring_values(item, slot);
              const Event done = planes(item, slot, work(), stored(item, slot, false));
              return flow() == Flow::backward ? staging().take_values(item, slot, done) : done;
            },
            leaves_grid()};
  }
  /// 1D FFTs to the grid, then a copy of the values to the host for a callback. function_on_host() is the next stage.
  Stage values_to_host() const {
    return {[this](std::int64_t item, int slot) {
              planes(item, slot, PlaneWork::to_grid, stored(item, slot, true));
              return staging().values_to_host(slot);
            },
            nullptr};
  }
  /// Calls the callback with the values on the host. If the flow returns to coefficients, copies the values to the
  /// device and transforms them.
  Stage function_on_host() const {
    return {[this](std::int64_t item, int slot) {
              call_on_host(item, slot);
              if (!goes_to_waves(flow())) return Event();
              staging().values_from_host(slot);
              return planes(item, slot, PlaneWork::from_grid, stored(item, slot, true));
            },
            leaves_grid()};
  }
  /// 1D FFTs to the grid, then a callback that starts kernels. If the flow returns to coefficients, transforms the
  /// values after these kernels.
  Stage function_on_device() const {
    return {[this](std::int64_t item, int slot) {
              const std::vector<void*> grid = stored(item, slot, true);
              if (grid.empty()) return Event();
              planes(item, slot, PlaneWork::to_grid, grid);
              const auto stream = reinterpret_cast<std::intptr_t>(queue().stream().handle());
              {
                const auto paused = while_called();
                call_on_device(item, slot, std::ssize(grid) / components(), stream);
              }
              return goes_to_waves(flow()) ? planes(item, slot, PlaneWork::from_grid, grid) : queue().record();
            },
            leaves_grid()};
  }
  /// Calls visit(i, component) for the bands of this rank's group in an item.
  template <class Visit>
  void each_row(std::int64_t item, const Visit& visit) const {
    call().each_band_of(plan().my_group, item, [&](int i, std::int64_t) {
      for (int c = 0; c < components(); ++c) visit(i, c);
    });
  }
  /// Calls visit(group, i, component) for the bands of all groups in an item.
  template <class Visit>
  void each_routed_row(std::int64_t item, const Visit& visit) const {
    call().each_band(item, [&](int group, int i, std::int64_t) {
      for (int c = 0; c < components(); ++c) visit(group, i, c);
    });
  }

  /// Returns the values of a band that this rank sends to a group. The exchange has [i][group][value].
  Complex* leaving(int slot, int group, int i, int component) const {
    const std::int64_t count = kernels_->leaving_count();
    return source(at(slot, component).to_sticks) + (std::int64_t{i} * plan().band_groups.count + group) * count;
  }
  Complex* arrived(int slot, int i, int component) const {
    return reinterpret_cast<Complex*>(at(slot, component).to_sticks->target(0).data) + i * kernels_->arriving_size();
  }
  std::vector<void*> sticks(std::int64_t item, int slot) const {
    std::vector<void*> all;
    each_row(item, [&](int i, int c) { all.push_back(source(at(slot, c).to_planes) + i * kernels_->sticks_size()); });
    return all;
  }
  /// Returns the stored grid values of all rows. `of_slot`: in memory of the slot, instead of the caller's grid.
  std::vector<void*> stored(std::int64_t item, int slot, bool of_slot) const {
    std::vector<void*> grid;
    if (!of_slot && flow() != Flow::backward && flow() != Flow::forward) return grid;
    each_row(item, [&](int i, int c) {
      grid.push_back(of_slot ? staging().slot_plane(slot, c, 0, i) : staging().plane(item, slot, c, 0, i));
    });
    return grid;
  }

  /// Calls the callback of the user for each plane of the host copy.
  void call_on_host(std::int64_t item, int slot) const {
    const Box& mine = plan().box;
    const std::int64_t nx = mine.size(0), ny = mine.size(1);
    call().each_band_of(plan().my_group, item, [&](int i, std::int64_t) {
      const auto one = [&](std::int64_t z, int) {
        std::array<View<Value>, most_components> views;
        for (int c = 0; c < components(); ++c) {
          views[static_cast<std::size_t>(c)] = {staging().host_plane(slot, c, z, i), {nx, ny, 1}, {1, nx, nx * ny}};
        }
        const std::span<const View<Value>> all(views.data(), static_cast<std::size_t>(components()));
        call_function(item, i, z, {0, ny}, all);
      };
      for_tiles(mine.size(2), plan().options.threads, one, between());
    });
  }
  /// Calls the callback of the user that starts kernels, for `count` bands of a slot. `stream`: handle of the stream.
  void call_on_device(std::int64_t item, int slot, std::int64_t count, std::int64_t stream) const {
    if (plan().box.empty()) return;
    (*call().function.starts)({.first = band_in_run(item, 0),
                               .count = count,
                               .step = plan().band_groups.count,
                               .box = plan().box,
                               .components = components(),
                               .values = staging().slot_plane(slot, 0, 0, 0),
                               .stream = stream});
  }
  PlaneWork work() const {
    if (flow() == Flow::backward) return PlaneWork::to_grid;
    return flow() == Flow::forward ? PlaneWork::from_grid : call().function.on_device.work;
  }
  Event planes(std::int64_t item, int slot, PlaneWork work, const std::vector<void*>& grid) const {
    std::vector<void*> values;
    std::vector<double> weights;
    const DeviceFunction& function = call().function.on_device;
    each_row(item, [&](int i, int c) {
      const std::int64_t band = call().batch_of(item).first_band + call().my_band(item, i);
      if (function.weights && function.weights[band] == 0) return;  // its values may be invalid
      if (function.weights) weights.push_back(function.weights[band]);
      values.push_back(reinterpret_cast<Complex*>(at(slot, c).to_planes->target(0).data) + i * kernels_->planes_size());
    });
    kernels_->sphere().planes(queue().stream(), work,
                              {.in = {values.begin(), values.end()},
                               .out = values,
                               .grid = grid,
                               .potential = function.potential,
                               .density = function.density,
                               .weights = weights});
    return queue().record();
  }

  const SphereStaging<Value>& staging_;
  const DeviceKernels* kernels_;
};

}  // namespace seiche
