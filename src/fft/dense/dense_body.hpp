// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of DenseFft objects, and the checks of their arguments.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "fft/dense/kept_dense.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "layout/extent.hpp"
#include "layout/sound_shape.hpp"
#include "seiche/pending.hpp"
#include "seiche/presence.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
DenseKind kind_of() {
  using Complex = typename ComplexOf<Value>::type;
  return {letter_of<Value>(), !std::is_same_v<Value, Complex>, sizeof(Complex)};
}

inline void require_sound(const DenseArrays& arrays, bool real) {
  require(arrays.fields > 0, Fault::bad_argument, "fft: the number of fields must be positive (got {})", arrays.fields);
  require(!real || !arrays.plus, Fault::bad_argument,
          "fft: real fields use exp(-i G.r) in the forward transform: leave out 'plus', or conjugate the spectrum");
  for (const FieldArray* array : {&arrays.grid, &arrays.spectrum}) {
    require(array->offset >= 0, Fault::bad_argument, "fft: the offset of an array must not be negative (got {})",
            array->offset);
    std::int64_t least = std::min({array->stride[0], array->stride[1], array->stride[2]});
    if (arrays.fields > 1) least = std::min(least, array->field_stride);
    require(array->box.empty() || least > 0, Fault::bad_argument,
            "fft: array strides must be positive (got {}): use for example interleaved() or consecutive()", least);
  }
}

inline const char* name_of_call(bool forward) { return forward ? "forward" : "backward"; }

inline PlanKey& add(PlanKey& key, const FieldArray& array) {
  return key.add(array.box).add(array.stride).add(array.field_stride).add(array.offset);
}
inline PlanKey& add(PlanKey& key, const DenseArrays& arrays) {
  add(add(key.add(arrays.fields), arrays.grid), arrays.spectrum);
  return key.add(arrays.in_place).add(arrays.plus).add(arrays.unscaled);
}

template <class Value>
struct DenseFft<Value>::Body : std::enable_shared_from_this<Body> {
  explicit Body(std::shared_ptr<KeptDense<Value>> of) : kept(std::move(of)) {}
  std::shared_ptr<KeptDense<Value>> kept;
  ProgressReport spent{};  // time in calls of this object

  /// Collective.
  static std::shared_ptr<Body> make(const Communicator& comm, const GridShape& shape, const FftOptions& options,
                                    const std::optional<DenseArrays>& callers) {
    const PlanRequest request("dense_fft", [&](PlanRequest& of) {
      const std::array kind{'d', letter_of<Value>()};
      PlanKey key;
      key.add(kind).add(shape).add(options);
      of.equal.add("kind of value", kind).add("shape", shape).add_options(options);
      of.equal.add("arrays of the caller", callers.has_value());
      if (callers) {
        add(key, *callers);
        of.equal.add("fields", callers->fields).add("in_place", callers->in_place);
        of.equal.add("plus", callers->plus).add("unscaled", callers->unscaled);
      }
      of.key = key.text();
      require_sound(shape);
      require_sound(options, PlanKind::dense);
      if (callers) require_sound(*callers, std::is_floating_point_v<Value>);
    });
    auto kept = cached_plan<KeptDense<Value>>(comm, request, [&] {
      return std::make_shared<KeptDense<Value>>(comm, shape, options, kind_of<Value>(), callers);
    });
    return std::make_shared<Body>(std::move(kept));
  }

  /// Returns the implementation of a plan. \throws Error after close()
  static Body& of(const DenseFft& fft) { return fft.body(); }
  const DensePlan& plan() const { return kept->setup->plan; }

  Field<Value> allocate() const {
    require(!kept->of_callers, Fault::bad_argument,
            "fft: this plan transforms the caller's arrays and allocates no fields: create a plan without arrays");
    return Field<Value>(std::make_shared<typename Field<Value>::Body>(kept->setup));
  }

  void require_own(const Field<Value>& field) const {
    const auto& setup = Field<Value>::Body::of(field).setup();
    require(setup == kept->setup || setup->plan.identity == plan().identity, Fault::bad_argument,
            "fft: the field belongs to another plan: pass a field from allocate() of this plan");
  }
  /// Collective. Checks that all ranks pass the same number of valid fields. Calls `keep` if they are valid.
  template <class Keep>
  void check(std::span<const Field<Value>> fields, bool forward, const Keep& keep) const {
    together(plan().comm, name_of_call(forward), [&](EqualArguments& same) {
      same.add("fields", fields.size());
      for (const Field<Value>& field : fields) {
        require_own(field);
        Field<Value>::Body::of(field).require_ready(forward);
      }
      keep();
    });
  }
  /// Checks the sizes of arrays of the caller.
  void require_arrays(std::span<const Value> grid, std::span<const Complex> spectrum) const {
    const DenseArrays& arrays = kept->arrays;
    const std::size_t points = extent(arrays.grid, arrays.fields), waves = extent(arrays.spectrum, arrays.fields);
    const bool longer = kept->of_callers && grid.size() >= points && spectrum.size() >= waves;
    require(longer || (grid.size() == points && spectrum.size() == waves), Fault::bad_argument,
            "fft: wrong array sizes: this rank has {} grid points and {} spectrum values (got {} and {})", points,
            waves, grid.size(), spectrum.size());
    const auto* begin = reinterpret_cast<const std::byte*>(grid.data());
    const auto* other = reinterpret_cast<const std::byte*>(spectrum.data());
    const bool apart = begin + points * sizeof(Value) <= other || other + waves * sizeof(Complex) <= begin;
    require(apart || arrays.in_place || arrays.fields == 1, Fault::bad_argument,
            "fft: the grid and spectrum arrays overlap: create the plan with in_place, or pass separate arrays");
  }
  /// Collective. Starts transforms of several fields, in one pipeline. `how.started`: the caller works until finish().
  Pending start(std::span<Field<Value>> fields, bool forward, const RunOptions& how = {});
  /// Collective. Starts a transform between arrays of the caller, which writes one of them.
  Pending start(std::span<const Value> grid, std::span<const Complex> spectrum, bool forward,
                const RunOptions& how = {});
  /// Collective.
  void transform(Field<Value>& field, bool forward, RunOptions how = {}) {
    check({&field, 1}, forward, [] {});
    how.account = &spent;
    Field<Value>::Body::of(field).work.begin(1, forward, how).finish();
  }
};

}  // namespace seiche
