// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computing steps of a sphere's transform by functions of the host. Items have one band of each group.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fft/sphere/sphere_lines.hpp"
#include "fft/sphere/sphere_steps.hpp"

namespace seiche {

template <class Value>
class SphereHostSteps final : public SphereSteps {
 public:
  using Complex = typename ComplexOf<Value>::type;

  SphereHostSteps(const SpherePlan& plan, SphereLines<Value>& lines, const SphereSlots& slots,
                  const SphereCall<Value>& call)
      : plan_(plan), lines_(lines), slots_(slots), call_(call) {}

  Event pack_waves(std::int64_t item, int slot) override {
    for (int c = 0; c < components(); ++c) {
      Complex* leaving = source_of<Complex>(at(slot, c).to_sticks);
      call_.each_band(item, [&](int, int, std::int64_t band) {
        const Complex* coefficients = call_.in(item, band, c);
        for (const Placed& placed : plan_.map.leaving) {
          *leaving++ = conjugate_if(placed.conjugate, coefficients[placed.wave]);
        }
      });
    }
    return {};
  }
  Event unpack_waves(std::int64_t item, int slot) override {
    const bool adds = call_.adds(item);
    for (int c = 0; c < components(); ++c) {
      const Complex* returned = source_of<Complex>(at(slot, c).to_sticks);
      call_.each_band(item, [&](int, int, std::int64_t band) {
        Complex* coefficients = call_.out(item, band, c);
        for (const Placed& placed : plan_.map.leaving) {
          const Complex value = conjugate_if(placed.conjugate, *returned++);
          if (!placed.mirror) put(value, coefficients[placed.wave], adds);
        }
      });
    }
    return {};
  }

  Event z_to_planes(std::int64_t item, int slot) override {
    const auto band = call_.my_band(item);
    for (int c = 0; band && c < components(); ++c) {
      lines_.z.to_source(at_sticks(item, slot, *band, c), source_of<Complex>(at(slot, c).to_planes), between());
    }
    return {};
  }
  Event z_from_planes(std::int64_t item, int slot) override {
    const auto band = call_.my_band(item);
    const bool routed = plan_.map.routed, adds = !routed && call_.adds(item);
    for (int c = 0; band && c < components(); ++c) {
      Complex* values = routed ? target_of<Complex>(at(slot, c).to_sticks) : call_.out(item, *band, c);
      lines_.z.from_source(source_of<Complex>(at(slot, c).to_planes), values, adds, between());
    }
    return {};
  }
  Event keep_factors(std::int64_t item, int slot) override {
    if (const auto band = call_.my_band(item)) {
      lines_.z.place_factors(at_sticks(item, slot, *band, 0), call_.function.factors);
    }
    return {};
  }
  Event multiply(std::int64_t item, int slot) override {
    if (call_.my_band(item)) {
      lines_.z.multiply(source_of<Complex>(at(slot, 0).to_planes), call_.function.factors, between());
    }
    return {};
  }

  Event columns_to_rows(std::int64_t item, int slot) override {
    each_column(item, [&](std::int64_t z, int c) {
      lines_.y.to_plane(*at(slot, c).to_planes, z, source_of<Complex>(at(slot, c).to_rows) + z * lines_.y.memory());
    });
    return {};
  }
  Event columns_from_rows(std::int64_t item, int slot) override {
    each_column(item, [&](std::int64_t z, int c) {
      lines_.y.from_plane(source_of<Complex>(at(slot, c).to_rows) + z * lines_.y.memory(), *at(slot, c).to_planes, z);
    });
    return {};
  }
  Event on_grid(std::int64_t item, int slot) override { return transform_planes(item, slot, call_.flow()); }
  Event fill(std::int64_t item, int slot) override { return transform_planes(item, slot, Flow::forward); }
  void plane_to_grid(const PlaneOfItem& plane, void* values) override {
    transform({plane, Flow::backward, static_cast<Value*>(values), plan_.box.size(0) * plan_.box.size(1)});
  }
  Event tell_stored(std::int64_t item, int) override {
    call_.tell_stored(item);
    return {};
  }

 private:
  struct Plane : PlaneOfItem {
    Flow flow;                       ///< transforms of this plane
    Value* stored = nullptr;         ///< stored values of the first component
    std::int64_t component = 0;      ///< distance of stored components
    const Value* partner = nullptr;  ///< values of the partner's band [component][y][x]
  };

  int components() const { return slots_.components(); }
  const SphereExchanges& at(int slot, int component) const { return slots_.at(slot, component); }
  /// Makes progress between tiles of work.
  auto between() const {
    return [&call = call_] { call.poll(); };
  }
  static Complex conjugate_if(bool yes, const Complex& value) { return yes ? std::conj(value) : value; }
  /// Returns the coefficients of a band at their sticks.
  const Complex* at_sticks(std::int64_t item, int slot, std::int64_t band, int component) const {
    return plan_.map.routed ? target_of<Complex>(at(slot, component).to_sticks) : call_.in(item, band, component);
  }

