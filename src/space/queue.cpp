// SPDX-License-Identifier: BSD-3-Clause
#include "space/queue.hpp"

#include "space/emulated.hpp"

namespace seiche {

bool Event::device_done() const { return device_->done(kernel_); }
void Event::device_wait() const { device_->wait(kernel_); }

Queue::Queue(Space space) : device_(space == Space::host ? nullptr : std::make_shared<EmulatedDevice>()) {}

Event Queue::add(std::function<void()> kernel) const { return {device_, device_->add(std::move(kernel))}; }

void Queue::drain() const noexcept {
  if (device_) device_->drain();
}

}  // namespace seiche
