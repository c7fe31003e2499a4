// SPDX-License-Identifier: BSD-3-Clause
/// \file  The kinds of exchange behind the contract; ways.cpp picks among them.
#pragma once

#include <functional>
#include <memory>

#include "exchange/exchange.hpp"
#include "exchange/wire.hpp"

namespace seiche {

using WireMaker = std::function<std::unique_ptr<Wire>(const Communicator&, std::size_t element)>;

std::unique_ptr<Exchange> make_message_exchange(const Communicator& comm, const Route& route, std::size_t element,
                                                const WireMaker& wire);

/// All ranks of `comm` must share one node.
std::unique_ptr<Exchange> make_shared_exchange(const Communicator& comm, const Route& route, std::size_t element,
                                               FarEnd far_end);

}  // namespace seiche
