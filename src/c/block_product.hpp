// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is behind the handle of a multiplier, and the options of products, for C.
#pragma once

#include "c/handles.hpp"
#include "seiche/block_product.hpp"
#include "seiche/c/product.h"

namespace seiche::c {

struct MultiplierObject : Object {
  static constexpr const char* name = "multiplier";
  const char* noun() const override { return name; }
  explicit MultiplierObject(const ProductOptions& options) : multiply(options) {}
  void close() { multiply.close(); }
  Multiplier multiply;
};

template <>
struct BehindHandle<seiche_multiplier> {
  using type = MultiplierObject;
};

/// \throws Error where a field means nothing.
ProductOptions product_options(const seiche_product_options* given);

}  // namespace seiche::c
