// SPDX-License-Identifier: BSD-3-Clause
#include "space/memory.hpp"

#include <cstring>
#include <new>

#include "device/cuda.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

namespace {

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  constexpr auto alignment = std::align_val_t{cache_line};
  return {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* data) { ::operator delete(data, alignment); }};
}

}  // namespace

std::shared_ptr<std::byte> cuda_memory(std::size_t bytes, Fresh fresh) {
  Device& device = cuda_device();
  const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(device.allocate(bytes)),
                                          [&device](std::byte* data) { device.free(data); });
  if (fresh == Fresh::zero && bytes > 0) {
    const auto stream = device.stream(nullptr);
    stream->zero(memory.get(), bytes);
    stream->record()->wait();
  }
  return memory;
}

Memory::Memory(std::size_t bytes, Fresh fresh, Space space)
    : own_(space == Space::cuda ? cuda_memory(bytes, fresh) : host_memory(bytes)),
      data_(own_.get()),
      size_(bytes),
      space_(space) {
  if (fresh == Fresh::zero && space == Space::host) clear();
}

Memory::Memory(std::shared_ptr<const SharedWindow> window, std::size_t section)
    : window_(std::move(window)),
      section_(section),
      data_(window_->mine(section)),
      size_(window_->size(section)),
      space_(window_->space()) {}

void Memory::clear() const {
  if (size_ > 0) std::memset(data_, 0, size_);
}

Memory Memory::pinned() const {
  Memory memory = *this;
  if (memory.pin_ || size_ == 0) return memory;
  Device& device = cuda_device();
  device.pin(data_, size_);
  // the registration refers to the memory, which must outlive it
  memory.pin_ =
      std::shared_ptr<void>(data_, [&device, own = own_, window = window_](void* data) { device.unpin(data); });
  return memory;
}

}  // namespace seiche
