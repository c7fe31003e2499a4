// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the call that is running was given: batches of bands, and what happens on the grid.
#pragma once

#include <optional>
#include <vector>

#include "fft/sphere/sphere_plan.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Where bands come from and go to.
enum class Flow {
  backward,        ///< from coefficients to values that are stored
  forward,         ///< the way back
  round_trip,      ///< from coefficients to a function on the grid, and back
  to_the_function  ///< from coefficients to a function on the grid
};
inline bool comes_from_waves(Flow flow) { return flow != Flow::forward; }
inline bool goes_to_waves(Flow flow) { return flow == Flow::forward || flow == Flow::round_trip; }

/// Bands that are fed together, in bundles of one for each band group.
template <class Value>
struct SphereBatch {
  using Complex = typename ComplexOf<Value>::type;
  std::int64_t bands = 0;
  const Complex* in = nullptr;
  Complex* out = nullptr;
  Value* grid = nullptr;
  std::int64_t in_row = 0, out_row = 0;  ///< elements from one component of a band to the next
  Result result = Result::replaces;
  std::int64_t first_item = 0, first_band = 0;  ///< of all that were fed
};

/// A function on the grid, of one component at a time or of all together.
template <class Value>
struct GridFunction {
  const typename SphereFft<Value>::RealSpace* each = nullptr;
  const typename SphereFft<Value>::SpinorSpace* together = nullptr;
  bool of_user = true;  ///< the user's, which may call MPI
};

template <class Value>
class SphereCall {
 public:
  using Batch = SphereBatch<Value>;
  using Complex = typename Batch::Complex;

  /// At most `slots` items are in flight, so batches before the last `slots` are done with.
  SphereCall(const SpherePlan& plan, int slots) : plan_(plan), most_(static_cast<std::size_t>(slots)) {
    batches_.reserve(most_ + 1);
  }
  void begin(Flow flow, const GridFunction<Value>& of_caller) {
    batches_.clear();
    items_ = bands_ = 0;
    flow_ = flow;
    function = of_caller;
  }
  /// \return how many items these bands are
  std::int64_t add(Batch batch) {
    const std::int64_t items = plan_.band_groups.bundles(batch.bands);
    if (items == 0) return 0;
    if (batches_.size() > most_) batches_.erase(batches_.begin());
    batch.first_item = items_;
    batch.first_band = bands_;
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
  /// Counted in its batch, the band that a group transforms in an item; none in some last bundles.
  std::optional<std::int64_t> band_of(std::int64_t item, int group) const {
    const Batch& batch = batch_of(item);
    const std::int64_t band = plan_.band_groups.band_of(item - batch.first_item, group);
    return band < batch.bands ? std::optional(band) : std::nullopt;
  }
  /// Of the band of this rank's group.
  std::int64_t my_band(std::int64_t item) const {
    return plan_.band_groups.band_of(item - batch_of(item).first_item, plan_.my_group);
  }
  /// A band's coefficients, the band being counted in its item's batch.
  const Complex* in(std::int64_t item, std::int64_t band, int component) const {
    const Batch& batch = batch_of(item);
    return batch.in + row_of(band, component) * batch.in_row;
  }
  Complex* out(std::int64_t item, std::int64_t band, int component) const {
    const Batch& batch = batch_of(item);
    return batch.out + row_of(band, component) * batch.out_row;
  }
  bool adds(std::int64_t item) const { return batch_of(item).result == Result::adds; }
  Value* my_plane(std::int64_t item, int component, std::int64_t z) const {
    const Batch& batch = batch_of(item);
    return batch.grid + (item - batch.first_item) * plan_.values() + component * plan_.box.volume() +
           z * plan_.box.size(0) * plan_.box.size(1);
  }

  GridFunction<Value> function;

 private:
  std::int64_t row_of(std::int64_t band, int component) const { return band * plan_.options.components + component; }

  const SpherePlan& plan_;
  std::size_t most_;
  std::vector<Batch> batches_;
  std::int64_t items_ = 0, bands_ = 0;
  Flow flow_ = Flow::backward;
};

}  // namespace seiche
