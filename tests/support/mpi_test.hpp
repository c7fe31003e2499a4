// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared functions of tests. All ranks run the same tests in the same order. Each test must count its
/// comparisons: it fails if no rank calls compared() or a helper that calls it. Use EXPECT, not ASSERT, before a
/// collective call.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "seiche/error.hpp"

namespace seiche::testing {

/// Counts `n` comparisons with expected values on this rank.
void compared(std::int64_t n = 1);

/// Returns whether the long suite runs (SEICHE_LONG). It runs all combinations of settings. The short suite runs
/// combinations in which each pair of settings occurs.
bool long_suite();

int rank();  ///< in MPI_COMM_WORLD
int ranks();

/// Collective. A directory for one test, the same on all ranks. The destructor removes it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Checks |a - b| <= tolerance for each pair, and reports the index of the largest deviation. Counts the comparisons.
template <class Value>
void expect_close(std::span<const Value> values, std::span<const Value> expected, double tolerance) {
  EXPECT_EQ(values.size(), expected.size());
  const std::size_t n = std::min(values.size(), expected.size());
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double deviation = std::abs(values[i] - expected[i]);
    if (deviation > worst || std::isnan(deviation)) worst = deviation, where = i;
    if (std::isnan(deviation)) break;
  }
  EXPECT_LE(worst, tolerance) << "at index " << where << " of " << n;
  compared(static_cast<std::int64_t>(n));
}

/// Checks that all values are equal. Counts the comparisons.
template <class Values>
void expect_equal(const Values& values, const Values& expected) {
  EXPECT_EQ(values, expected);
  compared(static_cast<std::int64_t>(std::size(values)));
}

/// Checks that `work` throws an Error with this fault and a message that contains `part`. Counts one comparison.
template <class Work>
void expect_error(Fault fault, const std::string& part, Work&& work) {
  compared();
  try {
    work();
    ADD_FAILURE() << "nothing was thrown; expected an Error that says: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "it says: " << error.what();
  }
}

}  // namespace seiche::testing
