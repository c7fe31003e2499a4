// SPDX-License-Identifier: BSD-3-Clause
/// \file  Options, reports, boxes and waves of transforms, between C and C++.
#pragma once

#include <span>
#include <type_traits>

#include "c/any_value.hpp"
#include "c/call.hpp"
#include "seiche/c/fft.h"
#include "seiche/fft.hpp"

namespace seiche::c {

/// Of any options that have one: C's structs are flat. \throws Error
template <class Options>
Policy policy_of(const Options& asked) {
  return {enumerator(asked.algorithm, Algorithm::local, "algorithm"),
          enumerator(asked.progress, Progress::none, "progress"), asked.window, asked.memory};
}

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

}  // namespace seiche::c
