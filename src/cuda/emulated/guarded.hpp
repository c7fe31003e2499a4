// SPDX-License-Identifier: BSD-3-Clause
/// \file  Device memory. A thread that does not run a kernel crashes when it accesses this memory.
#pragma once

#include <cstddef>
#include <memory>

namespace seiche::emulated {

/// Maps a file, which other processes may map, too. `bytes`: its size, a multiple of the size of a page. An access to
/// the page after the memory raises SIGBUS. \throws std::bad_alloc
std::shared_ptr<std::byte> guarded_memory(std::size_t bytes, int file);

/// Gives access to all guarded memory during its lifetime. With protection keys, only this thread and threads that it
/// starts have access. Without them, all threads have access.
class OpenGuard {
 public:
  OpenGuard();
  ~OpenGuard();
  OpenGuard(const OpenGuard&) = delete;
  OpenGuard& operator=(const OpenGuard&) = delete;
};

/// For tests. Enables or disables protection keys for new memory. \pre no guarded memory exists
void set_protection_keys(bool used);

}  // namespace seiche::emulated
