// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of Fourier transforms, and the conversion of their arguments.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "c/c_any_value.hpp"
#include "c/handle_types.hpp"
#include "seiche/c/fft.h"
#include "seiche/fft.hpp"
#include "seiche/topology.hpp"
#include "support/require.hpp"

namespace seiche::c {

struct DenseObject : Object {
  DenseObject(const Communicator& ranks, AnyValue<DenseFft> of) : comm(ranks), fft(std::move(of)) {}
  void close() {
    std::visit([](auto& plan) { plan.close(); }, fft);
  }
  Communicator comm;
  AnyValue<DenseFft> fft;
};

struct FieldObject : Object {
  explicit FieldObject(AnyValue<Field> of) : field(std::move(of)) {}
  void close() {
    std::visit([](auto& memory) { memory.close(); }, field);
  }
  AnyValue<Field> field;
};

struct SphereObject : Object {
  SphereObject(const Communicator& ranks, AnyValue<SphereFft> of) : comm(ranks), fft(std::move(of)) {}
  void close() {
    std::visit([](auto& plan) { plan.close(); }, fft);
  }
  Communicator comm;
  AnyValue<SphereFft> fft;
};

struct PendingObject : Object {
  explicit PendingObject(Pending of) : pending(std::move(of)) {}
  Pending pending;
};

/// A stream, until finish() is called.
template <class Value>
struct StreamOf {
  std::optional<typename SphereFft<Value>::Stream> flow;
};

struct StreamObject : Object {
  explicit StreamObject(AnyValue<StreamOf> of) : flow(std::move(of)) {}
  void close() {
    std::visit([](auto& stream) { stream.flow.reset(); }, flow);
  }
  AnyValue<StreamOf> flow;
};

template <class Value>
auto& in_flow(StreamOf<Value>& stream) {
  require(stream.flow.has_value(), Fault::bad_argument, "sphere_stream: this stream is finished: create another");
  return *stream.flow;
}

/// Returns the field. \throws Error unless it has this value type
template <class Value>
Field<Value>& field_of(const seiche_field* field) {
  auto* typed = std::get_if<Field<Value>>(&behind(field).field);
  require(typed != nullptr, Fault::bad_argument,
          "fft: the field holds another type of values: create the field for this plan");
  return *typed;
}

/// Returns the plan. \throws Error unless it is for this type
template <class Value>
DenseFft<Value>& dense_of(const seiche_dense_fft* fft) {
  auto* typed = std::get_if<DenseFft<Value>>(&behind(fft).fft);
  require(typed != nullptr, Fault::bad_argument,
          "dense_fft: the plans are for different types of values: create both for one type");
  return *typed;
}
template <class Value>
SphereFft<Value>& sphere_of(const seiche_sphere_fft* fft) {
  auto* typed = std::get_if<SphereFft<Value>>(&behind(fft).fft);
  require(typed != nullptr, Fault::bad_argument,
          "sphere_fft: the plans are for different types of values: create both for one type");
  return *typed;
}

/// Converts the shape of a grid. \throws Error(misuse) for NULL
GridShape grid_shape(const std::int64_t* shape, const char* where);
seiche_box box_for_c(const Box& box);
std::vector<seiche_box> boxes_for_c(const std::vector<Box>& boxes);
/// Returns an empty box for NULL.
Box box_of(const seiche_box* given);
DenseArrays dense_arrays_of(const seiche_dense_arrays* given, const char* where);
FftOptions fft_options_of(const seiche_fft_options* given, const char* where);
seiche_progress_report report_for_c(const ProgressReport& report);
void also_read(const seiche_fft_options& asked, FftOptions& options, const char* where);

static_assert(sizeof(seiche_miller) == sizeof(Miller) && std::is_standard_layout_v<Miller>);

template <class Value>
seiche_view view_for_c(const View<Value>& view) {
  seiche_view same{};
  same.data = view.data;
  std::copy(view.shape.begin(), view.shape.end(), same.shape);
  std::copy(view.stride.begin(), view.stride.end(), same.stride);
  return same;
}

/// Converts a C callback to a C++ callback for all components. Nonzero return values become exceptions, which the plan
/// reports on all ranks.
template <class Value>
auto on_grid(seiche_grid_function function, void* user) {
  return [function, user](std::int64_t band, const Box& box, std::span<const View<Value>> components) {
    require(function != nullptr, Fault::bad_argument, "fft: the callback must not be NULL");
    std::array<seiche_view, 2> views{};  // no band has more components
    std::transform(components.begin(), components.end(), views.begin(), view_for_c<Value>);
    const seiche_grid_part part{band, box_for_c(box), static_cast<int>(components.size()), views.data()};
    begin_callback();
    if (const int code = function(&part, user)) end_callback(code, formatted("band {} (counted from 0)", band));
  };
}

/// Converts a C callback on a device to a C++ callback.
template <class Value>
auto on_device(seiche_device_function function, void* user) {
  return [function, user](const DeviceBands<Value>& on) {
    require(function != nullptr, Fault::bad_argument, "fft: the callback must not be NULL");
    const seiche_device_bands bands{on.first,      on.count,  on.step,  box_for_c(on.box),
                                    on.components, on.values, on.stream};
    begin_callback();
    if (const int code = function(&bands, user))
      end_callback(code, formatted("bands from {} (counted from 0)", on.first));
  };
}

}  // namespace seiche::c
