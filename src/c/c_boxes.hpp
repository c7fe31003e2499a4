// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of a box exchange, and the conversion of its arguments.
#pragma once

#include "c/c_fft.hpp"
#include "seiche/boxes.hpp"
#include "seiche/c/boxes.h"

namespace seiche::c {

struct BoxObject : Object {
  BoxObject(const Communicator& ranks, const GridShape& shape, std::span<const seiche_box_array> source,
            std::span<const seiche_box_array> target, const BoxOptions& options);
  Communicator comm;
  BoxExchange exchange;
};

/// Boxes of this rank.
struct BoxesOfRank {
  std::span<const seiche_box_array> source, target;
};

/// Arrays of a call, whose type is given by a number. One of them is only read.
struct BoxArrays {
  const void* source;
  std::int64_t source_count;
  const void* target;
  std::int64_t target_count;
  std::int64_t fields;
};

/// Collective. Starts a copy of values of a kind.
Pending copy_boxes(BoxExchange& exchange, seiche_value value, const BoxArrays& arrays);
/// Collective. Starts the transposed operation.
Pending add_boxes_back(BoxExchange& exchange, seiche_value value, const BoxArrays& arrays);

/// Collective. Tunes copies of values of a kind.
TuneReport<BoxOptions> tune_boxes(const Communicator& comm, seiche_value value, const GridShape& shape,
                                  const BoxesOfRank& boxes, std::int64_t fields, const TuneRequest& request);

}  // namespace seiche::c
