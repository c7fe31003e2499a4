// SPDX-License-Identifier: BSD-3-Clause
/// \file  Included instead of src/space/copy_patch.hpp in simulations, where packing takes simulated time.
#pragma once

#include "time.hpp"

#define copy_patch copy_patch_itself
#include_next "space/copy_patch.hpp"
#undef copy_patch

namespace seiche {

inline void copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                       std::size_t element, Write mode = Write::cached) {
  copy_patch_itself(from, source, into, target, element, mode);
  simulation::copy(static_cast<std::int64_t>(element) * source.size());
}

}  // namespace seiche
