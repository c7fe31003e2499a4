// SPDX-License-Identifier: BSD-3-Clause
#include "space/memory.hpp"

#include <cstring>
#include <new>

#include "support/memory.hpp"

namespace seiche {

Memory::Memory(std::size_t bytes, Fresh fresh) : size_(bytes) {
  constexpr auto alignment = std::align_val_t{cache_line};
  own_ = {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* data) { ::operator delete(data, alignment); }};
  data_ = own_.get();
  if (fresh == Fresh::zero) clear();
}

Memory::Memory(std::shared_ptr<const SharedWindow> window, std::size_t section)
    : window_(std::move(window)), section_(section), data_(window_->mine(section)), size_(window_->size(section)) {}

void Memory::clear() const {
  if (size_ > 0) std::memset(data_, 0, size_);
}

}  // namespace seiche
