// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/require.hpp"

namespace seiche {

namespace {
constexpr std::array<EnvironmentVariable, 8> table{{
    {"SEICHE_FFT",
     "fftw, mkl, ducc or fastest: the library that transforms lines (default: fastest where ducc was built in, else "
     "mkl on Intel's processors, else fftw)"},
    {"SEICHE_TUNING", "the tuning file, or none (default: seiche/tuning.json in XDG_CACHE_HOME or ~/.cache)"},
    {"SEICHE_TRACE", "records when plans worked and waited; each process writes a file of this name and its rank"},
    {"SEICHE_CLOSE_LIMIT",
     "seconds that a close waits for other ranks before it names them (in builds with SEICHE_CHECKS)"},
    {"XDG_CACHE_HOME", "folder of caches, where the tuning file goes by default"},
    {"HOME", "the user's folder, whose .cache takes the place of XDG_CACHE_HOME where that is not set"},
    {"SEICHE_DUCC", "folder that holds libseiche_ducc_*.so, where they are not where they were built or installed"},
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
