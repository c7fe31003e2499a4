// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of a sphere's transform: coefficients -> (ranks of their sticks) -> 1D FFTs along z -> planes
/// -> 1D FFTs along y and x, and back. Slabs have one exchange after the 1D FFTs along z. Their 1D FFTs along y and x
/// run while a plane is in cache. Pencils have a second exchange between the two. Items of the pipeline are bundles of
/// one band for each band group. From its sticks on, a band stays in its group.
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "fft/sphere/sphere_call.hpp"
#include "fft/sphere/sphere_lines.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

/// Data that the stages of a pipeline use. Pipelines share the scratch memory of the 1D FFTs, which contains no data
/// between tiles.
template <class Value>
struct SphereSite {
  const SpherePlan& plan;
  SphereLines<Value>* lines;  ///< null on devices
  const SphereCall<Value>& call;
  const std::vector<SphereExchanges>& slots;  // [slot][component]
  Pipeline& pipeline;
};

/// Base class of the stages on both sides of the exchange to planes.
template <class Value>
class SphereStage {
 public:
  using Complex = typename ComplexOf<Value>::type;
  explicit SphereStage(const SphereSite<Value>& site) : site_(site) {}

 protected:
  const SpherePlan& plan() const { return site_.plan; }
  SphereLines<Value>& lines() const { return *site_.lines; }
  const SphereCall<Value>& call() const { return site_.call; }
  Flow flow() const { return call().flow(); }
  int components() const { return site_.plan.options.components; }
  const SphereExchanges& at(int slot, int component) const {
    return site_.slots[static_cast<std::size_t>(slot * components() + component)];
  }
  static Complex* source(const std::unique_ptr<Exchange>& exchange) {
    return reinterpret_cast<Complex*>(exchange->source());
  }
  /// Makes progress between tiles of work on the host.
  auto between() const {
    return [pipeline = &site_.pipeline] { pipeline->poll(); };
  }
  /// Exchanges after the last stage on the grid.
  auto leaves_grid() const {
    return posted([this](const SphereExchanges& exchange, PostedExchanges& all) {
      leave_grid(exchange, goes_to_waves(flow()) ? Payload::values : Payload::release, all);
      if (!plan().pencil && exchange.to_sticks && goes_to_waves(flow())) {
        all.add({exchange.to_sticks.get(), Toward::target, Payload::release});
      }
    });
  }
  /// Starts the exchange from the grid.
  void leave_grid(const SphereExchanges& exchange, Payload payload, PostedExchanges& all) const {
    all.add({(plan().pencil ? exchange.to_rows : exchange.to_planes).get(), Toward::source, payload});
  }
  /// Calls the function on the grid for rows of a plane. `z`: relative to this rank's first plane.
  void call_function(std::int64_t item, int i, std::int64_t z, const Range& rows,
                     std::span<const View<Value>> views) const {
    const std::int64_t band = band_in_run(item, i);
    const Box box = box_of_rows(z, rows);
    const auto paused = while_called();
    if (call().function.together) return (*call().function.together)(band, box, views);
    for (const View<Value>& values : views) (*call().function.each)(band, box, values);
  }
  /// Returns the band that this rank's group transforms in an item on the host, relative to its batch, or none.
  std::optional<std::int64_t> my_band(std::int64_t item) const { return call().band_of(item, plan().my_group); }
  /// Returns the number of this rank's band `i` of an item, from the beginning of the run.
  std::int64_t band_in_run(std::int64_t item, int i) const {
    return call().batch_of(item).first_band + call().my_band(item, i);
  }
  Box box_of_rows(std::int64_t z, const Range& rows) const {
    const Box& mine = plan().box;
    const std::int64_t y = mine.axis[1].low, above = mine.axis[2].low + z;
    return {{mine.axis[0], Range{y + rows.low, y + rows.high}, Range{above, above + 1}}};
  }
  /// Pauses the progress thread during a callback of the user, which may call MPI.
  auto while_called() const {
    return call().function.by == GivenBy::library ? std::shared_lock<std::shared_mutex>()
                                                  : site_.pipeline.pause_thread();
  }
  /// Returns the exchanges of all components, one component after another.
  template <class Add>
  auto posted(Add add) const {
    return [this, add](std::int64_t, int slot) {
      PostedExchanges all;
      for (int c = 0; c < components(); ++c) add(at(slot, c), all);
      return all;
    };
  }

 private:
  SphereSite<Value> site_;
};

