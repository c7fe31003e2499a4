// SPDX-License-Identifier: BSD-3-Clause
/// \file  The kinds of exchange behind the interface; algorithms.cpp picks among them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exchange/ends.hpp"
#include "exchange/exchange.hpp"
#include "exchange/form.hpp"
#include "exchange/transport.hpp"

namespace seiche {

struct TransportKind {
  MakeTransport* make;
  bool padded = false;  ///< all messages must have the count of the largest
  /// Elements of this rank's memory in the transport itself, for messages of so many elements at source and target.
  std::int64_t (*own_elements)(std::int64_t source, std::int64_t target) = nullptr;
};

std::unique_ptr<Exchange> make_message_exchange(const Communicator& comm, const Form& form, Ends ends,
                                                const TransportKind& kind);

/// Collective. Bytes of memory beside that of the ends.
std::size_t memory_of_messages(const Communicator& comm, const Route& route, const Form& form,
                               const TransportKind& kind);
std::size_t memory_of_pairwise(const Communicator& comm, std::span<const Ends> parts, const Form& form);

/// Collective. Point-to-point messages in pieces, a bounded number of all parts together in flight.
std::vector<std::unique_ptr<Exchange>> make_pairwise_exchanges(const Communicator& comm, const Form& form,
                                                               std::vector<Ends> parts);

/// Collective. \throws Error, on all ranks, where a route leads from one rank to another
void require_local(const Communicator& comm, std::span<const Route> parts);
/// What is at the source is at the target as well, or, where that is this rank's own, goes there by a copy.
std::vector<std::unique_ptr<Exchange>> make_local_exchanges(std::span<const Route> parts,
                                                            const ExchangeRequest& request, int rank,
                                                            const ExchangeMemory& memory);

/// All ranks of `comm` must share one node, and the memory.
std::vector<std::unique_ptr<Exchange>> make_shared_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory);

/// Collective. For memory that the algorithm does not move: values travel through copies of both ends on the host.
std::vector<std::unique_ptr<Exchange>> make_staged_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                             const ExchangeRequest& request,
                                                             const ExchangeMemory& memory);
/// The same request for the copies on the host.
ExchangeRequest on_host(ExchangeRequest request);

}  // namespace seiche
