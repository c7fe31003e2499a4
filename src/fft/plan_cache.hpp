// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cache of plans that a communicator keeps, with their open windows and buffers.
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

/// A plan that can free its memory and MPI objects. It makes them again when it is used next.
class CachedPlan {
 public:
  virtual ~CachedPlan() = default;
  /// Collective.
  virtual void close() = 0;
};

/// What a rank asks for.
struct PlanRequest {
  std::string key;               ///< of all arguments on this rank
  std::int64_t common = 0;       ///< a digest of the arguments that have to be equal on all ranks
  std::optional<Error> fault{};  ///< why this rank cannot ask for anything
};

/// Things by their keys, the last used first. All ranks of the communicator use it alike, so it holds the same things
/// in the same order on all, under keys that may differ from rank to rank.
class PlanCache final : public KeptOnCommunicator {
 public:
  /// So many things are open at most, however many there are: it bounds the windows and communicators of a process.
  static constexpr std::size_t capacity = 16;

  /// Collective. Returns what all ranks find under their keys, if it is the same thing; else null. \throws the fault of
  /// the lowest rank that has one, or that `common` differs from rank to rank
  std::shared_ptr<CachedPlan> find(const Communicator& comm, const PlanRequest& request);
  /// Collective. Puts a thing in front, and closes and drops the last ones beyond the capacity.
  void use(const std::shared_ptr<CachedPlan>& thing, const std::string& key);
  /// Collective. Closes and drops all.
  void clear() override;

 private:
  struct Place {
    std::int64_t number;  // the same on all ranks
    std::string key;
    std::shared_ptr<CachedPlan> thing;
  };
  std::list<Place> places_;
  std::int64_t last_number_ = 0;
};

}  // namespace seiche
