// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/emulated/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

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

/// All guarded memory of this process, for protection by pages. The first access of a kernel to a block opens this
/// block, because changes of protection are slow.
class Pages {
 public:
  /// Never destroyed, because plans may outlive main().
  static Pages& get() {
    static Pages& all = *new Pages;
    return all;
  }
  void add(std::byte* data, std::size_t bytes) {
    const std::scoped_lock held(mutex_);
    all_[data] = bytes;
    mprotect(data, bytes, PROT_NONE);
  }
  void remove(std::byte* data) {
    const std::scoped_lock held(mutex_);
    all_.erase(data);
    std::erase(opened_, data);
  }
  void allow() {
    const std::scoped_lock held(mutex_);
    if (allowed_++ == 0) catch_faults();
  }
  void forbid() {
    const std::scoped_lock held(mutex_);
    if (--allowed_ > 0) return;
    for (std::byte* data : opened_) mprotect(data, all_.at(data), PROT_NONE);
    opened_.clear();
  }

 private:
  using Action = struct sigaction;

  /// Programs and tests replace the handler of signals.
  void catch_faults() {
    Action mine{}, other{};
    mine.sa_sigaction = [](int, siginfo_t* fault, void*) { get().open_at(static_cast<std::byte*>(fault->si_addr)); };
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &mine, &other);
    if (other.sa_sigaction != mine.sa_sigaction) other_ = other;
  }
  /// Opens the block with this address, or restores the earlier handler, which then receives the same signal.
  void open_at(std::byte* address) {
    const std::scoped_lock held(mutex_);
    auto after = all_.upper_bound(address);
    const bool mine = allowed_ > 0 && after != all_.begin() && (--after, address < after->first + after->second);
    if (!mine) return static_cast<void>(sigaction(SIGSEGV, &other_, nullptr));
    if (mprotect(after->first, after->second, open) != 0) std::abort();
    opened_.push_back(after->first);
  }

  std::mutex mutex_;
  std::map<std::byte*, std::size_t> all_;
  std::vector<std::byte*> opened_;
  int allowed_ = 0;
  Action other_{};
};

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
  const std::size_t with_fence = bytes + page;
  std::byte* data = mapped(nullptr, with_fence, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  const std::shared_ptr<std::byte> memory(data, [with_fence](std::byte* mine) {
    Pages::get().remove(mine);
    munmap(mine, with_fence);
  });
  mapped(data, bytes, MAP_SHARED | MAP_FIXED, file);
  mapped(data + bytes, page, MAP_SHARED | MAP_FIXED, empty_file());
  by_keys() ? guard_by_key(data, bytes) : Pages::get().add(data, with_fence);
  return memory;
}

OpenGuard::OpenGuard() { by_keys() ? set_access(true) : Pages::get().allow(); }
OpenGuard::~OpenGuard() { by_keys() ? set_access(false) : Pages::get().forbid(); }

void set_protection_keys(bool used) { keys_wanted = used; }

}  // namespace seiche::emulated
