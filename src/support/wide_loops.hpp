// SPDX-License-Identifier: BSD-3-Clause
/// \file  Loops that are compiled twice: for any processor, and for processors with AVX2. Multiplications and additions
/// are not fused, so that results are bitwise identical on all processors.
#pragma once

namespace seiche {

#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop>
[[gnu::target("avx2")]] void run_with_avx2(const Loop& loop) {
  loop();
}
/// Calls a loop. \pre the loop is always_inline
template <class Loop>
void run_wide(const Loop& loop) {
  static const bool wide = __builtin_cpu_supports("avx2");
  wide ? run_with_avx2(loop) : loop();
}
#else
template <class Loop>
void run_wide(const Loop& loop) {
  loop();
}
#endif

}  // namespace seiche
