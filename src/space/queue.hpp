// SPDX-License-Identifier: BSD-3-Clause
/// \file  Queues that run kernels in order, and events that tell when they are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "device/device.hpp"
#include "layout/route.hpp"
#include "seiche/space.hpp"

namespace seiche {

/// A position in a queue.
class Event {
 public:
  Event() = default;  ///< a completed event
  explicit Event(std::shared_ptr<DeviceEvent> event) : event_(std::move(event)) {}

  /// Tells whether wait() would return immediately.
  bool done() const { return !event_ || event_->done(); }
  /// Waits until all kernels before this position are complete. Throws their first exception that has not been thrown
  /// yet.
  void wait() const {
    if (event_) event_->wait();
  }

 private:
  std::shared_ptr<DeviceEvent> event_;
};

/// Runs copies and kernels in the order of submission: immediately on the host, later on a device.
class Queue {
 public:
  Queue() = default;  ///< queue of the host
  /// `callers`: handle of the caller's stream, or 0 (see FftOptions::stream). \throws Error if there is no device
  explicit Queue(Space space, std::int64_t callers = 0);

  Space space() const { return on_host() ? Space::host : Space::cuda; }
  bool on_host() const { return !stream_; }
  DeviceStream& stream() const { return *stream_; }  ///< kernels of the device; \pre !on_host()

  /// Tells whether kernels can access an array of the caller. \throws Error if it is in memory of another device
  bool reaches(const void* callers) const;
  /// Checks that an array of the caller is not in memory of another device. \throws Error if it is
  void require_here(const void* callers) const { static_cast<void>(reaches(callers)); }

  /// Copies bytes within the host, within the device, or between them.
  Event copy(const void* from, void* into, std::size_t bytes) const;
  Event zero(void* memory, std::size_t bytes) const;
  /// Copies the elements of a patch to another patch with the same counts. Offsets are not used: `from` and `into`
  /// point to the first elements, in memory of the device, or pinned memory of the host (see Memory::pinned()).
  void copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                  std::size_t element) const;
  /// Adds the elements of a patch to another patch, as copy_patch(). Elements consist of floats if `single`, else of
  /// doubles.
  void add_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target, std::size_t element,
                 bool single) const;
  void follow_caller() const;   ///< Lets later kernels see what the caller has written to device memory before.
  Event record() const;         ///< Returns the current end of the queue.
  void drain() const noexcept;  ///< Waits for all kernels without throwing.

 private:
  std::shared_ptr<DeviceStream> stream_;
};

}  // namespace seiche
