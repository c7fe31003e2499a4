// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of messages between devices, with and without GPU-aware MPI.
#include <gtest/gtest.h>

#include <string>

#include "exchange/exchange_interface.hpp"
#include "exchange/uneven_exchange.hpp"
#include "space/mpi_access.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Bytes of a rank: both ends, and messages without the values that stay.
TEST(Messages, OfDevicesNeedNoOtherMemory) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const Route route = uneven_route();
  ExchangeRequest request{.algorithm = Algorithm::pairwise, .element = sizeof(double), .queue = Queue(Space::cuda)};
  request = in_space(request, comm);
  std::int64_t elements = route.source_size + route.target_size;
  for (int q = 0; q < ranks(); ++q) {
    const auto other = static_cast<std::size_t>(q);
    if (q != rank()) elements += route.source[other].size() + route.target[other].size();
  }
  EXPECT_EQ(memory_of_exchanges(comm, {&route, 1}, request), static_cast<std::size_t>(elements) * sizeof(double));
  compared(1);
}

/// MPI may access devices on some ranks only.
TEST(Messages, StayOnDevicesIfAllRanksCanSendThem) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  ExchangeRequest request{.algorithm = Algorithm::pairwise, .element = sizeof(double), .queue = Queue(Space::cuda)};
  const auto place = [&] { return std::string(place_of_messages(comm, in_space(request, comm))); };
  const auto sent_from = [&](const char* memory) {
    expect_equal(place(), std::string(ranks() == 1 ? "none" : memory));
  };
  sent_from("device");
  if (rank() == ranks() - 1) emulate_mpi_access(false);
  EXPECT_EQ(in_space(request, comm).from_device, false);
  sent_from("host");
  check_both_ways(comm, in_space(request, comm));
  emulate_mpi_access(true);
  request.rounded = true;  // only the host rounds
  sent_from("host");
  request.rounded = false;
  const SendsFromHost from_host;
  sent_from("host");
  EXPECT_FALSE(in_space({.algorithm = Algorithm::pairwise}, comm).from_device) << "a request of the host";
}

TEST(Messages, NeedKindsOfMemoryOfMpi) {
  for (const char* with : {"cuda", "mpi,system,cuda", "cuda:device,system", "mpi,cuda:host:device"}) {
    EXPECT_TRUE(lists_cuda_memory(with)) << with;
  }
  for (const char* without : {"", "mpi,system", "cuda:host", "rocm:device", "cuda:managed,mpi", "mpi:cuda"}) {
    EXPECT_FALSE(lists_cuda_memory(without)) << without;
  }
  compared(10);
}

}  // namespace
}  // namespace seiche::testing
