// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory as a value: who keeps it, when it is zero, when exchanges use it again, what ranks share.
#include "space/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "exchange/exchange_interface.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

bool is_zero(const Memory& memory) {
  return std::all_of(memory.data(), memory.data() + memory.size(), [](std::byte b) { return b == std::byte{0}; });
}

TEST(Memory, IsAlignedAndZeroWhereAskedFor) {
  const Memory memory(1000, seiche::Fresh::zero);
  EXPECT_EQ(memory.size(), 1000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % cache_line, 0U);
  EXPECT_TRUE(is_zero(memory));
  EXPECT_FALSE(memory.shared());
  compared(4);
}

TEST(Memory, LastsAsLongAsACopy) {
  Memory copy;
  EXPECT_EQ(copy.data(), nullptr);
  {
    const Memory memory(8, seiche::Fresh::zero);
    memory.data()[0] = std::byte{7};
    copy = memory;
  }
  EXPECT_EQ(copy.data()[0], std::byte{7});
  copy.clear();
  EXPECT_TRUE(is_zero(copy));
  compared(3);
}

/// Each rank gives a row of `size` values to each.
Route rows_of(std::int64_t size) {
  Route route;
  for (int q = 0; q < ranks(); ++q) {
    route.source.push_back(row_patch(q * size, size));
    route.target.push_back(row_patch(q * size, size));
  }
  route.source_size = route.target_size = ranks() * size;
  return route;
}

TEST(Memory, OfEarlierExchangesIsUsedAgainWhereItSuffices) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const Algorithm algorithm : {Algorithm::shared, Algorithm::pairwise}) {
    const ExchangeRequest request{.algorithm = algorithm, .target_memory = TargetMemory::own};
    const Route small = rows_of(3), large = rows_of(5);
    const ExchangeMemory first = memory_for(comm, {&large, 1}, request, seiche::Fresh::zero);
    const ExchangeMemory again = memory_for(comm, {&small, 1}, request, seiche::Fresh::raw, first);
    EXPECT_EQ(again.source.data(), first.source.data());
    EXPECT_EQ(again.target.data(), first.target.data());
    const Route larger = rows_of(6);
    const ExchangeMemory more = memory_for(comm, {&larger, 1}, request, seiche::Fresh::zero, first);
    EXPECT_NE(more.source.data(), first.source.data());
    EXPECT_TRUE(is_zero(more.source) && is_zero(more.target));
    compared(4);
  }
}

TEST(Memory, OfAnotherKindIsNotUsedAgain) {
  const Communicator comm(MPI_COMM_WORLD);
  const Route route = rows_of(4);
  const auto by = [](Algorithm algorithm) { return ExchangeRequest{.algorithm = algorithm}; };
  const ExchangeMemory own = memory_for(comm, {&route, 1}, by(Algorithm::pairwise), seiche::Fresh::zero);
  const ExchangeMemory shared = memory_for(comm, {&route, 1}, by(Algorithm::shared), seiche::Fresh::zero, own);
  EXPECT_TRUE(shared.source.shared());
  EXPECT_FALSE(memory_for(comm, {&route, 1}, by(Algorithm::pairwise), seiche::Fresh::zero, shared).source.shared());
  compared(2);
}

TEST(Memory, NeighboursSeeEachOthersParts) {
  const Communicator comm(MPI_COMM_WORLD);
  const Route route = rows_of(2);
  const ExchangeMemory memory = memory_for(comm, {&route, 1}, {.algorithm = Algorithm::shared}, seiche::Fresh::zero);
  memory.source.data()[0] = static_cast<std::byte>(rank() + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int q = 0; q < ranks(); ++q) {
    EXPECT_EQ(memory.source.of(static_cast<std::size_t>(q))[0], static_cast<std::byte>(q + 1));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  compared(ranks());
}

}  // namespace
}  // namespace seiche::testing
