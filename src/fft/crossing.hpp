// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bytes that cross the levels of a machine in the exchanges of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/levels.hpp"
#include "layout/route.hpp"

namespace seiche {

class Crossing {
 public:
  /// `ordered`: result of order_ranks() for the communicator of the plan.
  explicit Crossing(const Communicator& ordered) : ordered_(ordered), elements_(2 * levels_of(ordered).size()) {}
  /// Adds the messages of this rank in an exchange among some ranks.
  void add(const Communicator& among, const Route& route);
  /// Collective. Returns FftReport::levels. `bytes`: of an element.
  std::string text(double bytes) const;

 private:
  const Communicator& ordered_;
  std::vector<std::int64_t> elements_;  // for each level: with and without order_ranks()
};

}  // namespace seiche
