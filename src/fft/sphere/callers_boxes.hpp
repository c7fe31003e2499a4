// SPDX-License-Identifier: BSD-3-Clause
/// \file  Values of the grid, potentials and densities, between the boxes that a caller's code has of it and those of a
/// plan.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// The exchanges between callers' boxes and a plan's. They are kept for later calls with the same boxes. Values are
/// double or std::complex<double>, of one field or of several, one after another.
class CallersBoxes {
 public:
  /// Collective. Copies `values` on the caller's box of each rank to `here` on the plan's, in every band group.
  template <class T>
  void spread(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here);
  /// Collective. Adds to `values` what all band groups have in `here`.
  template <class T>
  void collect(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values);
  /// Collective. Frees the exchanges; the next call makes them again.
  void close() { kept_.clear(); }

 private:
  /// Between the callers' boxes, its source, and the boxes of one band group, its target.
  struct Passage {
    Route route;
    std::unique_ptr<Exchange> exchange;
  };
  /// Of values of one size: this rank's box, and a passage for each band group.
  struct Passages {
    Box box;
    std::vector<Passage> of_groups;
  };
  /// What a call was given on this rank.
  struct Given {
    Box box;
    std::size_t values, here, element;
  };

  std::int64_t fields_of(const SpherePlan& plan, const Given& given);
  static Passages passages(const SpherePlan& plan, const Given& given);
  template <class Array, class Move>
  static void each_patch(Passage& passage, Array* values, const Move& move);

  std::map<std::size_t, Passages> kept_;  // by bytes of a value
};

}  // namespace seiche
