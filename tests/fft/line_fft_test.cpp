// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which library transforms lines, by what is asked for, what is there and what processor it is.
#include <cstdlib>
#include <fstream>
#include <string>

#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// What the system says of the processor, apart from what the compiler's runtime says of it.
bool on_intel() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.find("GenuineIntel") != std::string::npos) return true;
  }
  return false;
}

class LineLibraries : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("SEICHE_FFT"); }
};

TEST_F(LineLibraries, MklOnlyWhereItHasKernelsOfItsOwn) {
  const bool fftw = is_here(LineLibrary::fftw), mkl = is_here(LineLibrary::mkl);
  ASSERT_TRUE(fftw || mkl);
  const bool expect_mkl = mkl && (on_intel() || !fftw);
  EXPECT_EQ(line_library(), expect_mkl ? LineLibrary::mkl : LineLibrary::fftw);
  compared();
}

TEST_F(LineLibraries, TheVariableDecidesWhereTheCallerDoesNot) {
  for (const auto library : {LineLibrary::fftw, LineLibrary::mkl}) {
    if (!is_here(library)) continue;
    ::setenv("SEICHE_FFT", name_of(library).c_str(), 1);
    EXPECT_EQ(line_library(), library);
    EXPECT_EQ(line_library(LineLibrary::fftw), LineLibrary::fftw);
    compared(2);
  }
}

TEST_F(LineLibraries, OthersAreRefused) {
  ::setenv("SEICHE_FFT", "fftpack", 1);
  expect_error(Fault::bad_argument, "SEICHE_FFT is 'fftpack'; set it to fftw or mkl, or not at all",
               [] { line_library(); });
}

}  // namespace
}  // namespace seiche::testing
