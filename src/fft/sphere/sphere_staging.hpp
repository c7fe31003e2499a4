// SPDX-License-Identifier: BSD-3-Clause
/// \file  Device copies of the caller's coefficients and grid values, for bands in flight.
#pragma once

#include <vector>

#include "comm/agree.hpp"
#include "fft/sphere/sphere_call.hpp"
#include "space/memory.hpp"

namespace seiche {

/// Location of the caller's data for kernels. Kernels use the caller's arrays without copies if they can access them.
/// Otherwise each slot has copies on the device. `i` is the number of a band in its batch.
template <class Value>
class SphereStaging {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// `waves_at_sticks`: number of coefficients of a band at their sticks.
  SphereStaging(const SpherePlan& plan, const SphereCall<Value>& call, std::int64_t waves_at_sticks)
      : plan_(plan),
        call_(call),
        bytes_on_sticks_(static_cast<std::size_t>(plan.band_groups.batch * waves_at_sticks) * sizeof(Complex)) {}

  /// Collective. Allocates the memory that a flow needs. `by`: who provides the function on the grid.
  void open(Flow flow, GivenBy by) {
    const bool convolves = flow == Flow::convolution;
    const bool for_user = by != GivenBy::library && calls_function(flow);
    const bool stores = flow == Flow::backward || flow == Flow::forward || begins_with_function(flow) || for_user;
    together(plan_.comm, [&] {
      slots_.resize(static_cast<std::size_t>(plan_.options.policy.window));
      for (OfSlot& slot : slots_) {
        make(slot.coefficients, plan_.bytes_of_coefficients(), plan_.queue.space());
        if (stores) make(slot.values, bytes_of_batch(), plan_.queue.space());
        if (for_user && by == GivenBy::user) make(slot.host_values, bytes_of_batch(), Space::host);
        if (convolves) make(slot.on_sticks, bytes_on_sticks_, plan_.queue.space());
      }
    });
  }

  /// Returns the coefficients of a band that a group transforms in an item.
  const Complex* in(std::int64_t item, int slot, int group, int component, int i = 0) const {
    return call_.batch_of(item).reaches_in ? call_.in(item, *call_.band_of(item, group, i), component)
                                           : row(slot, group, component, i);
  }
  Complex* out(std::int64_t item, int slot, int group, int component, int i = 0) const {
    return call_.batch_of(item).reaches_out ? call_.out(item, *call_.band_of(item, group, i), component)
                                            : row(slot, group, component, i);
  }
  /// Copies coefficients to the device.
  void copy_in(std::int64_t item, int slot) const {
    if (call_.batch_of(item).reaches_in) return;
    each_row(item, slot, [&](std::int64_t band, int component, Complex* here) {
      plan_.queue.copy(call_.in(item, band, component), here, bytes_of_row());
    });
  }
  /// If results are added: copies the coefficients to which they are added to the device.
  void copy_sums_in(std::int64_t item, int slot) const {
    if (!call_.adds(item) || call_.batch_of(item).reaches_out) return;
    each_row(item, slot, [&](std::int64_t band, int component, Complex* here) {
      plan_.queue.copy(call_.out(item, band, component), here, bytes_of_row());
    });
  }
  /// Copies results to the caller's array. `done`: event of the results. Returns the event after which the caller has
  /// them.
  Event copy_out(std::int64_t item, int slot, Event done) const {
    if (call_.batch_of(item).reaches_out) return done;
    each_row(item, slot, [&](std::int64_t band, int component, const Complex* here) {
      done = plan_.queue.copy(here, call_.out(item, band, component), bytes_of_row());
    });
    return done;
  }

  /// Returns this rank's values of a plane, from the caller's grid or from memory of the slot.
  Value* plane(std::int64_t item, int slot, int component, std::int64_t z, int i = 0) const {
    return call_.batch_of(item).reaches_grid ? call_.my_plane(item, component, z, i)
                                             : slot_plane(slot, component, z, i);
  }
  Value* slot_plane(int slot, int component, std::int64_t z, int i) const {
    return in_box(at(slot).values, component, z, i);
  }
  /// Returns memory for the coefficients of a batch at their sticks. \pre Flow::convolution
  Complex* on_sticks(int slot) const { return reinterpret_cast<Complex*>(at(slot).on_sticks.data()); }
  void copy_values_in(std::int64_t item, int slot) const {
    if (call_.batch_of(item).reaches_grid) return;
    plan_.queue.copy(call_.my_plane(item, 0, 0), at(slot).values.data(), bytes_of_my_bands(item));
  }
  Event copy_values_out(std::int64_t item, int slot, const Event& done) const {
    if (call_.batch_of(item).reaches_grid) return done;
    return plan_.queue.copy(at(slot).values.data(), call_.my_plane(item, 0, 0), bytes_of_my_bands(item));
  }
  /// Returns a plane of the host copy for callbacks. \pre values are on a device
  Value* host_plane(int slot, int component, std::int64_t z, int i) const {
    return in_box(at(slot).host_values, component, z, i);
  }
  Event values_to_host(int slot) const {
    return plan_.queue.copy(at(slot).values.data(), at(slot).host_values.data(), bytes_of_batch());
  }
  void values_from_host(int slot) const {
    plan_.queue.copy(at(slot).host_values.data(), at(slot).values.data(), bytes_of_batch());
  }

 private:
  struct OfSlot {
    Memory coefficients, values, host_values, on_sticks;
  };
  static void make(Memory& memory, std::size_t bytes, Space space) {
    if (memory.data() == nullptr) memory = Memory(bytes, Fresh::zero, space);
  }
  const OfSlot& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  std::size_t bytes_of_row() const { return static_cast<std::size_t>(plan_.waves) * sizeof(Complex); }

  std::size_t bytes_of_batch() const {
    return plan_.bytes_of_values() * static_cast<std::size_t>(plan_.band_groups.batch);
  }
  /// Returns the bytes of the grid values of the bands that this rank's group has in an item.
  std::size_t bytes_of_my_bands(std::int64_t item) const {
    std::size_t bytes = 0;
    call_.each_band_of(plan_.my_group, item, [&](int, std::int64_t) { bytes += plan_.bytes_of_values(); });
    return bytes;
  }

  /// Returns a row of coefficients on the device. If values are not routed, there are only the bands of this rank's
  /// group.
  Complex* row(int slot, int group, int component, int i) const {
    const std::int64_t band = (plan_.map.routed ? group : 0) * plan_.band_groups.batch + i;
    return reinterpret_cast<Complex*>(at(slot).coefficients.data()) +
           (band * plan_.options.components + component) * plan_.waves;
  }
  Value* in_box(const Memory& memory, int component, std::int64_t z, int i) const {
    return reinterpret_cast<Value*>(memory.data()) + i * plan_.values() + component * plan_.box.volume() +
           z * plan_.box.size(0) * plan_.box.size(1);
  }
  /// Calls visit(band, component, row on the device) for the bands of an item whose coefficients this rank handles.
  template <class Visit>
  void each_row(std::int64_t item, int slot, const Visit& visit) const {
    call_.each_band(item, [&](int group, int i, std::int64_t band) {
      for (int c = 0; c < plan_.options.components; ++c) visit(band, c, row(slot, group, c, i));
    });
  }

  const SpherePlan& plan_;
  const SphereCall<Value>& call_;
  std::size_t bytes_on_sticks_;
  std::vector<OfSlot> slots_;
};

}  // namespace seiche
