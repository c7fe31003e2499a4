// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interface of the computing steps of a sphere's transform: work on one item in one slot, without
/// communication.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fft/sphere/sphere_call.hpp"
#include "space/queue.hpp"

namespace seiche {

/// Exchanges of the items in flight.
class SphereSlots {
 public:
  explicit SphereSlots(const SpherePlan& plan) : plan_(plan) {}
  /// Collective. Creates the exchanges, unless they exist.
  void open() {
    const auto all = static_cast<std::size_t>(plan_.options.policy.window * components());
    while (exchanges_.size() < all) exchanges_.push_back(plan_.exchanges());
  }
  int components() const { return plan_.options.components; }
  const SphereExchanges& at(int slot, int component) const {
    return exchanges_[static_cast<std::size_t>(slot * components() + component)];
  }

 private:
  const SpherePlan& plan_;
  std::vector<SphereExchanges> exchanges_;  // [slot][component]
};

/// Returns the first element of the source of an exchange.
template <class Complex>
Complex* source_of(const std::unique_ptr<Exchange>& exchange) {
  return reinterpret_cast<Complex*>(exchange->source());
}
/// Returns the first element of the target of an exchange.
template <class Complex>
Complex* target_of(const std::unique_ptr<Exchange>& exchange) {
  return reinterpret_cast<Complex*>(exchange->target(0).data);
}

/// Steps of the current call. They return the event of their last kernel. Coefficients at their sticks are at the
/// target of the exchange to sticks, or in the caller's array if values are not routed. In the last bundle a group may
/// have no band. Then it does no work, and the values that it exchanges are not used.
class SphereSteps {
 public:
  virtual ~SphereSteps() = default;
  /// Collective. Allocates the memory that a flow needs, unless it exists. `by`: who provides the function on the grid.
  virtual void open(Flow, GivenBy) {}

  /// If values are routed: copies coefficients to the source of the exchange to their sticks.
  virtual Event pack_waves(std::int64_t item, int slot) = 0;
  /// If values are routed: stores the coefficients that have returned.
  virtual Event unpack_waves(std::int64_t item, int slot) = 0;
  /// 1D FFTs along z of the coefficients at their sticks.
  virtual Event z_to_planes(std::int64_t item, int slot) = 0;
  virtual Event z_from_planes(std::int64_t item, int slot) = 0;
  /// Stores the coefficients at their sticks as factors of multiply().
  virtual Event keep_factors(std::int64_t item, int slot) = 0;
  /// 1D FFTs along z to coefficients, times the real parts of factors, and back.
  virtual Event multiply(std::int64_t item, int slot) = 0;
  /// Pencils: 1D FFTs along y of this rank's columns. Devices have no pencils.
  virtual Event columns_to_rows(std::int64_t, int) { return {}; }
  virtual Event columns_from_rows(std::int64_t, int) { return {}; }
  /// Flows that begin with a function: sets the values on the grid, and transforms them.
  virtual Event fill(std::int64_t item, int slot) = 0;
  /// Tells the function that the coefficients are stored.
  virtual Event tell_stored(std::int64_t item, int slot) = 0;
  /// 1D FFTs on the grid and the function, or stored grid values. Slabs: along x and y. Pencils: along x.
  virtual Event on_grid(std::int64_t item, int slot) = 0;
  /// Transforms a band to `values` [component][y][x] on a plane. Devices have no such step.
  virtual void plane_to_grid(const PlaneOfItem&, void*) {}
  /// Devices: the part of on_grid() before a callback that receives values on the host.
  virtual Event values_to_host(std::int64_t, int) { return {}; }
};

}  // namespace seiche
