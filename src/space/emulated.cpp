// SPDX-License-Identifier: BSD-3-Clause
#include "space/emulated.hpp"

#include <chrono>

#include "space/guarded.hpp"

namespace seiche {

namespace {

/// Each device of a process has its own delays, which are equal in each run.
unsigned next_seed() {
  static std::atomic<unsigned> devices{0};
  return 20261126U + devices.fetch_add(1);
}

}  // namespace

EmulatedDevice::EmulatedDevice() : random_(next_seed()), thread_([this] { work(); }) {}

EmulatedDevice::~EmulatedDevice() {
  {
    const std::scoped_lock held(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t EmulatedDevice::add(std::function<void()> kernel) {
  const std::scoped_lock held(mutex_);
  kernels_.push_back(std::move(kernel));
  changed_.notify_all();
  return ++given_;
}

bool EmulatedDevice::done_soon(std::int64_t number) {
  if (done(number)) return true;
  std::unique_lock held(mutex_);
  return changed_.wait_for(held, std::chrono::microseconds(50), [&] { return done(number); });
}

void EmulatedDevice::wait(std::int64_t number) {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return done(number); });
  if (faults_.empty() || faults_.front().kernel > number) return;
  const Fault first = std::move(faults_.front());
  while (!faults_.empty() && faults_.front().kernel <= number) faults_.pop_front();
  std::rethrow_exception(first.thrown);
}

void EmulatedDevice::drain() noexcept {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return done(given_); });
}

/// Half of the kernels start immediately, the others after a random delay.
void EmulatedDevice::delay() {
  constexpr unsigned most = 200;
  const auto draw = static_cast<unsigned>(random_()) >> 8;
  if (draw % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds((draw >> 1) % most));
}

void EmulatedDevice::work() {
  std::unique_lock held(mutex_);
  for (;;) {
    changed_.wait(held, [&] { return ending_ || !kernels_.empty(); });
    if (kernels_.empty()) return;
    auto kernel = std::move(kernels_.front());
    kernels_.pop_front();
    held.unlock();
    std::exception_ptr thrown;
    delay();
    try {
      const OpenGuard opened;
      kernel();
    } catch (...) {
      thrown = std::current_exception();
    }
    kernel = nullptr;  // destroy captured objects before the event completes
    held.lock();
    const std::int64_t number = done_.load(std::memory_order_relaxed) + 1;
    if (thrown) faults_.push_back({number, thrown});
    done_.store(number, std::memory_order_release);
    changed_.notify_all();
  }
}

}  // namespace seiche
