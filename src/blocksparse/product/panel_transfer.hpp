// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sends panels through the pipeline: the interface between products and exchanges.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "blocksparse/product/product_plan.hpp"
#include "blocksparse/product/stacks.hpp"
#include "exchange/exchange_interface.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/block_product.hpp"

namespace seiche {

/// Options of the communication of a product.
struct TransferOptions {
  int threads = 1;
  Progress progress = Progress::poll;
  OnlyExchange only_exchange = OnlyExchange::no;
};

/// Panels in memory, and the exchange algorithm.
struct PanelSlots {
  int count = 0;
  Algorithm algorithm = Algorithm::automatic;
};

/// Returns the route of the parcel of each panel, in bytes; none without slots.
std::vector<Route> routes_of(const CommunicationPlan& plan, int slots);

/// Collective. Returns the bytes of the exchanges of all panels on this rank besides their slots.
std::int64_t memory_beside_slots(const Communicator& comm, const CommunicationPlan& plan, const PanelSlots& slots);

/// All slots are in one allocation. The parcel of each panel has an exchange in the memory of its slot. One run may
/// exist at a time.
class PanelTransfer {
 public:
  using Multiply = std::function<void(std::int64_t panel, const MessageDriver& driver)>;

  /// Collective. \param routes the result of routes_of() \param memory of earlier transfers, reused if it suffices
  PanelTransfer(const Communicator& comm, const CommunicationPlan& plan, std::span<const Route> routes,
                const PanelSlots& slots, ExchangeMemory& memory);
  PanelTransfer(const PanelTransfer&) = delete;
  PanelTransfer& operator=(const PanelTransfer&) = delete;

  /// Returns the position of the blocks of a panel from `source`.
  std::byte* arrivals(std::int64_t panel, int source) const { return exchanges_[panel]->target(source).data; }

  /// Collective. Starts to send and receive panels, and calls `multiply` for each when its blocks have arrived, here
  /// and in the next functions.
  void begin(const TransferOptions& options, Multiply multiply);
  /// Local. Makes progress without waiting. Returns true if complete() would not wait.
  bool progress() { return run_->progress(); }
  /// Collective. Multiplies the other panels.
  ProgressReport complete();

 private:
  Communicator comm_;
  const CommunicationPlan& plan_;
  int slots_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per panel
  std::optional<Pipeline> pipeline_;
  Multiply multiply_;
  MessageDriver driver_;
  std::vector<Stage> stages_;
  ProgressReport report_;
  std::optional<Pipeline::Run> run_;
};

}  // namespace seiche
