// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of SphereFft objects, and the checks of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comm/agree.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/sphere_run.hpp"

namespace seiche {

template <class Value>
struct SphereFft<Value>::Body {
  std::shared_ptr<KeptSphere<Value>> kept;
  std::int64_t number = 0;  // number of the object on the communicator
  ProgressReport spent{};   // use of time in calls of this object

  const SpherePlan& plan() const { return kept->plan(); }

  /// Returns the number of rows of coefficients, one for each component of each band. Rows may be padded.
  std::int64_t rows(std::int64_t bands) const { return bands * plan().options.components; }
  std::int64_t row_length(std::int64_t bands, std::size_t given) const {
    return bands > 0 ? static_cast<std::int64_t>(given) / rows(bands) : 0;
  }
  void require_coefficients(std::int64_t bands, std::size_t given) const {
    constexpr std::int64_t most = std::int64_t{1} << 32;  // prevents overflow of array sizes
    require(bands >= 0 && bands <= most, Fault::bad_argument, "fft: wrong number of bands ({}): pass 0 to {}", bands,
            most);
    const std::int64_t length = row_length(bands, given);
    require(given == static_cast<std::size_t>(rows(bands) * length) && (bands == 0 || length >= plan().waves),
            Fault::bad_argument,
            "fft: {} bands of {} waves and {} components need {} coefficients, or longer rows of equal length (got {})",
            bands, plan().waves, plan().options.components, rows(bands) * plan().waves, given);
  }
  void require_values(std::int64_t bands, std::size_t given) const {
    const std::int64_t all = plan().bands_here(bands) * plan().values();
    require(given == static_cast<std::size_t>(all), Fault::bad_argument,
            "fft: {} bands on {} grid points with {} components need {} values (got {})", plan().bands_here(bands),
            plan().box.volume(), plan().options.components, all, given);
  }
  /// Checks the size of a potential or density. For complex spinors it may have four components.
  void require_points(std::size_t given) const {
    const auto points = static_cast<std::size_t>(plan().box.volume());
    const bool four = given == components_of_magnetism * points && plan().options.components == 2;
    require(given == points || (four && !plan().kind.half), Fault::bad_argument,
            "fft: grid_box() of this rank has {} points: pass one value per point, or {} for complex spinors with "
            "magnetism (got {} values)",
            points, components_of_magnetism, given);
  }
  bool with_magnetism(std::size_t given) const { return given > static_cast<std::size_t>(plan().box.volume()); }
  /// Collective. Calls `checks`, and checks that `bands` is equal on all ranks.
  template <class Checks>
  void check(std::int64_t bands, const Checks& checks) const {
    kept->require_idle();
    agree_on_bands(plan().comm, bands, fault_of(checks));
  }
  /// Checks that bands have one component. `other`: the function for several components.
  void require_one_component(const char* other) const {
    require(plan().options.components == 1, Fault::bad_argument,
            "fft: bands of this plan have {} components: use {}, whose callback receives all components",
            plan().options.components, other);
  }
};

}  // namespace seiche
