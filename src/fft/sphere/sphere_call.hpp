// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arguments of the current call: batches of bands, and the function on the grid.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "device/sphere_kernels.hpp"
#include "fft/sphere/sphere_plan.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Direction of a run.
enum class Flow {
  backward,         ///< from coefficients to stored grid values
  forward,          ///< from stored grid values to coefficients
  round_trip,       ///< from coefficients to a function on the grid, and back
  to_the_function,  ///< from coefficients to a function on the grid
  keep_factors,     ///< from coefficients to factors of the sticks
  convolution,      ///< from a function on the grid to coefficients, times factors, and back to a function on the grid
  from_the_function,  ///< from a function on the grid to coefficients, and a function that receives them
  from_partner        ///< from grid values of another plan, and a function of them, to coefficients (see JoinedRun)
};
inline bool calls_function(Flow flow) { return flow == Flow::round_trip || flow == Flow::to_the_function; }
inline bool goes_to_waves(Flow flow) {
  return flow == Flow::forward || flow == Flow::round_trip || flow == Flow::from_the_function ||
         flow == Flow::from_partner;
}
inline bool begins_with_function(Flow flow) { return flow == Flow::convolution || flow == Flow::from_the_function; }

/// Bands that one call adds to a run. A pipeline item is a bundle of them (see BandGroups).
template <class Value>
struct SphereBatch {
  using Complex = typename ComplexOf<Value>::type;
  std::int64_t bands = 0;
  const Complex* in = nullptr;
  Complex* out = nullptr;
  Value* grid = nullptr;
  std::int64_t in_row = 0, out_row = 0;  ///< row length in elements; a row is one component of a band
  Result result = Result::replaces;
  std::int64_t ring =
      0;  ///< bands in `out`, which are used in turn, from the beginning of the run (0: all of the batch)
  std::int64_t first_item = 0, first_band = 0;  ///< relative to the beginning of the run
  /// Kernels access the caller's array, instead of a copy.
  bool reaches_in = false, reaches_out = false, reaches_grid = false;
};

/// Who provides the function on the grid.
enum class GivenBy {
  library,        ///< the library
  user,           ///< the user: a callback that receives values on the host, and may call MPI
  user_on_device  ///< the user: a callback that receives values on the device, and starts kernels
};

/// A plane of an item on which a thread works. `z`: relative to this rank's first plane.
struct PlaneOfItem {
  std::int64_t item;
  int slot;
  std::int64_t z;
  int thread;
};

/// Returns a function of all components that calls a function of one. \pre `each` exists until the last call
template <class Value>
typename SphereFft<Value>::SpinorSpace of_one_component(const typename SphereFft<Value>::RealSpace& each) {
  return [call = &each](std::int64_t band, const Box& box, std::span<const View<Value>> components) {
    (*call)(band, box, components[0]);
  };
}

/// Function on the grid, on the host and on a device.
template <class Value>
struct GridFunction {
  using Function = typename SphereFft<Value>::SpinorSpace;
  /// Starts kernels for some bands of this rank's group, of which `band` is the first. `values`: [band][z][y][x].
  using Rows = std::function<void(std::int64_t band, std::int64_t count, void* values)>;

  /// Returns the values [component][y][x] of a band of another plan on a plane.
  using Partner = std::function<const Value*(const PlaneOfItem&)>;

  const Function* together = nullptr;  ///< receives all components of a band, on the host
  const Partner* partner =
      nullptr;  ///< If set, `together` receives the components of the partner's band before others.
  const typename SphereFft<Value>::OnDevice* starts = nullptr;  ///< receives several bands on a device
  GivenBy by = GivenBy::user;

  // Kernels of the library on a device. `potential` is in device memory, `weights` of each band in host memory.
  PlaneWork work = PlaneWork::potential;
  const void* potential = nullptr;
  double* density = nullptr;
  const double* weights = nullptr;

  // Convolutions and Flow::from_the_function. `fill` sets the values on the grid, which have one component.
  const Function* fill = nullptr;
  const Rows *fill_rows = nullptr, *take_rows = nullptr;           ///< set the values on a device, and use them
  typename ComplexOf<Value>::type::value_type* factors = nullptr;  ///< see SphereSteps::multiply()
  /// Flow::from_the_function only. Receives the number of bands whose coefficients are stored, since the beginning of
  /// the run.
  const std::function<void(std::int64_t bands)>* stored = nullptr;
};

/// Direction, function and batches of a run.
template <class Value>
class SphereCall {
 public:
  using Batch = SphereBatch<Value>;
  using Complex = typename Batch::Complex;

  explicit SphereCall(const SpherePlan& plan) : plan_(plan) {}
  /// `pipeline`: runs the stages, and exists until the next begin().
  void begin(Pipeline& pipeline, Flow flow, const GridFunction<Value>& of_caller) {
    pipeline_ = &pipeline;
    batches_.clear();
    items_ = bands_ = 0;
    flow_ = flow;
    function = of_caller;
  }
  /// Adds a batch and returns its number of items. Removes batches whose items are among the first `complete` ones.
  std::int64_t add(Batch batch, std::int64_t complete) {
    const std::int64_t items = plan_.band_groups.bundles(batch.bands);
    if (items == 0) return 0;
    while (batches_.size() > 1 && batches_[1].first_item <= complete) batches_.erase(batches_.begin());
    batch.first_item = items_;
    batch.first_band = bands_;
    batch.reaches_in = plan_.queue.reaches(batch.in);
    batch.reaches_out = plan_.queue.reaches(batch.out);
    batch.reaches_grid = plan_.queue.reaches(batch.grid);
    batches_.push_back(batch);
    items_ += items;
    bands_ += batch.bands;
    return items;
  }

