// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementations of exchanges. algorithms.cpp selects one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exchange/ends.hpp"
#include "exchange/exchange_interface.hpp"
#include "exchange/form.hpp"
#include "exchange/transport.hpp"

namespace seiche {

struct TransportKind {
  MakeTransport* make;
  bool padded = false;  ///< all messages have the count of the largest one
  /// Returns the number of elements that the transport allocates on this rank, for messages of these sizes at source
  /// and target.
  std::int64_t (*own_elements)(std::int64_t source, std::int64_t target) = nullptr;
};

std::unique_ptr<Exchange> make_message_exchange(const Communicator& comm, const Form& form, Ends ends,
                                                const TransportKind& kind);

/// Collective. Returns the bytes of memory in addition to the memory of the ends.
std::size_t memory_of_messages(const Communicator& comm, const Route& route, const Form& form,
                               const TransportKind& kind);
std::size_t memory_of_pairwise(const Communicator& comm, std::span<const Ends> parts, const Form& form);

/// Local. Creates exchanges with point-to-point messages in pieces. All parts together have a bounded number in flight.
/// Part i uses tag `first_tag` + i, which is equal on all ranks.
std::vector<std::unique_ptr<Exchange>> pairwise_exchanges(const Communicator& comm, int first_tag, const Form& form,
                                                          std::vector<Ends> parts);

/// Collective. Checks that a route has no messages between ranks. \throws Error on all ranks if it has
void require_local(const Communicator& comm, std::span<const Route> parts);
/// Creates exchanges within a rank. Source and target share memory, or the values are copied.
std::vector<std::unique_ptr<Exchange>> make_local_exchanges(std::span<const Route> parts,
                                                            const ExchangeRequest& request, int rank,
                                                            const ExchangeMemory& memory);

/// Creates exchanges in shared memory. All ranks of `comm` must be on one node.
std::vector<std::unique_ptr<Exchange>> make_shared_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory);

/// Collective. Creates exchanges for spaces that the algorithm does not support. Kernels copy values to and from
/// messages, which are on the host, or on the device if MPI accesses them there.
std::vector<std::unique_ptr<Exchange>> make_staged_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory);
/// Returns the request for the messages of staged exchanges.
ExchangeRequest request_of_messages(ExchangeRequest request);
/// Returns the routes of the messages of staged exchanges. Messages are contiguous. They do not contain elements that
/// stay on this rank.
std::vector<Route> routes_of_messages(std::span<const Route> parts, int rank);

}  // namespace seiche
