// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution of grid values (potentials, densities) between the caller's boxes and the boxes of a plan.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Exchanges between the caller's boxes and a plan's, which are cached for later calls with the same boxes. Values are
/// double or std::complex<double>, of one field or several, [field][z][y][x].
class CallersBoxes {
 public:
  /// Collective. Copies `values` on the caller's boxes to `here` on the plan's boxes. Each band group receives all
  /// values.
  template <class T>
  void spread(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here);
  /// Collective. Sums `here` over band groups and adds it to `values`.
  template <class T>
  void collect(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values);
  /// Collective. Frees the exchanges. The next call creates them again.
  void close() { kept_.clear(); }

 private:
  /// Exchange whose source is in the callers' boxes and whose target is in the boxes of one band group.
  struct Passage {
    Route route;
    std::unique_ptr<Exchange> exchange;
  };
  /// This rank's box, and the exchanges for values of one size, one per band group.
  struct Passages {
    Box box;
    std::vector<Passage> of_groups;
  };
  /// Arguments of a call on this rank: the box, the sizes of both arrays, and the bytes of a value.
  struct Given {
    Box box;
    std::size_t values, here, element;
  };

  std::int64_t fields_of(const SpherePlan& plan, const Given& given);
  static Passages passages(const SpherePlan& plan, const Given& given);
  template <class Array, class Move>
  static void each_patch(Passage& passage, Array* values, const Move& move);

  std::map<std::size_t, Passages> kept_;  // key: bytes of a value
};

}  // namespace seiche
