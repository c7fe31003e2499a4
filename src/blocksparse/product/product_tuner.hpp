// SPDX-License-Identifier: BSD-3-Clause
/// \file  Adaptation of a Multiplier from product to product.
#pragma once

#include <vector>

#include "blocksparse/product/panel_count_tuner.hpp"
#include "blocksparse/product/thread_share_tuner.hpp"
#include "seiche/block_product.hpp"
#include "tuning/policy.hpp"

namespace seiche {

/// The cost of a product for one rank.
struct RankCost {
  double operations = 0, work = 0, wait = 0;  ///< work and wait in seconds
};

/// Both tuners, used only if there is something to try. All ranks choose alike.
class ProductTuner {
 public:
  void begin_with(double thread_share) { thread_share_.begin_with(thread_share); }
  /// Returns the share of the communicating thread in the next product.
  double thread_share(const ProductOptions& options) const {
    return options.communication_share >= 0 ? options.communication_share : thread_share_.next();
  }
  /// Collective. Returns whether the next product has coarse panels.
  bool coarse(const ProductOptions& options, const Communicator& comm) const {
    return tries_panels(options, comm) && panel_count_.coarse();
  }
  /// Collective. \param costs of all ranks
  void learn(const ProductOptions& options, const Communicator& comm, const std::vector<RankCost>& costs) {
    if (!overlaps(options) || comm.size() == 1 || options.only_exchange != OnlyExchange::no) return;
    double operations = 0, slowest = 0, longest_wait = 0;
    for (const RankCost& one : costs) {
      operations += one.operations;
      slowest = std::max(slowest, one.work);
      longest_wait = std::max(longest_wait, one.wait);
    }
    if (slowest <= 0) return;
    constexpr double much = 0.05;  // of the time of the work
    const double rate = operations / slowest;
    const bool panels = tries_panels(options, comm), shares = options.threads > 1 && options.communication_share < 0;
    const bool one_at_a_time = !panels || panel_count_.resolved();
    if (shares && one_at_a_time) thread_share_.learn(rate, longest_wait > much * slowest);
    if (panels) panel_count_.learn(rate);
  }

  static bool overlaps(const ProductOptions& options) {
    return options.policy.progress != Progress::none && window(options) > 1;
  }
  /// Returns the number of panels in memory.
  static int window(const ProductOptions& options) {
    return options.policy.window > 0 ? options.policy.window : usual_window;
  }

 private:
  /// Not with a memory limit, because coarse panels need more.
  static bool tries_panels(const ProductOptions& options, const Communicator& comm) {
    return overlaps(options) && options.panels == 0 && options.policy.memory == 0 && !comm.on_one_node();
  }

  ThreadShareTuner thread_share_;
  PanelCountTuner panel_count_;
};

}  // namespace seiche
