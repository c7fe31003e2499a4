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
  bool poll = true;
  OnlyExchange only_exchange = OnlyExchange::no;
};

/// Slots lie beside each other in one memory; each panel's parcel has an exchange in that of its slot.
class PanelTransfer {
 public:
  /// Collective. \param memory of earlier transfers, used again where it suffices
  PanelTransfer(const Communicator& comm, const CommunicationPlan& plan, int slots,
                std::shared_ptr<ExchangeMemory>& memory);

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
