// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a transform of a sphere of plane waves is on these ranks: who holds and transforms what, and the routes
/// between.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "fft/sphere/sphere_routes.hpp"

namespace seiche {

/// The kind of values, of which the plan depends on no more than this.
struct SphereKind {
  char letter;          ///< as letter_of()
  bool half;            ///< of each pair G, -G one is given
  std::size_t element;  ///< bytes of a complex value
};

/// The exchanges that one component of a band on its way goes through: to the ranks of its sticks (where waves are not
/// there already), to planes, and, for pencils, to rows.
struct SphereExchanges {
  std::unique_ptr<Exchange> to_sticks, to_planes, to_rows;
};
struct SphereLeg {
  std::unique_ptr<Exchange> SphereExchanges::*exchange;
  const Communicator* among;
  Route route;
  ExchangeRequest request;
};

/// Settled once, and only read by transforms.
struct SpherePlan {
  /// Collective.
  SpherePlan(const Communicator& all, const GridShape& grid_shape, std::span<const Miller> mine,
             const FftOptions& asked, const SphereKind& of_values);

  /// Those that a component goes through.
  std::vector<SphereLeg> legs() const;
  /// Collective.
  SphereExchanges exchanges() const;
  std::int64_t row_length() const { return kind.half ? shape.nx / 2 + 1 : shape.nx; }
  /// How many of `bands` bands this rank's group transforms.
  std::int64_t bands_here(std::int64_t bands) const { return band_groups.bands_of(my_group, bands); }
  /// Elements of this rank's part of the grid in one band.
  std::int64_t values() const { return box.volume() * options.components; }
  std::size_t bytes_of_values() const {
    return static_cast<std::size_t>(values()) * (kind.half ? kind.element / 2 : kind.element);
  }
  /// Of the coefficients with which this rank begins an item.
  std::size_t bytes_of_coefficients() const {
    const std::int64_t bands = map.routed ? band_groups.count : 1;
    return static_cast<std::size_t>(bands * options.components * waves) * kind.element;
  }
  /// Collective. Settles how many bands are in flight: as many as the policy's memory has room for on every rank.
  /// `bytes_of_lines`: what lines take beside this. \return what the plan does and costs
  FftReport settle(std::size_t bytes_of_lines);
  /// Lists that only those need who set up lines.
  void forget_arrivals();

  Communicator comm, group, row_comm;  // all ranks; those of this rank's band group; those that share its planes
  GridShape shape;
  SphereKind kind;
  std::int64_t waves;
  FftOptions options;
  Queue queue;  // of the space of the options
  BandGroups band_groups;
  int my_group = 0, me = 0;  // the band group, and this rank in it
  ProcessGrid ranks;         // the members, on the grid
  bool pencil = false;
  int member = 0;  // on the fast axis of the grid
  Box box;
  StickMap map;
  bool full_planes = false;  // planes hold rows at full width, so that x lines run in place

 private:
  void arrange();
  int window_within(std::int64_t beside_bands, std::int64_t of_band) const;
  Route planes_route() const;
  Route rows_route() const;
};

}  // namespace seiche
