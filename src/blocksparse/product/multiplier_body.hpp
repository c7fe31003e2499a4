// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a multiplier keeps between products: options, settings, memory of panels and plans.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "blocksparse/product/kept_plans.hpp"
#include "blocksparse/product/product_tuner.hpp"
#include "exchange/exchange_interface.hpp"
#include "seiche/block_product.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {

struct Multiplier::Body {
  ProductOptions options;
  ProductReport report;
  ProductTuner tuner;

  /// Objects shared by the ranks of one communicator, which must be released collectively.
  struct Kept {
    Communicator comm;
    ExchangeMemory memory{};                // of panels in transit
    std::map<std::string, Advice> tuned{};  // of the tuning file for the kinds of products so far
    std::int64_t products = 0;              // so far, the same on all ranks
    std::tuple<KeptPlans<float>, KeptPlans<double>, KeptPlans<std::complex<float>>, KeptPlans<std::complex<double>>>
        plans{};
  };
  std::vector<Kept> all_kept;
  bool busy = false;  // a product is started and not finished

  Kept& kept(const Communicator& comm) {
    const auto found =
        std::find_if(all_kept.begin(), all_kept.end(), [&](const Kept& one) { return one.comm.get() == comm.get(); });
    return found != all_kept.end() ? *found : all_kept.emplace_back(Kept{comm});
  }
};

inline void require_sound(const ProductOptions& options) {
  require(options.eps >= 0, Fault::bad_argument, "eps must not be negative (got {})", options.eps);
  require_sound_threads(options.threads);
  require(options.panels >= 0 && options.panels <= largest_number && options.layers >= 0, Fault::bad_argument,
          "a product needs 0 to {} panels, and a number of layers that is not negative (got {} and {})", largest_number,
          options.panels, options.layers);
  require(options.communication_share < 0 || std::isfinite(options.communication_share), Fault::bad_argument,
          "the communication share of a product must be a finite number (got {})", options.communication_share);
  require_sound(options.policy);
}

/// Keeps other products from using the memory and the report of a multiplier.
class Reservation {
 public:
  explicit Reservation(Multiplier::Body& body) : body_(body) {
    body.busy = true;
    body.report = {};
  }
  ~Reservation() { body_.busy = false; }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

 private:
  Multiplier::Body& body_;
};

}  // namespace seiche
