// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of SphereFft objects, and the checks of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "fft/sphere/callers_rows.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/sphere_run.hpp"

namespace seiche {

/// Checks a callback of the caller. \throws Error if it is empty
template <class Function>
void require_function(const Function& function) {
  require(static_cast<bool>(function), Fault::bad_argument, "fft: the callback is empty: pass a function");
}

template <class Value>
struct SphereFft<Value>::Body : std::enable_shared_from_this<Body> {
  explicit Body(std::shared_ptr<KeptSphere<Value>> of) : kept(std::move(of)) {}
  std::shared_ptr<KeptSphere<Value>> kept;
  ProgressReport spent{};  // use of time in calls of this object

  /// Returns the implementation of a plan. \throws Error after close()
  static Body& of(const SphereFft& fft) { return fft.body(); }
  const SpherePlan& plan() const { return kept->plan(); }

  std::int64_t rows(std::int64_t bands) const { return rows_of(plan(), bands); }
  template <class Given>
  std::int64_t row_length(const Coefficients<Given>& given) const {
    return seiche::row_length(plan(), given);
  }
  void require_coefficients(std::int64_t bands, const Coefficients<const Complex>& given, const char* which) const {
    seiche::require_coefficients(plan(), bands, given, which);
  }
  void require_values(std::int64_t bands, std::span<const Value> given) const {
    const std::int64_t all = plan().bands_here(bands) * plan().values();
    require(given.size() == static_cast<std::size_t>(all), Fault::bad_argument,
            "fft: {} bands on {} grid points with {} components need {} values (got {})", plan().bands_here(bands),
            plan().box.volume(), plan().options.components, all, given.size());
    plan().queue.require_here(given.data());
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
  void require_weights(std::int64_t bands, std::span<const double> weights) const {
    require(weights.size() == static_cast<std::size_t>(bands), Fault::bad_argument,
            "fft: {} bands need one weight each (got {} weights)", bands, weights.size());
  }
  void require_in_boxes(std::int64_t bands, const Coefficients<const Complex>& coefficients, const Box& box,
                        std::size_t values) const {
    require_coefficients(bands, coefficients, "");
    const std::int64_t all = rows(bands) * box.volume();
    require(values == static_cast<std::size_t>(all), Fault::bad_argument,
            "fft: {} bands on the {} points of the caller's box with {} components need {} values (got {})", bands,
            box.volume(), plan().options.components, all, values);
  }

  /// Some bands of a call with the caller's boxes: offsets in the caller's arrays, and the number of coefficients.
  struct BatchInBoxes {
    std::int64_t bands;
    std::size_t coefficients, values;
  };
  /// Calls visit(batch) for batches of whole bundles that need about 64 MB on the grid.
  template <class Visit>
  void each_batch_in_boxes(std::int64_t bands, std::int64_t row, const Box& box, const Visit& visit) const {
    constexpr std::int64_t good_size = 64 << 20;
    const BandGroups& groups = plan().band_groups;
    const std::int64_t points = plan().shape.volume() / groups.members + 1;  // on a rank, about; equal on all
    const std::int64_t bytes = points * plan().options.components * static_cast<std::int64_t>(sizeof(Value));
    const std::int64_t most = groups.bands_of_bundle() * std::max<std::int64_t>(good_size / bytes, 1);
    for (std::int64_t first = 0; first < bands; first += most) {
      const std::int64_t count = std::min(most, bands - first);
      visit(BatchInBoxes{count, static_cast<std::size_t>(rows(first) * row),
                         static_cast<std::size_t>(rows(first) * box.volume())});
    }
  }
  /// Returns memory for the grid values of some bands.
  std::span<Value> batch_on_grid(std::int64_t bands) {
    batch_grid.resize(static_cast<std::size_t>(plan().bands_here(bands) * plan().values()));
    return batch_grid;
  }

  bool with_magnetism(std::size_t given) const { return given > static_cast<std::size_t>(plan().box.volume()); }
  /// Collective. Calls checks(arguments), and checks that all ranks make the same call with as many bands.
  template <class Checks>
  void check(const char* call, std::int64_t bands, const Checks& checks) const {
    kept->require_idle();
    together(plan().comm, call, [&](EqualArguments& same) {
      same.add("bands", bands);
      checks(same);
    });
  }
  std::vector<Value> batch_grid{};  // values of a batch with the caller's boxes

  /// Returns the user's function on the grid. `together` receives a function that calls it, if it is of one component.
  /// \throws Error if the function is empty or does not fit the plan. \pre `users` and `together` exist until the last
  /// call
  GridFunction<Value> grid_function(const char* call, const GridCallback<Value>& users,
                                    typename SphereFft<Value>::SpinorSpace& together) const {
    std::visit([](const auto& function) { require_function(function); }, users.any());
    if (const auto* starts = std::get_if<typename SphereFft<Value>::OnDevice>(&users.any())) {
      require(!plan().queue.on_host(), Fault::unsupported,
              "fft: {} with a callback on a device needs a plan on a device, but this plan is on the host: create the "
              "plan with the space 'cuda', or use a callback on the host",
              call);
      return {.starts = starts, .by = GivenBy::user_on_device};
    }
    if (const auto* all = std::get_if<typename SphereFft<Value>::SpinorSpace>(&users.any())) return {.together = all};
    require(plan().options.components == 1, Fault::bad_argument,
            "fft: bands of this plan have {} components: pass a callback that receives all components (SpinorSpace)",
            plan().options.components);
    together = of_one_component<Value>(std::get<typename SphereFft<Value>::RealSpace>(users.any()));
    return {.together = &together};
  }
};

}  // namespace seiche
