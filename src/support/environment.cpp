// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/require.hpp"

namespace seiche {

namespace {
constexpr std::array<EnvironmentVariable, 9> table{{
    {"SEICHE_FFT",
     "library for 1D FFTs: fftw, mkl, ducc or fastest [fastest: for each transform the faster of ducc and mkl (on "
     "Intel "
     "processors) or fftw, of those that are installed]"},
    {"SEICHE_TUNING", "tuning file, or 'none' [seiche/tuning.json in XDG_CACHE_HOME or ~/.cache]"},
    {"SEICHE_TRACE", "prefix of trace files: each process writes its times of work and waiting to PREFIX.<rank>"},
    {"XDG_CACHE_HOME", "folder for caches, which holds the tuning file by default [~/.cache]"},
    {"HOME", "home folder, whose .cache is used if XDG_CACHE_HOME is not set"},
    {"SEICHE_DUCC", "folder with libseiche_ducc_*.so [the folders of the build and of the installation]"},
    {"SEICHE_CUDA", "folder with libseiche_cuda.so [the folders of the build and of the installation]"},
    {"SEICHE_TOPOLOGY", "file with the groups of the hosts, or 'nodes' [ranks in the order in which they come]"},
    {"SEICHE_MKL", "folder with libmkl_rt.so [the folders of the dynamic loader]"},
}};
}  // namespace

std::span<const EnvironmentVariable> environment_table() { return table; }

std::string environment(const std::string& name) {
  const bool known = std::any_of(table.begin(), table.end(), [&](const auto& row) { return name == row.name; });
  require(known, Fault::internal, "environment variable {} is missing in the table of support/environment.cpp", name);
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

}  // namespace seiche
