// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/panel_transfer.hpp"

#include "comm/agree.hpp"

namespace seiche {

namespace {

/// Returns the route of a parcel in bytes: source and target are the sent and received data, with room for the largest
/// parcel.
Route route_of(const CommunicationPlan& plan, const Parcel& parcel) {
  return {room_of(plan.largest_send), room_of(plan.largest_receive), parcel.send.patches(), parcel.receive.patches()};
}

ExchangeRequest request_of(Algorithm algorithm) { return {.algorithm = algorithm, .element = 1}; }

}  // namespace

std::vector<Route> routes_of(const CommunicationPlan& plan, int slots) {
  std::vector<Route> parts;
  if (slots == 0) return parts;
  for (const Parcel& parcel : plan.parcels)
    parts.push_back(in_slot(route_of(plan, parcel), std::ssize(parts) % slots, slots));
  return parts;
}

/// Algorithms with their own message layout need memory for all panels; the algorithms chosen by `automatic` do not.
std::int64_t memory_beside_slots(const Communicator& comm, const CommunicationPlan& plan, const PanelSlots& slots) {
  if (slots.algorithm == Algorithm::automatic || slots.count == 0) return 0;
  const auto parts = made_together(comm, [&] { return routes_of(plan, slots.count); });
  const bool zero_copy = resolved_algorithm(comm, slots.algorithm) == Algorithm::shared;
  const std::int64_t ends = parts.front().source_size + (zero_copy ? 0 : parts.front().target_size);
  return static_cast<std::int64_t>(memory_of_exchanges(comm, parts, request_of(slots.algorithm))) - ends;
}

PanelTransfer::PanelTransfer(const Communicator& comm, const CommunicationPlan& plan, std::span<const Route> routes,
                             const PanelSlots& slots, ExchangeMemory& memory)
    : comm_(comm), plan_(plan), slots_(slots.count) {
  if (routes.empty()) return;
  const ExchangeRequest request = request_of(slots.algorithm);
  memory = memory_for(comm, routes, request, Fresh::raw, memory);
  exchanges_ = make_exchanges(comm, routes, request, memory);
}

void PanelTransfer::begin(const TransferOptions& options, Multiply multiply) {
  pipeline_.emplace(comm_, slots_, options.progress);
  multiply_ = std::move(multiply);
  const bool polls = options.progress == Progress::automatic || options.progress == Progress::poll;
  if (polls) driver_ = {[this] { pipeline_->poll(); }, threads_may_call_mpi()};
  const Stage fetch{[this, threads = options.threads](std::int64_t p, int) {
                      pack_parcel(plan_.parcels[p], exchanges_[p]->source(), threads);
                    },
                    [this](std::int64_t p, int) {
                      return PostedExchanges{{exchanges_[p].get(), Toward::target, Payload::values}};
                    }};
  const Stage work{[this](std::int64_t p, int) { multiply_(p, driver_); },
                   [this](std::int64_t p, int) {
                     return PostedExchanges{{exchanges_[p].get(), Toward::source, Payload::release}};
                   }};
  stages_ = {fetch, work};
  const bool asleep = options.only_exchange == OnlyExchange::blocking_wait;
  run_.emplace(pipeline_->start(stages_, {.skip = options.only_exchange != OnlyExchange::no,
                                          .waiting = asleep ? Waiting::sleeping : Waiting::spinning,
                                          .account = &report_}));
  run_->begin(std::ssize(exchanges_));
}

ProgressReport PanelTransfer::complete() {
  run_->finish();
  pipeline_->drain();  // other ranks may still read the data of this rank (zero-copy)
  return report_;
}

}  // namespace seiche
