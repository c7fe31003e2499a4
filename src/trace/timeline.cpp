// SPDX-License-Identifier: BSD-3-Clause
#include "trace/timeline.hpp"

#include <optional>
#include <utility>

namespace seiche::trace {

namespace {

std::optional<Timeline>& current() {
  static std::optional<Timeline> only;
  return only;
}

}  // namespace

void start_recording() { current().emplace(); }

Timeline stop_recording() {
  std::optional<Timeline> recorded;
  std::swap(recorded, current());
  return recorded ? std::move(*recorded) : Timeline{};
}

Timeline* recording() noexcept { return current() ? &*current() : nullptr; }

}  // namespace seiche::trace
