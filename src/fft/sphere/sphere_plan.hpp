// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plan of a transform of a sphere of plane waves: distribution over ranks, and routes between layouts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/exchange_interface.hpp"
#include "fft/sphere/sphere_routes.hpp"

namespace seiche {

/// Kind of values. The plan depends on these properties only.
struct SphereKind {
  char letter;          ///< result of letter_of()
  bool half;            ///< half sphere: one wave of each pair G, -G is given
  std::size_t element;  ///< bytes of a complex value
};

/// Exchanges of one component of a band: to the ranks of its sticks (if routed), to planes, and to rows (for pencils).
/// An exchange is null if the plan does not need it.
struct SphereExchanges {
  std::unique_ptr<Exchange> to_sticks, to_planes, to_rows;
};
/// An exchange of a plan, with the arguments that create it.
struct SphereLeg {
  std::unique_ptr<Exchange> SphereExchanges::*exchange;
  const Communicator* among;
  Route route;
  ExchangeRequest request;
};

/// Data of a plan. Transforms only read them.
struct SpherePlan {
  /// Collective. Creates a plan, and resolves automatic options.
  SpherePlan(const Communicator& all, const GridShape& grid_shape, std::span<const Miller> mine,
             const FftOptions& asked, const SphereKind& of_values);

  /// Returns the exchanges that a component needs, in the order of backward transforms.
  std::vector<SphereLeg> legs() const;
  /// Collective. Creates the exchanges of one component of a band in flight.
  SphereExchanges exchanges() const;
  std::int64_t row_length() const { return kind.half ? shape.nx / 2 + 1 : shape.nx; }
  /// Returns how many of `bands` bands this rank's group transforms.
  std::int64_t bands_here(std::int64_t bands) const { return band_groups.bands_of(my_group, bands); }
  /// Returns the number of grid values of a band on this rank, for all components.
  std::int64_t values() const { return box.volume() * options.components; }
  std::size_t bytes_of_values() const {  ///< of one band
    return static_cast<std::size_t>(values()) * (kind.half ? kind.element / 2 : kind.element);
  }
  /// Returns the number of bands whose coefficients a rank handles in one pipeline item. If values are routed, these
  /// are the bands of all groups.
  std::int64_t bands_of_coefficients() const { return band_groups.batch * (map.routed ? band_groups.count : 1); }
  std::size_t bytes_of_coefficients() const {
    const std::int64_t bands = bands_of_coefficients();
    return static_cast<std::size_t>(bands * options.components * waves) * kind.element;
  }
  /// Collective. Sets the number of bands in a batch to at most `wanted`, and fewer if memory is limited.
  void choose_batch(int wanted, std::size_t bytes_of_lines);
  /// Collective. Limits the number of items in flight to the policy's memory on all ranks. `bytes_of_lines`: memory of
  /// the 1D FFTs, which counts too. Returns the report of the plan.
  FftReport settle(std::size_t bytes_of_lines);
  /// Frees lists that only the creation of 1D FFTs needs.
  void forget_arrivals();

  Communicator comm;             // of the caller, for agreements
  Communicator ordered;          // its ranks in the order of band groups and process grids
  Communicator group, row_comm;  // this rank's band group; ranks with the same planes
  GridShape shape;
  SphereKind kind;
  std::int64_t waves;
  FftOptions options;
  std::string tuning;  // see FftReport
  Queue queue;         // queue of the memory space in the options
  BandGroups band_groups;
  int my_group = 0, me = 0;  // this rank's band group, and its rank in the group
  SphereGrid grid;           // its distribution over a band group
  bool pencil = false;
  int member = 0;  // position on the fast axis of the process grid
  Box box;
  StickMap map;
  bool full_planes = false;  // rows have full width, and 1D FFTs along x are in place

 private:
  void arrange();
  Route batched(Route route) const;
  int window_within(std::int64_t beside_bands, std::int64_t of_item) const;
  std::int64_t bytes_of_item() const;
  Route planes_route() const;
  Route rows_route() const;
};

}  // namespace seiche
