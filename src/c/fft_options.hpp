// SPDX-License-Identifier: BSD-3-Clause
/// \file  Options, reports, boxes and waves of transforms, between C and C++.
#pragma once

#include <span>
#include <type_traits>
#include <variant>

#include "c/call.hpp"
#include "seiche/c/fft.h"
#include "seiche/fft.hpp"

namespace seiche::c {

/// What the caller asked for. \throws Error
FftOptions fft_options(const seiche_fft_options* given, const char* where);
/// \throws Error(misuse) for NULL
GridShape grid_shape(const std::int64_t* shape, const char* where);
seiche_box box_for_c(const Box& box);

static_assert(sizeof(seiche_miller) == sizeof(Miller) && std::is_standard_layout_v<Miller>);
inline std::span<const Miller> millers(const seiche_miller* waves, std::int64_t count) {
  return values_at<Miller>(waves, count);
}

void put_report(const FftReport& report, seiche_fft_report* into, const char* where);
void put_progress(const ProgressReport& report, seiche_progress_report* into, const char* where);

/// One alternative for each kind of value, in the order of seiche_value.
template <template <class> class Plan>
using AnyValue = std::variant<Plan<float>, Plan<double>, Plan<std::complex<float>>, Plan<std::complex<double>>>;

/// The alternative of a kind of value, made of `arguments`.
template <template <class> class Plan, class... Arguments>
AnyValue<Plan> any_value(seiche_value value, const Arguments&... arguments) {
  switch (value) {
    case SEICHE_FLOAT:
      return Plan<float>(arguments...);
    case SEICHE_DOUBLE:
      return Plan<double>(arguments...);
    case SEICHE_COMPLEX_FLOAT:
      return Plan<std::complex<float>>(arguments...);
    default:
      return Plan<std::complex<double>>(arguments...);
  }
}

/// Value of Plan<Value>.
template <class Plan>
struct ValueOf;
template <template <class> class Plan, class Value>
struct ValueOf<Plan<Value>> {
  using type = Value;
};

}  // namespace seiche::c