  /// Calls work(plane, thread) for the planes of this rank's band, if its group has one.
  template <class Work>
  void each_plane(std::int64_t item, const Work& work) const {
    if (call_.my_band(item)) for_tiles(plan_.box.size(2), plan_.options.threads, work, between());
  }
  template <class Work>
  void each_column(std::int64_t item, const Work& work) const {
    each_plane(item, [&](std::int64_t z, int) {
      for (int c = 0; c < components(); ++c) work(z, c);
    });
  }
  Event transform_planes(std::int64_t item, int slot, Flow flow) {
    const bool stores = flow == Flow::backward || (flow == Flow::forward && !begins_with_function(call_.flow()));
    each_plane(item, [=, this](std::int64_t z, int thread) {
      Plane plane{{item, slot, z, thread}, flow};
      if (stores) plane.stored = call_.my_plane(item, 0, z);
      plane.component = plan_.box.volume();
      // first, because both may be bands of one plan, with the same scratch memory
      if (call_.function.partner) plane.partner = (*call_.function.partner)(plane);
      transform(plane);
    });
    return {};
  }
  void transform(const Plane& plane) { plan_.pencil ? rows_of_plane(plane) : whole_plane(plane); }
  static bool comes(Flow flow) { return flow != Flow::forward && flow != Flow::from_partner; }

  void whole_plane(const Plane& plane) {
    auto& rows = lines_.rows[static_cast<std::size_t>(plane.thread)];
    for (int c = 0; c < components(); ++c) {
      Complex* memory = lines_.plane(plane.thread, c);
      if (comes(plane.flow)) lines_.y.to_plane(*at(plane.slot, c).to_planes, plane.z, memory);
      PlaneRows<Complex>& in_plane = rows[static_cast<std::size_t>(c)];
      if (plan_.full_planes) {
        in_plane.full = memory;
      } else {
        in_plane.parts.assign(1, {memory, lines_.y.pitch(), 0});
      }
    }
    x_lines(plane, rows);
    for (int c = 0; goes_to_waves(plane.flow) && c < components(); ++c) {
      lines_.y.from_plane(lines_.plane(plane.thread, c), *at(plane.slot, c).to_planes, plane.z);
    }
  }

  void rows_of_plane(const Plane& plane) {
    auto& rows = lines_.rows[static_cast<std::size_t>(plane.thread)];
    for (int c = 0; c < components(); ++c) {
      auto& parts = rows[static_cast<std::size_t>(c)].parts;
      parts.clear();
      for (int j = 0; j < plan_.row_comm.size(); ++j) {
        const TargetPatch target = at(plane.slot, c).to_rows->target(j);
        parts.push_back({reinterpret_cast<Complex*>(target.data) + plane.z * target.patch.stride[2],
                         target.patch.stride[1], static_cast<std::size_t>(j)});
      }
    }
    x_lines(plane, rows);
  }

  void x_lines(const Plane& plane, const std::vector<PlaneRows<Complex>>& rows) {
    for (std::int64_t tile = 0; tile < lines_.x.tiles(); ++tile) {
      if (plane.stored) {
        stored_tile(plane, tile, rows);
        continue;
      }
      const auto visit = [&](const Range& y, std::span<const View<Value>> views) { call_function(plane, y, views); };
      lines_.x.visit(tile, rows, comes(plane.flow), goes_to_waves(plane.flow), visit, plane.thread);
    }
  }
  void call_function(const Plane& plane, const Range& y, std::span<const View<Value>> views) const {
    if (plane.flow == Flow::forward) {
      return (*call_.function.fill)(call_.band_in_run(plane.item), call_.box_of_rows(plane.z, y), views);
    }
    if (!plane.partner) return call_.call_function(plane.item, 0, plane.z, y, views);
    const std::int64_t nx = plan_.box.size(0), ny = plan_.box.size(1);
    std::array<View<Value>, 2 * most_components> both;
    for (std::size_t c = 0; c < views.size(); ++c) {
      auto* const first = const_cast<Value*>(plane.partner) + (static_cast<std::int64_t>(c) * ny + y.low) * nx;
      both[c] = {first, views[c].shape, {1, nx, nx * ny}};
      both[views.size() + c] = views[c];
    }
    call_.call_function(plane.item, 0, plane.z, y, {both.data(), 2 * views.size()});
  }
  void stored_tile(const Plane& plane, std::int64_t tile, const std::vector<PlaneRows<Complex>>& rows) {
    for (int c = 0; c < components(); ++c) {
      Value* values = plane.stored + c * plane.component;
      const PlaneRows<Complex>& in_plane = rows[static_cast<std::size_t>(c)];
      if (plane.flow == Flow::backward) {
        lines_.x.backward(tile, in_plane, values, plane.thread);
      } else {
        lines_.x.from_grid(tile, values, in_plane, plane.thread);
      }
    }
  }

  const SpherePlan& plan_;
  SphereLines<Value>& lines_;
  const SphereSlots& slots_;
  const SphereCall<Value>& call_;
};

}  // namespace seiche
