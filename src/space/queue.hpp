// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where kernels run in order, and events that tell when they have run.
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

/// A point in a queue.
class Event {
 public:
  Event() = default;  ///< one that has come

  /// Returns whether wait() would not wait. It never waits itself.
  bool done() const { return !device_ || device_done(); }
  /// Waits until all kernels before this point have run. Throws the first fault of theirs that nobody has thrown yet.
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

/// Runs kernels in the order in which they were given. On the host a kernel runs at once, and what it throws is thrown
/// here. On a device kernels run later, and what they capture must last until then. Copies go through the
/// same order.
class Queue {
 public:
  Queue() = default;  ///< of the host
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
  /// Copies bytes within the host, within the device or between them.
  Event copy(const void* from, void* into, std::size_t bytes) const {
    return run([=] {
      if (bytes > 0) std::memcpy(into, from, bytes);
    });
  }
  void drain() const noexcept;  ///< Waits for all kernels, and throws nothing.

 private:
  Event add(std::function<void()> kernel) const;

  std::shared_ptr<EmulatedDevice> device_;
};

}  // namespace seiche
