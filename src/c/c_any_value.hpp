// SPDX-License-Identifier: BSD-3-Clause
/// \file  Objects of one of several value types behind one handle.
#pragma once

#include <complex>
#include <variant>

#include "seiche/c/status.h"

namespace seiche::c {

/// One alternative for each value type, in the order of seiche_value.
template <template <class> class Plan>
using AnyValue = std::variant<Plan<float>, Plan<double>, Plan<std::complex<float>>, Plan<std::complex<double>>>;

/// Calls work() with a value of the given type.
template <class Work>
auto with_kind(seiche_value value, const Work& work) {
  switch (value) {
    case SEICHE_FLOAT:
      return work(float{});
    case SEICHE_DOUBLE:
      return work(double{});
    case SEICHE_COMPLEX_FLOAT:
      return work(std::complex<float>{});
    default:
      return work(std::complex<double>{});
  }
}

/// Constructs the alternative of a value type from `arguments`.
template <template <class> class Plan, class... Arguments>
AnyValue<Plan> any_value(seiche_value value, const Arguments&... arguments) {
  return with_kind(value, [&]<class Value>(Value) -> AnyValue<Plan> { return Plan<Value>(arguments...); });
}

/// The value type of Plan<Value>, and its number.
template <class Plan>
struct ValueOf;
template <template <class> class Plan, class Value>
struct ValueOf<Plan<Value>> {
  using type = Value;
};

/// Calls work(plan, Value{}) with the active alternative.
template <class Any, class Work>
auto on_value(Any& any, const Work& work) {
  return std::visit([&]<class Plan>(Plan& plan) { return work(plan, typename ValueOf<Plan>::type{}); }, any);
}

/// Returns the value type of a plan, a field or a matrix.
template <template <class> class Plan, class Value>
seiche_value kind_of(const Plan<Value>&) {
  if constexpr (std::is_same_v<Value, float>) return SEICHE_FLOAT;
  if constexpr (std::is_same_v<Value, double>) return SEICHE_DOUBLE;
  if constexpr (std::is_same_v<Value, std::complex<float>>) return SEICHE_COMPLEX_FLOAT;
  return SEICHE_COMPLEX_DOUBLE;
}

}  // namespace seiche::c
