// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cache of the plans of a communicator, with their open windows and buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator_body.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// A plan that can free its memory and MPI objects. It recreates them at the next use.
class CachedPlan {
 public:
  virtual ~CachedPlan() = default;
  /// Collective.
  virtual void close() = 0;
};

/// Request for a plan.
struct PlanRequest {
  std::string key;               ///< key of all arguments on this rank
  std::int64_t common = 0;       ///< digest of the arguments that must be equal on all ranks
  std::optional<Error> fault{};  ///< error of this rank's arguments
};

/// Plans by their keys, in the order of last use. All ranks of the communicator make the same calls. So the cache has
/// the same plans in the same order on all ranks, while keys may differ.
class PlanCache final : public KeptOnCommunicator {
 public:
  /// Maximum number of open plans. It limits the number of windows and communicators of a process.
  static constexpr std::size_t capacity = 16;

  /// Collective. Returns the plan that all ranks find under their keys, or null if it is not the same one. \throws the
  /// error of the lowest rank that has one, or an Error if `common` differs between ranks
  std::shared_ptr<CachedPlan> find(const Communicator& comm, const PlanRequest& request);
  /// Collective. Moves a plan to the front. Closes and removes the last one if the capacity is exceeded.
  void use(const std::shared_ptr<CachedPlan>& thing, const std::string& key);
  /// Collective. Closes and removes all plans.
  void clear() override;

 private:
  struct Place {
    std::int64_t number;  // equal on all ranks
    std::string key;
    std::shared_ptr<CachedPlan> thing;
  };
  std::list<Place> places_;
  std::int64_t last_number_ = 0;
};

}  // namespace seiche
