// SPDX-License-Identifier: BSD-3-Clause
/// \file  Format of elements in messages, and copies between strided memory and messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "layout/route.hpp"

namespace seiche {

/// Format of messages. Rounded elements consist of doubles that are sent as floats.
struct Form {
  std::size_t bytes = 16;  ///< bytes of an element in memory
  bool rounded = false;
  bool whole = false;  ///< messages are not split without need
  std::size_t sent_bytes() const { return rounded ? bytes / 2 : bytes; }
};

namespace detail {

inline void round_doubles(const std::byte* from, std::byte* into, std::size_t bytes) {
  const auto* doubles = reinterpret_cast<const double*>(from);
  auto* floats = reinterpret_cast<float*>(into);
  for (std::size_t i = 0; i < bytes / sizeof(double); ++i) floats[i] = static_cast<float>(doubles[i]);
}
inline void widen_floats(const std::byte* from, std::byte* into, std::size_t bytes) {
  const auto* floats = reinterpret_cast<const float*>(from);
  auto* doubles = reinterpret_cast<double*>(into);
  for (std::size_t i = 0; i < bytes / sizeof(double); ++i) doubles[i] = floats[i];
}

/// Calls visit(offset in elements, position in the message, number of contiguous elements) for the elements `part` of a
/// patch.
template <class Visit>
void each_row(const Patch& patch, const Range& part, const Visit& visit) {
  const std::int64_t n = patch.count[0];
  const bool in_a_row = patch.contiguous();
  for (std::int64_t at = part.low; at < part.high;) {
    if (in_a_row) return visit(patch.offset + at, std::int64_t{0}, part.size());
    const std::int64_t i = at % n, row = at / n;
    const std::int64_t run = patch.stride[0] == 1 ? std::min(n - i, part.high - at) : 1;
    const std::int64_t j = row % patch.count[1], k = row / patch.count[1];
    visit(patch.offset + i * patch.stride[0] + j * patch.stride[1] + k * patch.stride[2], at - part.low, run);
    at += run;
  }
}

}  // namespace detail

/// Copies the elements `part` of a patch into a message. Elements are counted in message order.
inline void pack(const std::byte* memory, const Patch& patch, const Range& part, std::byte* message, const Form& form) {
  detail::each_row(patch, part, [&](std::int64_t offset, std::int64_t place, std::int64_t run) {
    const std::byte* from = memory + static_cast<std::size_t>(offset) * form.bytes;
    std::byte* into = message + static_cast<std::size_t>(place) * form.sent_bytes();
    const std::size_t bytes = static_cast<std::size_t>(run) * form.bytes;
    form.rounded ? detail::round_doubles(from, into, bytes) : static_cast<void>(std::memcpy(into, from, bytes));
  });
}

/// Copies a message into the elements `part` of a patch.
inline void unpack(const std::byte* message, const Patch& patch, const Range& part, std::byte* memory,
                   const Form& form) {
  detail::each_row(patch, part, [&](std::int64_t offset, std::int64_t place, std::int64_t run) {
    const std::byte* from = message + static_cast<std::size_t>(place) * form.sent_bytes();
    std::byte* into = memory + static_cast<std::size_t>(offset) * form.bytes;
    const std::size_t bytes = static_cast<std::size_t>(run) * form.bytes;
    form.rounded ? detail::widen_floats(from, into, bytes) : static_cast<void>(std::memcpy(into, from, bytes));
  });
}

}  // namespace seiche
