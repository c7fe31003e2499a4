// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/device_memory.hpp"

#include "device/cuda.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Copies bytes after the work of the default stream, and waits.
void copy(const void* from, void* into, std::size_t bytes, std::size_t most) {
  require(bytes <= most, Fault::bad_argument, "device memory has {} bytes (got {} bytes to copy): copy fewer bytes",
          most, bytes);
  if (bytes == 0) return;
  const auto stream = cuda_device().stream(nullptr);
  stream->follow_default();
  stream->copy(from, into, bytes);
  stream->record()->wait();
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes)
    : memory_(cuda_device().allocate(bytes), [](void* memory) { cuda_device().free(memory); }), size_(bytes) {}

void DeviceMemory::write(const void* from, std::size_t bytes) const { copy(from, data(), bytes, size_); }
void DeviceMemory::read(void* into, std::size_t bytes) const { copy(data(), into, bytes, size_); }

}  // namespace seiche
