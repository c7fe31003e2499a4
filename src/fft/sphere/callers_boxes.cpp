// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/callers_boxes.hpp"

#include <array>
#include <complex>
#include <limits>

#include "boxes/box_work.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns the number of fields in `values` (on the caller's box) and `here` (on the plan's box). Returns 0 if both
/// boxes are empty on this rank. \throws Error if the sizes do not fit the boxes
std::int64_t fields_here(const Box& box, std::size_t values, const Box& own, std::size_t here) {
  const Box& some = box.empty() ? own : box;
  const std::size_t given = box.empty() ? here : values;
  const std::int64_t fields = some.empty() ? 0 : static_cast<std::int64_t>(given) / some.volume();
  require((fields > 0 || some.empty()) && values == static_cast<std::size_t>(fields * box.volume()) &&
              here == static_cast<std::size_t>(fields * own.volume()),
          Fault::bad_argument,
          "fft: wrong number of values: the caller's box has {} points, grid_box() of this rank {} (got {} and {} "
          "values): pass one value per point and field",
          box.volume(), own.volume(), values, here);
  return fields;
}

/// Returns the layout of bands of one component, which are `step` bands of `components` apart.
FieldArray bands_of(const Box& box, std::int64_t components, std::int64_t step) {
  FieldArray array = consecutive(box);
  array.field_stride = box.volume() * components * step;
  return array;
}

/// Calls copy(group, component, number of bands of the group, offset in `values`, offset in `here`) for all groups and
/// components.
template <class Copy>
void each_group(const SpherePlan& plan, const Box& box, std::int64_t bands, const Copy& copy) {
  const std::int64_t groups = plan.band_groups.count, components = plan.options.components;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t of_group = plan.band_groups.bands_of(static_cast<int>(group), bands);
    for (std::int64_t c = 0; c < components && of_group > 0; ++c) {
      copy(static_cast<std::size_t>(group), of_group, static_cast<std::size_t>((group * components + c) * box.volume()),
           plan.my_group == group ? static_cast<std::size_t>(c * plan.box.volume()) : 0);
    }
  }
}

/// Returns the layout of the plan's box for the bands of a group. Ranks of other groups have an empty box.
FieldArray bands_on_plan(const SpherePlan& plan, int group) {
  return bands_of(plan.my_group == group ? plan.box : Box{}, plan.options.components, 1);
}

}  // namespace

/// Collective. Returns the exchanges of a box. `another`: whether a rank has another box than before.
CallersBoxes::Kept& CallersBoxes::kept_for(const SpherePlan& plan, const Box& box, bool another) {
  if (!another) return *kept_;
  kept_.reset();
  const FieldArray theirs = consecutive(box), ours = consecutive(plan.box);
  return kept_.emplace(Kept{box, BoxExchange(plan.comm, plan.shape, {&theirs, 1}, {&ours, 1})});
}

/// Collective. Returns the number of fields of a call.
std::int64_t CallersBoxes::fields_of(const SpherePlan& plan, const Box& box, std::size_t values, std::size_t here,
                                     std::size_t element) {
  std::int64_t fields = 0;
  const auto fault = fault_of([&] { fields = fields_here(box, values, plan.box, here); });
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();  // for ranks without points
  const std::int64_t other_box = !kept_ || !(kept_->box == box);
  const auto [fewest, most, others, elements] = bounds(
      plan.comm, std::array{fields > 0 ? fields : any, fields, other_box, static_cast<std::int64_t>(element)}, fault);
  require(elements.first == elements.second, Fault::bad_argument,
          "fft: ranks passed real and complex values to the same collective call: pass the same type on all ranks");
  require(fewest.first == most.second, Fault::bad_argument,
          "fft: ranks passed different numbers of fields ({} to {}) to a collective call: pass the same number on all "
          "ranks",
          fewest.first, most.second);
  kept_for(plan, box, others.second > 0);
  return most.second;
}

template <class T>
void CallersBoxes::spread(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here) {
  const std::int64_t fields = fields_of(plan, box, values.size(), here.size(), sizeof(T));
  run_agreed(kept_->of_fields, box_call<T>(values, here, fields, false));
}

template <class T>
void CallersBoxes::collect(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values) {
  const std::int64_t fields = fields_of(plan, box, values.size(), here.size(), sizeof(T));
  run_agreed(kept_->of_fields, box_call<T>(values, here, fields, true));
}

/// Collective. Creates the exchanges of a box unless all ranks have cached them.
CallersBoxes::Kept& CallersBoxes::kept_for_bands(const SpherePlan& plan, const Box& box) {
  const std::int64_t other_box = !kept_ || !(kept_->box == box);
  return kept_for(plan, box, maximum(plan.comm, other_box) > 0);
}

template <class T>
void CallersBoxes::bands_to_plan(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here,
                                 std::int64_t bands) {
  auto& exchanges = kept_for_bands(plan, box).to_groups;
  while (std::ssize(exchanges) < plan.band_groups.count) {
    const FieldArray source = bands_of(box, plan.options.components, plan.band_groups.count),
                     target = bands_on_plan(plan, static_cast<int>(exchanges.size()));
    exchanges.emplace_back(plan.comm, plan.shape, std::span(&source, 1), std::span(&target, 1));
  }
  each_group(plan, box, bands, [&](std::size_t group, std::int64_t count, std::size_t from, std::size_t into) {
    exchanges[group].copy(values.subspan(from), here.subspan(into), count);
  });
}

template <class T>
void CallersBoxes::bands_from_plan(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values,
                                   std::int64_t bands) {
  auto& exchanges = kept_for_bands(plan, box).from_groups;
  while (std::ssize(exchanges) < plan.band_groups.count) {
    const FieldArray source = bands_on_plan(plan, static_cast<int>(exchanges.size())),
                     target = bands_of(box, plan.options.components, plan.band_groups.count);
    exchanges.emplace_back(plan.comm, plan.shape, std::span(&source, 1), std::span(&target, 1));
  }
  each_group(plan, box, bands, [&](std::size_t group, std::int64_t count, std::size_t into, std::size_t from) {
    exchanges[group].copy(here.subspan(from), values.subspan(into), count);
  });
}

#define SEICHE_VALUES_IN_BOXES(T)                                                                      \
  template void CallersBoxes::spread(const SpherePlan&, const Box&, std::span<const T>, std::span<T>); \
  template void CallersBoxes::collect(const SpherePlan&, std::span<const T>, const Box&, std::span<T>);
SEICHE_VALUES_IN_BOXES(double)
SEICHE_VALUES_IN_BOXES(std::complex<double>)
#undef SEICHE_VALUES_IN_BOXES

#define SEICHE_BANDS_IN_BOXES(T)                                                                               \
  template void CallersBoxes::bands_to_plan(const SpherePlan&, const Box&, std::span<const T>, std::span<T>,   \
                                            std::int64_t);                                                     \
  template void CallersBoxes::bands_from_plan(const SpherePlan&, std::span<const T>, const Box&, std::span<T>, \
                                              std::int64_t);
SEICHE_BANDS_IN_BOXES(float)
SEICHE_BANDS_IN_BOXES(double)
SEICHE_BANDS_IN_BOXES(std::complex<float>)
SEICHE_BANDS_IN_BOXES(std::complex<double>)
#undef SEICHE_BANDS_IN_BOXES

}  // namespace seiche
