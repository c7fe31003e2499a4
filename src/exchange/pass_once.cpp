// SPDX-License-Identifier: BSD-3-Clause
/// \file  A single exchange of bytes on a route that is used once.
#include "comm/agree.hpp"
#include "comm/communicator_body.hpp"
#include "exchange/exchange_interface.hpp"
#include "exchange/kinds.hpp"

namespace seiche {

namespace {

/// Starts and completes an exchange. It is completed also after an error, because other ranks wait for its messages.
std::optional<Error> fault_of_transfer(Exchange& exchange) {
  std::optional<Error> fault = fault_of([&] { exchange.start(Toward::target, Payload::values); });
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto later = fault_of([&] { exchange.finish(); });
    if (!later) break;
    if (!fault) fault = later;
  }
  return fault;
}

}  // namespace

void pass_once(const Communicator& comm, const std::function<Route()>& route,
               const std::function<void(std::byte*)>& fill, const std::function<void(const std::byte*)>& take) {
  const int tag = body_of(comm).fresh_tags();
  ExchangeMemory memory;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  together(comm, [&] {
    const Route whole = route();
    const ExchangeRequest request{.algorithm = Algorithm::pairwise, .element = 1, .target_memory = TargetMemory::own};
    memory.source = Memory(static_cast<std::size_t>(whole.source_size), Fresh::raw);
    memory.target = Memory(static_cast<std::size_t>(whole.target_size), Fresh::raw);
    std::vector<Ends> ends = ends_of({&whole, 1}, comm.rank(), request);
    ends.front().place_in(memory);
    exchanges = pairwise_exchanges(comm, tag, Form{request.element, false, false}, std::move(ends));
    fill(memory.source.data());
  });
  const auto fault = fault_of_transfer(*exchanges.front());
  together(comm, [&] {
    if (fault) throw Error(*fault);
    exchanges.clear();
    memory.source = {};  // `take` may need as much
    take(memory.target.data());
  });
}

}  // namespace seiche
