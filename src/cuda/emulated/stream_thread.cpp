// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/emulated/stream_thread.hpp"

#include <chrono>
#include <optional>

#include "cuda/emulated/guarded.hpp"

namespace seiche::emulated {

namespace {

/// Each stream of a process has its own delays, which are equal in each run.
unsigned next_seed() {
  static std::atomic<unsigned> streams{0};
  return 20261126U + streams.fetch_add(1);
}

}  // namespace

StreamThread::StreamThread() : random_(next_seed()), thread_([this] { work(); }) {}

StreamThread::~StreamThread() {
  {
    const std::scoped_lock held(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t StreamThread::add(std::function<void()> kernel) {
  const std::scoped_lock held(mutex_);
  kernels_.push_back(std::move(kernel));
  changed_.notify_all();
  return ++given_;
}

bool StreamThread::done_soon(std::int64_t number) {
  if (done(number)) return true;
  std::unique_lock held(mutex_);
  return changed_.wait_for(held, std::chrono::microseconds(50), [&] { return done(number); });
}

void StreamThread::wait(std::int64_t number) {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return done(number); });
  if (faults_.empty() || faults_.front().kernel > number) return;
  const Fault first = std::move(faults_.front());
  while (!faults_.empty() && faults_.front().kernel <= number) faults_.pop_front();
  std::rethrow_exception(first.thrown);
}

/// Half of the kernels start immediately, the others after a random delay.
void StreamThread::delay() {
  constexpr unsigned most = 200;
  const auto draw = static_cast<unsigned>(random_()) >> 8;
  if (draw % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds((draw >> 1) % most));
}

/// Device memory stays accessible between kernels that follow each other, because changes of protection are slow. It is
/// protected before the event of the last one completes.
void StreamThread::work() {
  std::unique_lock held(mutex_);
  std::optional<OpenGuard> opened;
  for (;;) {
    changed_.wait(held, [&] { return ending_ || !kernels_.empty(); });
    if (kernels_.empty()) return;
    auto kernel = std::move(kernels_.front());
    kernels_.pop_front();
    held.unlock();
    std::exception_ptr thrown;
    delay();
    if (!opened) opened.emplace();
    try {
      kernel();
    } catch (...) {
      thrown = std::current_exception();
    }
    kernel = nullptr;  // destroy captured objects before the event completes
    held.lock();
    if (kernels_.empty()) opened.reset();
    const std::int64_t number = done_.load(std::memory_order_relaxed) + 1;
    if (thrown) faults_.push_back({number, thrown});
    done_.store(number, std::memory_order_release);
    changed_.notify_all();
  }
}

}  // namespace seiche::emulated