/// Stages between the caller's coefficients and the source of the exchange to planes, on the host. In the last bundle a
/// group may have no band. Then it does no work, and the values that it exchanges are not used.
template <class Value>
class StickStages : public SphereStage<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using SphereStage<Value>::SphereStage;

  /// If values are routed: sends coefficients to the ranks of their sticks.
  Stage send() const {
    return {[this](std::int64_t item, int slot) {
              for (int c = 0; c < components(); ++c) leave(item, slot, c);
            },
            posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_sticks.get(), Toward::target, Payload::values});
            })};
  }
  /// 1D FFTs along z, then the exchange to planes.
  Stage lines_to_planes() const {
    return {[this](std::int64_t item, int slot) {
              const auto band = my_band(item);
              for (int c = 0; band && c < components(); ++c) {
                const Complex* values = routed() ? arrived(slot, c) : call().in(item, *band, c);
                lines().z.to_source(values, source(at(slot, c).to_planes), between());
              }
            },
            posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::target, Payload::values});
              if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::release});
            })};
  }
  /// 1D FFTs along z after the exchange from planes. If values are routed, they are sent back.
  Stage lines_from_planes() const {
    return {[this](std::int64_t item, int slot) {
              const auto band = my_band(item);
              for (int c = 0; band && c < components(); ++c) {
                Complex* values = routed() ? arrived(slot, c) : call().out(item, *band, c);
                const bool adds = !routed() && call().adds(item);
                lines().z.from_source(source(at(slot, c).to_planes), values, adds, between());
              }
            },
            posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
              if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::values});
            })};
  }
  /// Last stage of keep_factors.
  Stage keep_factors() const {
    return {[this](std::int64_t item, int slot) {
              const auto band = my_band(item);
              if (!band) return;
              lines().z.place_factors(routed() ? arrived(slot, 0) : call().in(item, *band, 0), call().function.factors);
            },
            posted([routed = routed()](const SphereExchanges& exchange, PostedExchanges& all) {
              if (routed) all.add({exchange.to_sticks.get(), Toward::source, Payload::release});
            })};
  }
  /// Convolutions: 1D FFTs along z to coefficients, times factors, and back.
  Stage multiply() const {
    return {[this](std::int64_t item, int slot) {
              if (my_band(item)) {
                lines().z.multiply(source(at(slot, 0).to_planes), call().function.factors, between());
              }
            },
            posted([](const SphereExchanges& exchange, PostedExchanges& all) {
              all.add({exchange.to_planes.get(), Toward::target, Payload::values});
            })};
  }
  /// If values are routed: stores the coefficients that have returned.
  Stage take_back() const {
    return {[this](std::int64_t item, int slot) {
              for (int c = 0; c < components(); ++c) come_back(item, slot, c);
            },
            nullptr};
  }

 private:
  using SphereStage<Value>::plan;
  using SphereStage<Value>::lines;
  using SphereStage<Value>::call;
  using SphereStage<Value>::components;
  using SphereStage<Value>::at;
  using SphereStage<Value>::source;
  using SphereStage<Value>::between;
  using SphereStage<Value>::my_band;
  using SphereStage<Value>::posted;

  bool routed() const { return plan().map.routed; }
  /// Returns the values of this rank's sticks that have arrived. They are contiguous, in the order of their source
  /// ranks.
  Complex* arrived(int slot, int component) const {
    return reinterpret_cast<Complex*>(at(slot, component).to_sticks->target(0).data);
  }
  static Complex conjugate_if(bool yes, const Complex& value) { return yes ? std::conj(value) : value; }

  void leave(std::int64_t item, int slot, int component) const {
    Complex* leaving = source(at(slot, component).to_sticks);
    call().each_band(item, [&](int, int, std::int64_t band) {
      const Complex* coefficients = call().in(item, band, component);
      for (const Placed& placed : plan().map.leaving) {
        *leaving++ = conjugate_if(placed.conjugate, coefficients[placed.wave]);
      }
    });
  }
  void come_back(std::int64_t item, int slot, int component) const {
    const Complex* returned = source(at(slot, component).to_sticks);
    const bool adds = call().adds(item);
    call().each_band(item, [&](int, int, std::int64_t band) {
      Complex* coefficients = call().out(item, band, component);
      for (const Placed& placed : plan().map.leaving) {
        const Complex value = conjugate_if(placed.conjugate, *returned++);
        if (!placed.mirror) put(value, coefficients[placed.wave], adds);
      }
    });
  }
};

}  // namespace seiche
