// SPDX-License-Identifier: BSD-3-Clause
/// \file  Queues: kernels run in order, at once on the host and later on a device, whose memory the host cannot touch.
#include "space/queue.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#include "space/guarded.hpp"
#include "space/kernel_array.hpp"
#include "space/memory.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

int* numbers(const Memory& memory) { return reinterpret_cast<int*>(memory.data()); }

TEST(Queue, OfTheHostRunsKernelsAtOnce) {
  const Queue queue;
  const std::thread::id here = std::this_thread::get_id();
  std::thread::id there;
  const Event event = queue.run([&] { there = std::this_thread::get_id(); });
  EXPECT_EQ(there, here);
  EXPECT_TRUE(event.done());
  event.wait();
  EXPECT_TRUE(queue.on_host() && Queue(Space::host).on_host());
  EXPECT_FALSE(Queue(Space::emulated).on_host());
  expect_error(Fault::bad_file, "a kernel of the host",
               [&] { queue.run([] { throw Error(Fault::bad_file, "a kernel of the host"); }); });
}

TEST(Queue, OfADeviceRunsKernelsInOrderBesideTheHost) {
  const Queue queue(Space::emulated);
  std::atomic<bool> opened{false};
  std::vector<int> order, wanted(100);
  const Event gate = queue.run([&] {
    while (!opened) std::this_thread::yield();
  });
  Event last;
  for (int i = 0; i < 100; ++i) last = queue.run([&order, i] { order.push_back(i); });
  EXPECT_FALSE(gate.done() || last.done());
  EXPECT_TRUE(Event().done());
  opened = true;
  last.wait();
  EXPECT_TRUE(gate.done() && last.done());
  std::iota(wanted.begin(), wanted.end(), 0);
  expect_equal(order, wanted);
}

TEST(Queue, FaultsOfKernelsAreThrownOnceByTheNextToWait) {
  const Queue queue(Space::emulated);
  int after = 0;
  const Event before = queue.run([] {});
  const Event guilty = queue.run([] { throw Error(Fault::bad_argument, "kernel 2"); });
  queue.run([] { throw Error(Fault::bad_argument, "kernel 3"); });
  const Event last = queue.run([&] { ++after; });
  queue.drain();
  before.wait();
  expect_error(Fault::bad_argument, "kernel 2", [&] { guilty.wait(); });
  guilty.wait();
  expect_error(Fault::bad_argument, "kernel 3", [&] { last.wait(); });
  last.wait();
  EXPECT_EQ(after, 1) << "a fault does not stop what comes after it";
}

TEST(Queue, CopiesBetweenHostAndDevice) {
  for (const Space space : {Space::host, Space::emulated}) {
    const Queue queue(space);
    const std::vector<int> in{3, 1, 4};
    std::vector<int> out(3), wanted{6, 2, 8};
    const Memory memory(sizeof(int) * 3, seiche::Fresh::raw, space);
    EXPECT_EQ(memory.space(), space);
    queue.copy(in.data(), memory.data(), memory.size());
    queue.run([memory] {
      for (int i = 0; i < 3; ++i) numbers(memory)[i] *= 2;
    });
    queue.copy(memory.data(), out.data(), memory.size()).wait();
    expect_equal(out, wanted);
    std::vector<int> callers{1, 2, 3};
    const KernelArray<int> array(queue, callers);
    EXPECT_EQ(array.data() == callers.data(), space == Space::host);
    queue.run([data = array.data()] { data[1] = 7; });
    array.take_back();
    expect_equal(callers, std::vector<int>{1, 7, 3});
  }
}

template <class Real>
void adds_patches(Space space) {
  constexpr std::size_t reals = 2, element = reals * sizeof(Real);
  const Patch from{0, {3, 2, 2}, {1, 4, 9}}, rows{0, {3, 2, 2}, {1, 3, 6}}, apart{0, {3, 2, 2}, {4, 1, 12}};
  const Queue queue(space);
  for (const Patch& into : {rows, apart}) {
    std::vector<Real> values(40), sums(60, Real(0.5)), wanted = sums;
    std::iota(values.begin(), values.end(), Real(1));
    for (std::int64_t k = 0; k < 2; ++k) {
      for (std::int64_t j = 0; j < 2; ++j) {
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::size_t r = 0; r < reals; ++r) {
            wanted[static_cast<std::size_t>(i * into.stride[0] + j * into.stride[1] + k * into.stride[2]) * reals +
                   r] += values[static_cast<std::size_t>(i + 4 * j + 9 * k) * reals + r];
          }
        }
      }
    }
    const KernelArray<Real> read(queue, values), write(queue, sums);
    queue.add_patch(reinterpret_cast<const std::byte*>(read.data()), from, reinterpret_cast<std::byte*>(write.data()),
                    into, element, std::is_same_v<Real, float>);
    write.take_back();
    expect_equal(sums, wanted);
  }
}

TEST(Queue, AddsPatches) {
  for (const Space space : {Space::host, Space::emulated}) {
    adds_patches<float>(space);
    adds_patches<double>(space);
  }
}

/// Whether a process that does this ends by a fault of memory.
template <class Work>
bool crashes(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST(DeviceMemory, IsOutOfReachOfTheHost) {
  for (const bool keys : {true, false}) {
    set_protection_keys(keys);
    const Queue queue(Space::emulated);
    const Memory memory(5000, seiche::Fresh::zero, Space::emulated);
    volatile int* first = numbers(memory);
    int seen = -1;
    queue.run([&] { seen = numbers(memory)[1249]; }).wait();
    EXPECT_EQ(seen, 0) << "it comes zero";
    EXPECT_TRUE(crashes([&] { seen = *first; }));
    EXPECT_TRUE(crashes([&] { *first = 1; }));
    EXPECT_TRUE(crashes([&] { std::thread([&] { seen = *first; }).join(); }));
    queue.run([&] { std::thread([&] { *first = 5; }).join(); }).wait();  // kernels may share their work
    queue.run([&] { seen = *first; }).wait();
    EXPECT_EQ(seen, 5);
    EXPECT_FALSE(crashes([&] { seen = numbers(Memory(8, seiche::Fresh::zero))[0]; }));
    compared(6);
  }
  set_protection_keys(true);
}

}  // namespace
}  // namespace seiche::testing
