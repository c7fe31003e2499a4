// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/panel_transfer.hpp"

#include "comm/agree.hpp"

namespace seiche {

namespace {

/// The route of a parcel, in bytes: its source is what leaves, its target what arrives, with room for the largest.
Route route_of(const CommunicationPlan& plan, const Parcel& parcel) {
  return {room_of(plan.largest_send), room_of(plan.largest_receive), parcel.send.patches(), parcel.receive.patches()};
}

Pipeline::Work work_of(OnlyExchange only) {
  return only == OnlyExchange::no      ? Pipeline::Work::all
         : only == OnlyExchange::awake ? Pipeline::Work::skip
                                       : Pipeline::Work::asleep;
}

}  // namespace

PanelTransfer::PanelTransfer(const Communicator& comm, const CommunicationPlan& plan, int slots,
                             std::shared_ptr<ExchangeMemory>& memory)
    : comm_(comm), plan_(plan), slots_(slots) {
  std::vector<Route> parts;
  for (const Parcel& parcel : plan.parcels)
    parts.push_back(in_slot(route_of(plan, parcel), std::ssize(parts) % slots, slots));
  exchanges_ = make_exchanges(comm, parts, {.element = 1, .cleared = false}, memory);
}

ProgressReport PanelTransfer::run(
    const TransferOptions& options,
    const std::function<void(std::int64_t panel, const MessageDriver& driver)>& multiply) const {
  Pipeline pipeline(slots_, options.poll ? Progress::poll : Progress::none);
  MessageDriver driver;
  if (options.poll) driver = {[&] { pipeline.poll(); }, threads_may_call_mpi()};
  std::int64_t leaving = 0, done = 0;  // the panels that depart, and whose memory goes back, next
  const Stage fetch{[&](std::int64_t p, int slot) {
                      pack_parcel(plan_.parcels[p], exchanges_[p]->source() + slot * room_of(plan_.largest_send),
                                  options.threads);
                    },
                    [&](int) {
                      return PostedExchanges{{exchanges_[leaving++].get(), Toward::target, Payload::values}};
                    }};
  const Stage work{[&](std::int64_t p, int) { multiply(p, driver); },
                   [&](int) {
                     return PostedExchanges{{exchanges_[done++].get(), Toward::source, Payload::release}};
                   }};
  const auto fault = pipeline.run(std::ssize(exchanges_), {fetch, work}, work_of(options.only_exchange));
  pipeline.drain();  // others may still work on what this rank sent, where it lies
  agree(comm_, fault);
  return pipeline.report();
}

}  // namespace seiche
