// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory, streams and events of a device.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <complex>
#include <csignal>
#include <deque>
#include <numeric>

#include "cuda/emulated_cuda.hpp"
#include "cuda/module.hpp"
#include "pipeline/progress_thread.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

/// Streams of CUDA that exist always: the legacy stream and the stream of the thread.
const std::vector<void*> streams_of_callers{reinterpret_cast<void*>(1), reinterpret_cast<void*>(2)};

std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(DeviceMemory, IsDistinguishedFromHostMemory) {
  const DeviceArray<int> array(1000);
  const std::vector<int> host(1000);
  EXPECT_TRUE(device().owns(array.data()) && device().owns(array.data() + 999));
  EXPECT_FALSE(device().owns(host.data()) || device().owns(nullptr));
  EXPECT_FALSE(device().name().empty());
  EXPECT_THROW(device().allocate(std::size_t{1} << 50), std::bad_alloc);
  device().free(device().allocate(0));
  compared(4);
}

TEST(DeviceMemory, OfTheHostIsPinnedOnce) {
  std::vector<int> host(100000);
  device().pin(host.data(), host.size() * sizeof(int));
  expect_error(Fault::unsupported, "cudaHostRegister", [&] { device().pin(host.data(), host.size() * sizeof(int)); });
  device().unpin(host.data());
  device().pin(host.data(), host.size() * sizeof(int));
  device().unpin(host.data());
}

TEST(DeviceMemory, OfTheEmulatedDeviceIsOutOfReachOfTheHost) {
  if (!emulated_device()) GTEST_SKIP() << "a real device";
  const DeviceArray<int> array(1000);
  const auto crashes = [](volatile int* address) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGSEGV, SIG_DFL);
      *address = 1;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
  };
  int host = 0;
  EXPECT_TRUE(crashes(array.data()));
  EXPECT_FALSE(crashes(&host));
  compared(2);
}

/// Makes another device current for all tests after the choice of the device, as programs with several devices do.
class OtherDevice : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!emulated_device()) return;
    EmulatedCuda().set_device(0);
  }
};
const auto* const other_device = ::testing::AddGlobalTestEnvironment(new OtherDevice);

TEST(Devices, OfThreadsThatPollAreThatOfTheProcess) {
  if (!emulated_device()) GTEST_SKIP() << "a real device";
  const EmulatedCuda cuda;
  EXPECT_EQ(device().number(), 1);
  EXPECT_EQ(cuda.device(), 0);
  std::atomic<int> of_poll{-1};
  ProgressThread thread([&] { of_poll = cuda.device(); });
  thread.on();
  while (of_poll < 0) usleep(10);
  EXPECT_EQ(of_poll, 1);
  compared(3);
}

TEST(Devices, OtherThanThatOfTheProcessAreRejected) {
  if (!emulated_device()) GTEST_SKIP() << "a real device";
  const EmulatedCuda cuda;
  void* there = nullptr;
  cuda.allocate(&there, 8);
  expect_error(Fault::bad_argument,
               "an array is in memory of CUDA device 0, but this process computes on device 1: allocate it there",
               [&] { device().owns(there); });
  cuda.free(there);
  compared(1);
}

TEST(DeviceStream, RunsInOrder) {
  auto streams = streams_of_callers;
  streams.push_back(nullptr);
  for (void* callers : streams) {
    const auto stream = device().stream(callers);
    const auto values = numbers(5000);
    std::vector<int> out(5000), expected(values);
    const DeviceArray<int> a(5000), b(5000);
    stream->copy(values.data(), a.data(), 20000);
    stream->copy(a.data(), b.data(), 20000);
    stream->zero(b.data() + 1000, 4000);
    stream->copy(b.data(), a.data(), 20000);
    stream->copy(a.data(), out.data(), 20000);
    const auto event = stream->record();
    event->wait();
    EXPECT_TRUE(event->done());
    std::fill(expected.begin() + 1000, expected.begin() + 2000, 0);
    expect_equal(out, expected);
  }
}

TEST(DeviceStream, EventsCompleteOnceEarlierWorkIsComplete) {
  const auto stream = device().stream(nullptr);
  const DeviceArray<int> array(1);
  std::vector<int> out(300, -1);
  device().pin(out.data(), out.size() * sizeof(int));
  std::deque<std::shared_ptr<DeviceEvent>> events;
  const auto values = numbers(300);
  for (std::size_t i = 0; i < 300; ++i) {
    stream->copy(&values[i], array.data(), sizeof(int));
    stream->copy(array.data(), &out[i], sizeof(int));
    events.push_back(stream->record());
    if (i % 3 < 2) continue;
    events.front()->wait();
    events.pop_front();  // its event of CUDA is used again
    EXPECT_EQ(out[i / 3], values[i / 3]);
  }
  while (!events.back()->done()) usleep(10);
  device().unpin(out.data());
  expect_equal(out, values);
}

/// Calls work(element of `from`, element of `into`) with the definition of DeviceBox. Indices count elements.
template <class Work>
void each_pair(const DeviceBox& from, const DeviceBox& into, const Work& work) {
  for (std::int64_t k = 0; k < from.shape[2]; ++k) {
    for (std::int64_t j = 0; j < from.shape[1]; ++j) {
      for (std::int64_t i = 0; i < from.shape[0]; ++i) {
        const auto at = [&](const DeviceBox& box) {
          return static_cast<std::size_t>(i * box.stride[0] + j * box.stride[1] + k * box.stride[2]);
        };
        work(at(from), at(into));
      }
    }
  }
}

