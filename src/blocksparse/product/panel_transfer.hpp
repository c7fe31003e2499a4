// SPDX-License-Identifier: BSD-3-Clause
/// \file  Panels on their way through the pipeline: the only place where products meet exchanges.
#pragma once

#include <memory>
#include <vector>

#include "blocksparse/product/plan.hpp"
#include "blocksparse/product/stacks.hpp"
#include "exchange/exchange.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/block_product.hpp"

namespace seiche {

/// How a product drives its communication.
struct TransferOptions {
  int threads = 1;
  Progress progress = Progress::poll;
  OnlyExchange only_exchange = OnlyExchange::no;
};

/// Panels in memory, and who moves them.
struct PanelSlots {
  int count = 0;
  Algorithm algorithm = Algorithm::automatic;
};

/// Collective. Bytes that exchanges of a plan's panels take on this rank beside their slots.
std::int64_t memory_beside_slots(const Communicator& comm, const CommunicationPlan& plan, const PanelSlots& slots);

/// Slots lie beside each other in one memory; each panel's parcel has an exchange in that of its slot.
class PanelTransfer {
 public:
  /// Collective. \param memory of earlier transfers, used again where it suffices
  PanelTransfer(const Communicator& comm, const CommunicationPlan& plan, const PanelSlots& slots,
                ExchangeMemory& memory);

  /// Where the blocks of a panel that come from `source` will lie.
  std::byte* arrivals(std::int64_t panel, int source) const { return exchanges_[panel]->target(source).data; }

  /// Collective. Sends and fetches panels, and calls multiply(panel, driver) for each when its blocks are here.
  ProgressReport run(const TransferOptions& options,
                     const std::function<void(std::int64_t panel, const MessageDriver& driver)>& multiply) const;

 private:
  Communicator comm_;
  const CommunicationPlan& plan_;
  int slots_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per panel
};

}  // namespace seiche
