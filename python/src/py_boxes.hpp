// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arguments of box exchanges.
#pragma once

#include <seiche/boxes.hpp>

#include <vector>

#include "interface/boxes_members.hpp"
#include "py_bind.hpp"

namespace seiche::python {

using Boxes = Argument<"Box | collections.abc.Sequence[Box]">;

/// Boxes at one end. A single box has arrays of its shape. The values of several boxes are consecutive in one axis.
struct BoxesOfEnd {
  std::vector<FieldArray> arrays;
  Extents shape;  ///< of one field
};

/// \throws TypeError for other objects
BoxesOfEnd boxes_of(const Boxes& given);

}  // namespace seiche::python