struct TwoBoxes {
  DeviceBox from, into;
};
const std::vector<TwoBoxes> two_boxes{{{{300, 1, 1}, {1, 0, 0}}, {{300, 1, 1}, {2, 0, 0}}},
                                      {{{4, 5, 6}, {1, 4, 20}}, {{4, 5, 6}, {30, 6, 1}}},
                                      {{{7, 3, 5}, {6, 50, 1}}, {{7, 3, 5}, {1, 9, 30}}},
                                      {{{1, 2, 1100}, {0, 1, 3}}, {{1, 2, 1100}, {0, 1, 2}}},
                                      {{{2, 0, 3}, {1, 2, 4}}, {{2, 0, 3}, {1, 2, 4}}}};

TEST(DeviceStream, CopiesBoxes) {
  const auto stream = device().stream(nullptr);
  for (const TwoBoxes& boxes : two_boxes) {
    for (const std::size_t element : {4, 8, 16, 48}) {
      for (const std::size_t shift : {0, 4}) {  // other alignment
        const auto values = numbers(40000);
        std::vector<int> expected(40000), out(40000);
        each_pair(boxes.from, boxes.into, [&](std::size_t from, std::size_t into) {
          std::copy_n(reinterpret_cast<const char*>(values.data()) + shift + from * element, element,
                      reinterpret_cast<char*>(expected.data()) + shift + into * element);
        });
        const DeviceArray<int> from(*stream, values), into(40000);
        stream->zero(into.data(), 160000);
        stream->copy_box(reinterpret_cast<char*>(from.data()) + shift, boxes.from,
                         reinterpret_cast<char*>(into.data()) + shift, boxes.into, element);
        expect_equal(into.values(*stream), expected);
        device().pin(out.data(), 160000);  // the box of the host
        stream->copy_box(reinterpret_cast<char*>(from.data()) + shift, boxes.from,
                         reinterpret_cast<char*>(out.data()) + shift, boxes.into, element);
        stream->record()->wait();
        device().unpin(out.data());
        expect_equal(out, expected);
      }
    }
  }
}

/// `reals`: numbers of an element
template <class Real>
void adds_boxes(std::size_t reals) {
  const auto stream = device().stream(nullptr);
  for (const TwoBoxes& boxes : two_boxes) {
    std::vector<Real> values(20000), sums(20000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 1 / static_cast<Real>(i + 1);
      sums[i] = static_cast<Real>(i) / 3;
    }
    const DeviceArray<Real> from(*stream, values), into(*stream, sums);
    each_pair(boxes.from, boxes.into, [&](std::size_t read, std::size_t write) {
      for (std::size_t r = 0; r < reals; ++r) sums[write * reals + r] += values[read * reals + r];
    });
    stream->add_box(from.data(), boxes.from, into.data(), boxes.into, reals * sizeof(Real),
                    std::is_same_v<Real, float>);
    expect_equal(into.values(*stream), sums);
  }
}

TEST(DeviceStream, AddsBoxes) {
  for (const std::size_t reals : {1, 2, 3}) {
    adds_boxes<float>(reals);
    adds_boxes<double>(reals);
  }
}

template <class Real>
void packs_waves() {
  using Number = std::complex<Real>;
  constexpr std::int32_t plain = 0, conjugate = DeviceSphere::conjugate, mirror = conjugate + DeviceSphere::mirror;
  constexpr bool single = std::is_same_v<Real, float>;
  const auto stream = device().stream(nullptr);
  std::vector<Number> values, packed, unpacked;
  std::vector<std::int32_t> list;
  for (int i = 0; i < 700; ++i) values.emplace_back(static_cast<Real>(i), static_cast<Real>(i + 1));
  unpacked = values;
  for (std::int32_t i = 0; i < 700; ++i) {
    const std::int32_t flags = i % 5 == 0 ? mirror : i % 5 == 1 ? conjugate : plain;
    const std::int32_t from = 3 * i % 700;
    list.push_back(i % 7 == 3 ? DeviceSphere::no_wave : DeviceSphere::flags * from + flags);
    const Number value = values[static_cast<std::size_t>(from)];
    packed.push_back(i % 7 == 3 ? Number() : flags == plain ? value : std::conj(value));
    if (i % 7 != 3 && flags != mirror) unpacked[static_cast<std::size_t>(from)] = value + value;
  }
  const DeviceArray<std::int32_t> lists(*stream, list);
  const DeviceArray<Number> a(*stream, values), b(list.size());
  stream->pack_waves(a.data(), b.data(), lists.data(), 700, single);
  expect_equal(b.values(*stream), packed);
  stream->unpack_waves(b.data(), a.data(), lists.data(), 700, single, true);
  expect_equal(a.values(*stream), unpacked);
  stream->zero(a.data(), values.size() * sizeof(Number));
  for (std::int32_t i = 0; i < 700; ++i) {
    const auto from = static_cast<std::size_t>(3 * i % 700);
    values[from] = i % 7 == 3 || i % 5 == 0 ? Number() : values[from];
  }
  stream->unpack_waves(b.data(), a.data(), lists.data(), 700, single, false);
  expect_equal(a.values(*stream), values);
}

TEST(DeviceStream, ConvertsToSinglePrecision) {
  const auto stream = device().stream(nullptr);
  std::vector<double> values(1001);
  std::iota(values.begin(), values.end(), 1.0 / 3);
  const DeviceArray<double> from(*stream, values);
  const DeviceArray<float> into(values.size());
  stream->narrow(from.data(), into.data(), 1000);
  stream->narrow(from.data() + 1000, into.data() + 1000, 1);
  stream->narrow(nullptr, nullptr, 0);
  expect_equal(into.values(*stream), std::vector<float>(values.begin(), values.end()));
}

TEST(DeviceStream, PacksAndUnpacksWaves) {
  packs_waves<double>();
  packs_waves<float>();
}

}  // namespace
}  // namespace seiche::testing
