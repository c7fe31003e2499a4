// SPDX-License-Identifier: BSD-3-Clause
#include "space/memory.hpp"

#include <cstring>
#include <new>

#include "space/guarded.hpp"
#include "support/memory.hpp"

namespace seiche {

namespace {

std::shared_ptr<std::byte> host_memory(std::size_t bytes) {
  constexpr auto alignment = std::align_val_t{cache_line};
  return {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* data) { ::operator delete(data, alignment); }};
}

}  // namespace

Memory::Memory(std::size_t bytes, Fresh fresh, Space space)
    : own_(space == Space::host ? host_memory(bytes) : guarded_memory(bytes)),
      data_(own_.get()),
      size_(bytes),
      space_(space) {
  if (fresh == Fresh::zero && space == Space::host) clear();  // guarded memory is zeroed already
}

Memory::Memory(std::shared_ptr<const SharedWindow> window, std::size_t section)
    : window_(std::move(window)), section_(section), data_(window_->mine(section)), size_(window_->size(section)) {}

void Memory::clear() const {
  if (size_ > 0) std::memset(data_, 0, size_);
}

}  // namespace seiche
