// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/emulated/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <new>

#include "support/memory.hpp"

namespace seiche::emulated {

namespace {

constexpr int open = PROT_READ | PROT_WRITE;

#ifdef PKEY_DISABLE_ACCESS
/// Protection key of this process, or -1 if the processor or the system has none. New threads have no access.
int protection_key() {
  static const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  return key;
}
void guard_by_key(std::byte* data, std::size_t bytes) { pkey_mprotect(data, bytes, open, protection_key()); }
void set_access(bool allowed) { pkey_set(protection_key(), allowed ? 0 : PKEY_DISABLE_ACCESS); }
#else
int protection_key() { return -1; }
void guard_by_key(std::byte*, std::size_t) {}
void set_access(bool) {}
#endif

std::atomic<bool> keys_wanted{true};
bool by_keys() { return keys_wanted && protection_key() > 0; }

/// All guarded memory of this process, for protection by pages.
class Pages {
 public:
  void add(std::byte* data, std::size_t bytes) {
    const std::scoped_lock held(mutex_);
    all_[data] = bytes;
    if (open_ == 0) mprotect(data, bytes, PROT_NONE);
  }
  void remove(std::byte* data) {
    const std::scoped_lock held(mutex_);
    all_.erase(data);
  }
  void change(int by) {
    const std::scoped_lock held(mutex_);
    const bool was_open = open_ > 0;
    open_ += by;
    if (was_open == (open_ > 0)) return;
    protect_all(open_ > 0 ? open : PROT_NONE);
  }

 private:
  /// Protects adjacent memory by one call, because calls are expensive if several threads run.
  void protect_all(int access) const {
    for (auto first = all_.begin(); first != all_.end();) {
      std::byte* end = first->first;
      auto next = first;
      for (; next != all_.end() && next->first == end; ++next) end += next->second;
      mprotect(first->first, static_cast<std::size_t>(end - first->first), access);
      first = next;
    }
  }

  std::mutex mutex_;
  std::map<std::byte*, std::size_t> all_;
  int open_ = 0;
};

/// Never destroyed, because plans may outlive main().
Pages& pages() {
  static Pages& all = *new Pages;
  return all;
}

/// An empty file. Access to a page of it always fails.
int empty_file() {
  static const int file = memfd_create("fence", MFD_CLOEXEC);
  return file;
}

std::byte* mapped(void* at, std::size_t bytes, int flags, int file) {
  void* found = mmap(at, bytes, open, flags, file, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(found);
}

}  // namespace

std::shared_ptr<std::byte> guarded_memory(std::size_t bytes, int file) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = rounded_up(bytes + 1, page), with_fence = size + page;  // at least one page
  std::byte* data = mapped(nullptr, with_fence, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  const std::shared_ptr<std::byte> memory(data, [with_fence](std::byte* mine) {
    pages().remove(mine);
    munmap(mine, with_fence);
  });
  if (file >= 0) mapped(data, size, MAP_SHARED | MAP_FIXED, file);
  mapped(data + size, page, MAP_SHARED | MAP_FIXED, empty_file());
  by_keys() ? guard_by_key(data, size) : pages().add(data, with_fence);
  return memory;
}

OpenGuard::OpenGuard() { by_keys() ? set_access(true) : pages().change(1); }
OpenGuard::~OpenGuard() { by_keys() ? set_access(false) : pages().change(-1); }

void set_protection_keys(bool used) { keys_wanted = used; }

}  // namespace seiche::emulated
