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
#include "comm/equal_arguments.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// What a plan occupies.
struct PlanCost {
  std::int64_t closed = 0;     ///< bytes of constant data
  std::int64_t open = 0;       ///< bytes of all data while the plan is open
  std::int64_t exchanges = 0;  ///< exchanges of an open plan, each of which may have a window; equal on all ranks
};

/// A plan that can free its memory and MPI objects. It recreates them at the next use.
class CachedPlan {
 public:
  virtual ~CachedPlan() = default;
  /// Collective.
  virtual void close() = 0;
  virtual PlanCost cost() const = 0;  ///< on this rank
  std::int64_t bytes(const PlanCost& of) const { return open ? of.open : of.closed; }

  std::string key;    ///< key of the arguments of this rank
  PlanCost most{};    ///< largest cost of all ranks
  bool open = false;  ///< used since the last close()
};

/// Request for a plan.
struct PlanRequest {
  /// Calls fill(request), which checks the arguments, sets the key, and adds the arguments that must be equal.
  template <class Fill>
  PlanRequest(const char* call, const Fill& fill) : equal(call), fault(fault_of([&] { fill(*this); })) {}

  EqualArguments equal;
  std::string key{};           ///< key of all arguments on this rank
  std::optional<Error> fault;  ///< error of this rank's arguments; last member, because fill() sets the others
};

/// Limits of the plans that are kept on a communicator. The last used plan is kept in any case.
struct PlanLimits {
  std::int64_t memory = 0;  ///< bytes on the rank that needs most; 0: a quarter of the memory of a rank
  /// Exchanges; a closed plan counts as one. An MPI library supports about 2000 windows and communicators of a process.
  std::int64_t exchanges = 1024;
};
/// Returns the limits of this process. Tests change them, on all ranks alike.
PlanLimits& plan_limits();

/// Plans by their keys, in the order of last use. All ranks of the communicator make the same calls. So the cache has
/// the same plans in the same order on all ranks, while keys may differ.
class PlanCache final : public KeptOnCommunicator {
 public:
  /// Collective. Returns the last used plan that all ranks find under their keys, or null if there is none. \throws the
  /// error of the lowest rank that has one, or an Error if `common` differs between ranks
  std::shared_ptr<CachedPlan> find(const Communicator& comm, const PlanRequest& request) const;
  /// Collective. Adds a new plan.
  void add(const Communicator& comm, const std::shared_ptr<CachedPlan>& plan);
  /// Collective. Moves a plan to the front and marks it as open, also one that was removed. Closes and removes the last
  /// ones beyond the limits.
  void use(const std::shared_ptr<CachedPlan>& plan);
  /// Collective. Closes and removes all plans.
  void clear() override;
  /// Returns the bytes of all plans on this rank.
  std::int64_t memory() const;

 private:
  bool exceeds_limits() const;
  void keep_within_limits();

  std::list<std::shared_ptr<CachedPlan>> plans_;
  std::int64_t memory_limit_ = 0;  // equal on all ranks; 0: not determined yet
};

}  // namespace seiche
