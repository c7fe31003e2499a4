// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" {
void __real___fft_tools_MOD_fft3d_ps();
void __real___fft_tools_MOD_fft3d_pb();
void* seiche_cp2k_original(const char* symbol);

/// Replaces the function of ../original.cpp: here CP2K's procedures are in the same program (--wrap).
void* seiche_cp2k_original(const char* symbol) {
  const std::string_view name = symbol;
  if (name == "__fft_tools_MOD_fft3d_ps") return reinterpret_cast<void*>(&__real___fft_tools_MOD_fft3d_ps);
  if (name == "__fft_tools_MOD_fft3d_pb") return reinterpret_cast<void*>(&__real___fft_tools_MOD_fft3d_pb);
  std::fprintf(stderr, "Seiche: integrations/cp2k/simulate/original.cpp does not list %s\n", symbol);
  std::abort();
}
}
