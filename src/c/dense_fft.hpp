// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is behind the handles of dense transforms and their fields.
#pragma once

#include "c/fft_options.hpp"
#include "c/handles.hpp"

namespace seiche::c {

struct DenseObject : Object {
  static constexpr const char* name = "dense_fft";
  const char* noun() const override { return name; }
  DenseObject(const Communicator& ranks, AnyValue<DenseFft> of) : comm(ranks), fft(std::move(of)) {}
  void close() {
    std::visit([](auto& plan) { plan.close(); }, fft);
  }
  Communicator comm;
  AnyValue<DenseFft> fft;
};

struct FieldObject : Object {
  static constexpr const char* name = "field";
  const char* noun() const override { return name; }
  explicit FieldObject(AnyValue<Field> of) : field(std::move(of)) {}
  void close() {
    std::visit([](auto& memory) { memory.close(); }, field);
  }
  AnyValue<Field> field;
};

template <>
struct BehindHandle<seiche_dense_fft> {
  using type = DenseObject;
};
template <>
struct BehindHandle<seiche_field> {
  using type = FieldObject;
};

}  // namespace seiche::c
