// SPDX-License-Identifier: BSD-3-Clause
#include "space/queue.hpp"

#include <cstring>

#include "device/cuda.hpp"
#include "seiche/presence.hpp"
#include "space/add_patch.hpp"
#include "space/copy_patch.hpp"
#include "space/emulated.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

class EmulatedEvent : public DeviceEvent {
 public:
  EmulatedEvent(std::shared_ptr<EmulatedDevice> device, std::int64_t kernel)
      : device_(std::move(device)), kernel_(kernel) {}
  bool done() override { return device_->done_soon(kernel_); }
  void wait() override { device_->wait(kernel_); }

 private:
  std::shared_ptr<EmulatedDevice> device_;
  std::int64_t kernel_;
};

DeviceBox box_of(const Patch& patch) {
  return {{patch.count[0], patch.count[1], patch.count[2]}, {patch.stride[0], patch.stride[1], patch.stride[2]}};
}

}  // namespace

Queue::Queue(Space space, std::int64_t callers)
    : emulated_(space == Space::emulated ? std::make_shared<EmulatedDevice>() : nullptr),
      stream_(space == Space::cuda ? cuda_device().stream(reinterpret_cast<void*>(callers)) : nullptr) {
  require(space == Space::host || emulated_ || stream_, Fault::bad_argument,
          "unknown space (number {}): use an enumerator of the library", static_cast<int>(space));
}

bool Queue::reaches(const void* callers) const { return on_host() || (stream_ && cuda_device().owns(callers)); }

Event Queue::add(std::function<void()> kernel) const {
  require(runs_functions(), Fault::internal, "a CUDA device cannot run functions of the host: use a kernel");
  return Event(std::make_shared<EmulatedEvent>(emulated_, emulated_->add(std::move(kernel))));
}

Event Queue::copy(const void* from, void* into, std::size_t bytes) const {
  if (runs_functions()) {
    return run([=] {
      if (bytes > 0) std::memcpy(into, from, bytes);
    });
  }
  if (bytes > 0) stream_->copy(from, into, bytes);
  return record();
}

Event Queue::zero(void* memory, std::size_t bytes) const {
  if (runs_functions()) {
    return run([=] {
      if (bytes > 0) std::memset(memory, 0, bytes);
    });
  }
  if (bytes > 0) stream_->zero(memory, bytes);
  return record();
}

void Queue::copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                       std::size_t element) const {
  if (source.size() == 0) return;
  if (runs_functions()) {
    run([=] { seiche::copy_patch(from, source, into, target, element); });
  } else {
    stream_->copy_box(from, box_of(source), into, box_of(target), element);
  }
}

void Queue::add_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                      std::size_t element, bool single) const {
  if (source.size() == 0) return;
  if (runs_functions()) {
    const auto add = single ? seiche::add_patch<float> : seiche::add_patch<double>;
    run([=] { add(from, source, into, target, element); });
  } else {
    stream_->add_box(from, box_of(source), into, box_of(target), element, single);
  }
}

void Queue::follow_caller() const {
  if (stream_) stream_->follow_default();
}

Event Queue::record() const {
  if (stream_) return Event(stream_->record());
  return run([] {});
}

void Queue::drain() const noexcept {
  if (emulated_) emulated_->drain();
  if (stream_) static_cast<void>(fault_of([this] { stream_->record()->wait(); }));
}

}  // namespace seiche
