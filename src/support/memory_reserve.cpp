// SPDX-License-Identifier: BSD-3-Clause
#include "support/memory_reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace seiche {

namespace {

constexpr std::size_t reserved_bytes = std::size_t{1} << 20;

std::atomic<void*> reserve{nullptr};
std::new_handler earlier = nullptr;

void free_reserve() {
  if (void* held = reserve.exchange(nullptr)) return std::free(held);
  if (earlier == nullptr) throw std::bad_alloc();
  earlier();
}

}  // namespace

void hold_memory_reserve() noexcept {
  static const bool installed = [] {
    earlier = std::set_new_handler(free_reserve);
    return true;
  }();
  static_cast<void>(installed);
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  void* fresh = std::malloc(reserved_bytes);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, fresh)) std::free(fresh);
}

std::optional<Error> memory_fault() noexcept {
  hold_memory_reserve();
  if (reserve.load(std::memory_order_relaxed) != nullptr) return std::nullopt;
  return Error(Fault::bad_argument, "not enough memory: use more processes or a smaller case");
}

}  // namespace seiche
