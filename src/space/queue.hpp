// SPDX-License-Identifier: BSD-3-Clause
/// \file  Queues that run kernels in order, and events that tell when they are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "seiche/space.hpp"

namespace seiche {

class EmulatedDevice;

/// A position in a queue.
class Event {
 public:
  Event() = default;  ///< a completed event

  /// Tells whether wait() would return immediately. Never blocks.
  bool done() const { return !device_ || device_done(); }
  /// Waits until all kernels before this position are complete. Throws their first exception that has not been thrown
  /// yet.
  void wait() const {
    if (device_) device_wait();
  }

 private:
  friend class Queue;
  Event(std::shared_ptr<EmulatedDevice> device, std::int64_t kernel) : device_(std::move(device)), kernel_(kernel) {}
  bool device_done() const;
  void device_wait() const;

  std::shared_ptr<EmulatedDevice> device_;
  std::int64_t kernel_ = 0;
};

/// Runs kernels in the order of submission. On the host, a kernel runs immediately and its exception is thrown here. On
/// a device, kernels run later, and captured objects must live until then. Copies have the same order.
class Queue {
 public:
  Queue() = default;  ///< queue of the host
  explicit Queue(Space space);

  Space space() const { return device_ ? Space::emulated : Space::host; }
  bool on_host() const { return !device_; }

  template <class Kernel>
  Event run(Kernel kernel) const {
    if (on_host()) {
      kernel();
      return {};
    }
    return add(std::move(kernel));
  }
  /// Copies bytes within the host, within the device, or between them.
  Event copy(const void* from, void* into, std::size_t bytes) const {
    return run([=] {
      if (bytes > 0) std::memcpy(into, from, bytes);
    });
  }
  void drain() const noexcept;  ///< Waits for all kernels without throwing.

 private:
  Event add(std::function<void()> kernel) const;

  std::shared_ptr<EmulatedDevice> device_;
};

}  // namespace seiche
