// SPDX-License-Identifier: BSD-3-Clause
/// \file  Keys of cached plans.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "fft/plan_cache.hpp"
#include "interface/fft_members.hpp"
#include "seiche/fft.hpp"
#include "support/hash.hpp"

namespace seiche {

/// Returns a letter for each type of grid values.
template <class Value>
constexpr char letter_of() {
  if constexpr (std::is_floating_point_v<Value>) {
    return sizeof(Value) == sizeof(float) ? 'r' : 'R';
  } else {
    return sizeof(Value) == 2 * sizeof(float) ? 'c' : 'C';
  }
}

/// Arguments of a plan, identified by a 128-bit hash, because lists of waves are long.
class PlanKey {
 public:
  template <class Value>
  PlanKey& add(const Value& value) {
    return add(std::span<const Value>(&value, 1));
  }
  template <class Value>
  PlanKey& add(std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    hash_.add(std::as_bytes(values));
    return *this;
  }
  template <class Value>
  PlanKey& add(const std::vector<Value>& values) {
    return add(std::span<const Value>(values));
  }
  PlanKey& add(const FftOptions& options) {
    Members<FftOptions>::each([&](const Member&, const auto& place) { add(place(options)); });
    return *this;
  }
  std::string text() const { return hash_.bytes(); }

 private:
  Hash hash_;
};

/// Collective. Returns the cached plan of this request, or creates it with make().
template <class Plan, class Make>
std::shared_ptr<Plan> cached_plan(const Communicator& comm, const PlanRequest& request, const Make& make) {
  if (const auto found = kept_on<PlanCache>(comm).find(comm, request)) return std::static_pointer_cast<Plan>(found);
  auto plan = make();
  plan->key = request.key;
  kept_on<PlanCache>(comm).add(comm, plan);
  return plan;
}

}  // namespace seiche
