// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plans that are made once for the same arguments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "comm/shelf.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// One letter for each type of grid values.
template <class Value>
constexpr char letter_of() {
  if constexpr (std::is_floating_point_v<Value>) {
    return sizeof(Value) == sizeof(float) ? 'r' : 'R';
  } else {
    return sizeof(Value) == 2 * sizeof(float) ? 'c' : 'C';
  }
}

/// The arguments of a plan as bytes, equal when they are.
class PlanKey {
 public:
  template <class Value>
  PlanKey& add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class Value>
  PlanKey& add(std::span<const Value> values) {
    add(values.size());
    text_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  PlanKey& add(const FftOptions& o) {
    add(o.way).add(o.library).add(o.decomposition).add(o.threads).add(o.reproducible).add(o.progress).add(o.window);
    return add(o.rounded_exchange).add(std::span<const int>(o.chunks));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Collective. The plan that `comm` keeps for this key, or the one that make() makes.
template <class Plan, class Make>
std::shared_ptr<Plan> kept_plan(const Communicator& comm, const PlanKey& key, const Make& make) {
  if (const auto kept = comm.shelf().find(comm, key.text())) return std::static_pointer_cast<Plan>(kept);
  auto plan = make();
  comm.shelf().use(plan, key.text());
  return plan;
}

}  // namespace seiche
