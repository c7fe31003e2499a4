// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: arguments of box exchanges.
#include "c/c_boxes.hpp"

#include <algorithm>

#include "c/c_any_value.hpp"

namespace seiche::c {

namespace {

std::vector<FieldArray> arrays_of(std::span<const seiche_box_array> given) {
  std::vector<FieldArray> arrays;
  for (const seiche_box_array& one : given) {
    FieldArray& array = arrays.emplace_back(
        FieldArray{.box = box_of(&one.box), .field_stride = one.field_stride, .offset = one.offset});
    std::copy_n(one.stride, 3, array.stride.begin());
  }
  return arrays;
}

template <class T>
std::span<T> writable(const void* data, std::int64_t count) {
  return values_at<T>(const_cast<void*>(data), count);
}

}  // namespace

BoxObject::BoxObject(const Communicator& ranks, const GridShape& shape, std::span<const seiche_box_array> source,
                     std::span<const seiche_box_array> target, const BoxOptions& options)
    : comm(ranks), exchange(ranks, shape, arrays_of(source), arrays_of(target), options) {}

Pending copy_boxes(BoxExchange& exchange, seiche_value value, const BoxArrays& arrays) {
  return with_kind(value, [&]<class T>(T) {
    return exchange.start_copy<T>(values_at<T>(arrays.source, arrays.source_count),
                                  writable<T>(arrays.target, arrays.target_count), arrays.fields);
  });
}

Pending add_boxes_back(BoxExchange& exchange, seiche_value value, const BoxArrays& arrays) {
  return with_kind(value, [&]<class T>(T) {
    return exchange.start_add_back<T>(values_at<T>(arrays.target, arrays.target_count),
                                      writable<T>(arrays.source, arrays.source_count), arrays.fields);
  });
}

TuneReport<BoxOptions> tune_boxes(const Communicator& comm, seiche_value value, const GridShape& shape,
                                  const BoxesOfRank& boxes, std::int64_t fields, const TuneRequest& request) {
  const auto source = arrays_of(boxes.source), target = arrays_of(boxes.target);
  return with_kind(value,
                   [&]<class T>(T) { return seiche::tune_boxes<T>(comm, shape, source, target, fields, request); });
}

}  // namespace seiche::c
