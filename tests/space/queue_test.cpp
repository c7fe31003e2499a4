// SPDX-License-Identifier: BSD-3-Clause
/// \file  Queues of the host and of a device.
#include "space/queue.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <type_traits>
#include <vector>

#include "space/kernel_array.hpp"
#include "space/memory.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

TEST(Queue, KnowsItsSpace) {
  EXPECT_TRUE(Queue().on_host() && Queue(Space::host).on_host());
  EXPECT_FALSE(Queue(Space::cuda).on_host());
  EXPECT_EQ(Queue(Space::cuda).space(), Space::cuda);
  EXPECT_TRUE(Event().done());
  expect_error(Fault::bad_argument, "unknown space (number 1)", [] { Queue(static_cast<Space>(1)); });
}

TEST(Queue, CopiesBetweenHostAndDevice) {
  for (const Space space : {Space::host, Space::cuda}) {
    const Queue queue(space);
    const std::vector<int> in{3, 1, 4};
    std::vector<int> out(3);
    const Memory memory(sizeof(int) * 3, seiche::Fresh::raw, space);
    EXPECT_EQ(memory.space(), space);
    queue.copy(in.data(), memory.data(), memory.size());
    queue.zero(memory.data() + sizeof(int), sizeof(int));
    const Event copied = queue.copy(memory.data(), out.data(), memory.size());
    copied.wait();
    EXPECT_TRUE(copied.done());
    expect_equal(out, std::vector<int>{3, 0, 4});
    std::vector<int> callers{1, 2, 3};
    const KernelArray<int> array(queue, callers);
    EXPECT_EQ(array.data() == callers.data(), space == Space::host);
    queue.copy(&in[2], array.data() + 1, sizeof(int));
    array.take_back();
    expect_equal(callers, std::vector<int>{1, 4, 3});
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
  for (const Space space : {Space::host, Space::cuda}) {
    adds_patches<float>(space);
    adds_patches<double>(space);
  }
}

}  // namespace
}  // namespace seiche::testing
