// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution of grid values between the caller's boxes and the boxes of a plan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fft/sphere/sphere_plan.hpp"
#include "seiche/boxes.hpp"

namespace seiche {

/// Exchanges between the caller's boxes and a plan's, which are cached for later calls with the same boxes. Fields and
/// bands are stored one after another: [field][z][y][x].
class CallersBoxes {
 public:
  /// Collective. Copies fields on the caller's boxes to `here` on the plan's boxes. Each band group receives all
  /// fields.
  template <class T>
  void spread(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here);
  /// Collective. Sums `here` over band groups and adds it to `values`.
  template <class T>
  void collect(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values);

  /// Collective. Copies grid values of bands on the caller's boxes to the plan's boxes of their groups. \pre `values`
  /// has bands * components values per point, `here` has bands_here() * components
  template <class T>
  void bands_to_plan(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here,
                     std::int64_t bands);
  /// Collective. Copies grid values of bands on the plan's boxes of their groups to the caller's boxes.
  template <class T>
  void bands_from_plan(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values,
                       std::int64_t bands);
  /// Collective. Frees the exchanges. The next call creates them again.
  void close() { kept_.reset(); }

 private:
  /// Exchanges of one box. Those for bands have one element per band group, and are created at their first use.
  struct Kept {
    Box box;
    BoxExchange of_fields;
    std::vector<BoxExchange> to_groups{}, from_groups{};
  };
  Kept& kept_for(const SpherePlan& plan, const Box& box, bool another);
  Kept& kept_for_bands(const SpherePlan& plan, const Box& box);
  std::int64_t fields_of(const SpherePlan& plan, const Box& box, std::size_t values, std::size_t here,
                         std::size_t element);

  std::optional<Kept> kept_;
};

}  // namespace seiche
