// SPDX-License-Identifier: BSD-3-Clause
#include "space/queue.hpp"

#include <cstring>

#include "device/cuda.hpp"
#include "seiche/presence.hpp"
#include "space/add_patch.hpp"
#include "space/copy_patch.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

DeviceBox box_of(const Patch& patch) {
  return {{patch.count[0], patch.count[1], patch.count[2]}, {patch.stride[0], patch.stride[1], patch.stride[2]}};
}

}  // namespace

Queue::Queue(Space space, std::int64_t callers)
    : stream_(space == Space::cuda ? cuda_device().stream(reinterpret_cast<void*>(callers)) : nullptr) {
  require(space == Space::host || stream_, Fault::bad_argument,
          "unknown space (number {}): use an enumerator of the library", static_cast<int>(space));
}

bool Queue::reaches(const void* callers) const { return on_host() || cuda_device().owns(callers); }

Event Queue::copy(const void* from, void* into, std::size_t bytes) const {
  if (bytes > 0) on_host() ? static_cast<void>(std::memcpy(into, from, bytes)) : stream_->copy(from, into, bytes);
  return record();
}

Event Queue::zero(void* memory, std::size_t bytes) const {
  if (bytes > 0) on_host() ? static_cast<void>(std::memset(memory, 0, bytes)) : stream_->zero(memory, bytes);
  return record();
}

void Queue::copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                       std::size_t element) const {
  if (source.size() == 0) return;
  if (on_host()) return seiche::copy_patch(from, source, into, target, element);
  stream_->copy_box(from, box_of(source), into, box_of(target), element);
}

void Queue::add_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                      std::size_t element, bool single) const {
  if (source.size() == 0) return;
  if (!on_host()) return stream_->add_box(from, box_of(source), into, box_of(target), element, single);
  single ? seiche::add_patch<float>(from, source, into, target, element)
         : seiche::add_patch<double>(from, source, into, target, element);
}

void Queue::follow_caller() const {
  if (!on_host()) stream_->follow_default();
}

Event Queue::record() const { return on_host() ? Event() : Event(stream_->record()); }

void Queue::drain() const noexcept {
  if (!on_host()) static_cast<void>(fault_of([this] { stream_->record()->wait(); }));
}

}  // namespace seiche
