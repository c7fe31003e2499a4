// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of the emulated device: a thread that does not run a kernel crashes when it touches it.
#pragma once

#include <cstddef>
#include <memory>

namespace seiche {

/// Returns new memory, which is zero and begins a page. \throws std::bad_alloc
std::shared_ptr<std::byte> guarded_memory(std::size_t bytes);

/// Opens all guarded memory for as long as it lives. With protection keys of the processor it opens it for this thread
/// and the threads that this one starts. Without them it opens it for all threads.
class OpenGuard {
 public:
  OpenGuard();
  ~OpenGuard();
  OpenGuard(const OpenGuard&) = delete;
  OpenGuard& operator=(const OpenGuard&) = delete;
};

/// For tests. Protects memory that is made from here on without protection keys. \pre no guarded memory is there
void set_protection_keys(bool used);

}  // namespace seiche
