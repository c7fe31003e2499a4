// SPDX-License-Identifier: BSD-3-Clause
/// \file  Working data of the calls of a plan.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

namespace seiche {

/// Working data of calls, which are expensive to create. A call uses them while it has a pointer to them. Several
/// started calls have data each. All ranks make the same calls in the same order.
template <class Work>
class CallPool {
 public:
  /// Collective. Returns data that no call uses, or else the result of make().
  template <class Make>
  std::shared_ptr<Work> take(const Make& make) {
    const auto unused = std::find_if(all_.begin(), all_.end(), [](const auto& work) { return work.use_count() == 1; });
    return unused != all_.end() ? *unused : all_.emplace_back(make());
  }
  /// Collective. Frees the data for which wanted(data) is false. Data that a call uses are freed at its end.
  template <class Wanted>
  void keep(const Wanted& wanted) {
    std::erase_if(all_, [&](const auto& work) { return !wanted(*work); });
  }
  void close() { all_.clear(); }  ///< Same for all data.
  const std::vector<std::shared_ptr<Work>>& all() const { return all_; }

 private:
  std::vector<std::shared_ptr<Work>> all_;
};

}  // namespace seiche
