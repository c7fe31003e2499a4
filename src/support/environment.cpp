// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/require.hpp"

namespace seiche {

namespace {
constexpr std::array<EnvironmentVariable, 2> table{{
    {"SEICHE_FFT", "fftw or mkl: the library that transforms lines (default: mkl where it is found, else fftw)"},
    {"SEICHE_MKL", "folder that holds libmkl_rt.so, where the system's loader does not find it"},
}};
}  // namespace

std::span<const EnvironmentVariable> environment_table() { return table; }

std::string environment(const std::string& name) {
  const bool known = std::any_of(table.begin(), table.end(), [&](const auto& row) { return name == row.name; });
  require(known, Fault::internal, "environment variable {} is not in the table of support/environment.cpp", name);
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

}  // namespace seiche
