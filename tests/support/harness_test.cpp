// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of the shared test functions: failing comparisons are reported, directories are shared and removed.
#include <gtest/gtest-spi.h>

#include <array>
#include <fstream>

#include "support/mpi_test.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {
void compare(std::array<double, 3> values, std::array<double, 3> expected) {
  expect_close<double>(values, expected, 1e-3);
}
}  // namespace

TEST(Harness, SeesADeviationAndSaysWhere) {
  const std::array<double, 3> right{1, 2.5, 3}, wrong{1, 2, 3};
  compare(right, right);
  EXPECT_NONFATAL_FAILURE(compare(wrong, right), "at index 1 of 3");
}

TEST(Harness, SeesNotANumber) {
  const std::array<double, 3> right{}, wrong{0, 0, std::nan("")};
  EXPECT_NONFATAL_FAILURE(compare(wrong, right), "at index 2 of 3");
}

TEST(Harness, SeesThatNothingWasThrown) {
  EXPECT_NONFATAL_FAILURE(expect_error(Fault::bad_file, "damaged", [] {}), "nothing was thrown");
}

TEST(Harness, SharesOneDirectoryAndRemovesIt) {
  std::filesystem::path was;
  {
    const ScratchDirectory directory;
    was = directory.path();
    if (rank() == 0) std::ofstream(directory.file("note")) << "hello";
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(std::filesystem::exists(directory.file("note")));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::filesystem::exists(was));
  compared(2);
}

// ctest runs each of these tests alone. It expects the message, and the same exit code on all ranks.
TEST(Harness, DISABLED_ComparesNothing) {}
TEST(Harness, DISABLED_FailsFatallyOnTheLastRank) {
  compared();
  ASSERT_NE(rank(), ranks() - 1) << "only here";
}
