// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/device_memory.hpp"

#include "device/cuda.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Copies bytes after the work of the caller's stream, or of the default stream for 0, and waits.
void copy(const void* from, void* into, std::size_t bytes, std::size_t most, std::int64_t callers) {
  require(bytes <= most, Fault::bad_argument, "device memory has {} bytes (got {} bytes to copy): copy fewer bytes",
          most, bytes);
  if (bytes == 0) return;
  const auto stream = cuda_device().stream(reinterpret_cast<void*>(callers));
  stream->follow_default();
  stream->copy(from, into, bytes);
  stream->record()->wait();
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes)
    : memory_(cuda_device().allocate(bytes), [](void* memory) { cuda_device().free(memory); }), size_(bytes) {}
DeviceMemory::DeviceMemory(void* data, std::size_t bytes, std::int64_t stream)
    : memory_(data, [](void*) {}), size_(bytes), stream_(stream) {}

int DeviceMemory::device() { return cuda_device().number(); }
void DeviceMemory::write(const void* from, std::size_t bytes) const { copy(from, data(), bytes, size_, stream_); }
void DeviceMemory::read(void* into, std::size_t bytes) const { copy(data(), into, bytes, size_, stream_); }

}  // namespace seiche