  Flow flow() const { return flow_; }
  const Batch& batch_of(std::int64_t item) const {
    auto batch = batches_.end() - 1;
    while (batch->first_item > item) --batch;
    return *batch;
  }
  /// Returns the band number `i` that a group transforms in an item, relative to its batch. Returns none if the last
  /// bundle has no such band.
  std::optional<std::int64_t> band_of(std::int64_t item, int group, int i = 0) const {
    const Batch& batch = batch_of(item);
    const std::int64_t band = plan_.band_groups.band_of(item - batch.first_item, group, i);
    return band < batch.bands ? std::optional(band) : std::nullopt;
  }
  /// Returns the first band of this rank's group.
  std::optional<std::int64_t> my_band(std::int64_t item) const { return band_of(item, plan_.my_group); }
  /// Returns the number of the band `i` of this rank's group, from the beginning of the run. \pre the group has it
  std::int64_t band_in_run(std::int64_t item, int i = 0) const {
    const Batch& batch = batch_of(item);
    return batch.first_band + plan_.band_groups.band_of(item - batch.first_item, plan_.my_group, i);
  }
  /// Calls visit(i, band) for the bands that a group transforms in an item.
  template <class Visit>
  void each_band_of(int group, std::int64_t item, const Visit& visit) const {
    for (int i = 0; i < plan_.band_groups.batch; ++i) {
      const auto band = band_of(item, group, i);
      if (!band) return;
      visit(i, *band);
    }
  }
  /// Calls visit(group, i, band) for the bands of all groups in an item, one group after another.
  template <class Visit>
  void each_band(std::int64_t item, const Visit& visit) const {
    for (int group = 0; group < plan_.band_groups.count; ++group) {
      each_band_of(group, item, [&](int i, std::int64_t band) { visit(group, i, band); });
    }
  }
  /// Returns the coefficients of a component of a band. `band` is relative to the item's batch.
  const Complex* in(std::int64_t item, std::int64_t band, int component) const {
    const Batch& batch = batch_of(item);
    return batch.in + row_of(band, component) * batch.in_row;
  }
  Complex* out(std::int64_t item, std::int64_t band, int component) const {
    const Batch& batch = batch_of(item);
    const std::int64_t place = batch.ring == 0 ? band : (batch.first_band + band) % batch.ring;
    return batch.out + row_of(place, component) * batch.out_row;
  }
  bool adds(std::int64_t item) const { return batch_of(item).result == Result::adds; }
  Value* my_plane(std::int64_t item, int component, std::int64_t z, int i = 0) const {
    const Batch& batch = batch_of(item);
    const std::int64_t band = (item - batch.first_item) * plan_.band_groups.batch + i;
    return batch.grid + band * plan_.values() + component * plan_.box.volume() +
           z * plan_.box.size(0) * plan_.box.size(1);
  }

  /// Returns the box of rows of a plane. `z`: relative to this rank's first plane.
  Box box_of_rows(std::int64_t z, const Range& rows) const {
    const Box& mine = plan_.box;
    const std::int64_t y = mine.axis[1].low, above = mine.axis[2].low + z;
    return {{mine.axis[0], Range{y + rows.low, y + rows.high}, Range{above, above + 1}}};
  }
  /// Calls the function on the grid for rows of a plane.
  void call_function(std::int64_t item, int i, std::int64_t z, const Range& rows,
                     std::span<const View<Value>> views) const {
    const std::int64_t band = band_in_run(item, i);
    const Box box = box_of_rows(z, rows);
    const auto paused = while_called();
    (*function.together)(band, box, views);
  }
  /// Tells the function that the coefficients of an item are stored.
  void tell_stored(std::int64_t item) const {
    const Batch& batch = batch_of(item);
    const std::int64_t last = (item - batch.first_item + 1) * plan_.band_groups.bands_of_bundle();
    const auto paused = while_called();
    (*function.stored)(batch.first_band + std::min(last, batch.bands));
  }
  /// Pauses the progress thread during a callback of the user, which may call MPI.
  std::shared_lock<std::shared_mutex> while_called() const {
    return function.by == GivenBy::library ? std::shared_lock<std::shared_mutex>() : pipeline_->pause_thread();
  }
  /// Makes progress between tiles of work.
  void poll() const { pipeline_->poll(); }

  GridFunction<Value> function;

 private:
  std::int64_t row_of(std::int64_t band, int component) const { return band * plan_.options.components + component; }

  const SpherePlan& plan_;
  Pipeline* pipeline_ = nullptr;
  std::vector<Batch> batches_;
  std::int64_t items_ = 0, bands_ = 0;
  Flow flow_ = Flow::backward;
};

}  // namespace seiche
