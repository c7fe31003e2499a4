// SPDX-License-Identifier: BSD-3-Clause
/// \file  Python objects of dense plans.
#pragma once

#include <cstdint>

#include "py_bind.hpp"

namespace seiche::python {

struct DensePlan {
  GridShape shape;
  Kind kind;
  Held<OfAnyKind<DenseFft>> held;
  std::int64_t fields = 0;   // fields in the caller's arrays; 0: dense arrays of one field
  bool interleaved = false;  // fields are the last axis, else the first
  bool on_device = false;    // accepts arrays in device memory

  const auto& any() const { return held.peek(); }
};

}  // namespace seiche::python
