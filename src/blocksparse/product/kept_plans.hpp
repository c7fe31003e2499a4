// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans of earlier products, for products of matrices with the same blocks. A plan is reused if all ranks have
/// it from the same earlier product.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blocksparse/product/product_plan.hpp"
#include "support/hash.hpp"

namespace seiche {

/// Adds the places of the blocks of this rank.
template <class Value>
void add_structure(Hash& hash, const BlockMatrix<Value>& m) {
  const CompressedRows& blocks = inside(m).blocks;
  hash.add(std::as_bytes(std::span(blocks.start)));
  hash.add(std::as_bytes(std::span(blocks.index)));
}

/// A plan, and the settings that were applied to it.
template <class Value>
struct KeptPlan {
  std::string key;     ///< all that the plan depends on, on this rank
  std::int64_t event;  ///< number of the product that made it, the same on all ranks
  ProductPlan<Value> plan;
  std::int64_t bytes;      ///< of the plan
  bool coarse;             ///< whether it has coarse panels
  std::string tuned_case;  ///< of the tuning file; empty: the file is not used
};

/// The latest plans. Each rank may drop other ones.
template <class Value>
class KeptPlans {
 public:
  static constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

  /// Returns null if there is none.
  const KeptPlan<Value>* find(const std::string& key) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.key == key; });
    return found == all_.end() ? nullptr : &*found;
  }
  /// Drops the oldest plans if all take more than `most_bytes`. \post pointers to plans are invalid
  void keep(KeptPlan<Value> one) {
    std::erase_if(all_, [&](const auto& old) { return old.key == one.key; });
    all_.push_back(std::move(one));
    while (held() > most_bytes) all_.erase(all_.begin());
  }

 private:
  std::int64_t held() const {
    std::int64_t bytes = 0;
    for (const auto& one : all_) bytes += one.bytes;
    return bytes;
  }

  std::vector<KeptPlan<Value>> all_;  // oldest first
};

}  // namespace seiche
