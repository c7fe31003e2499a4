// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where the orbitals of a plan are on the grid.
#pragma once

#include "comm/communicator_body.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Orbitals with equal places have the same points of the grid on each rank.
struct OrbitalPlace {
  Communicator comm;
  GridShape shape;
  Box box;
  BandGroups band_groups;
  int components;
  Space space;

  bool operator==(const OrbitalPlace& other) const {
    return &body_of(comm) == &body_of(other.comm) && shape == other.shape && box == other.box &&
           band_groups.count == other.band_groups.count && components == other.components && space == other.space;
  }
};

inline OrbitalPlace place_of(const SpherePlan& plan) {
  return {plan.comm, plan.shape, plan.box, plan.band_groups, plan.options.components, plan.queue.space()};
}

}  // namespace seiche
