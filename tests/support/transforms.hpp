// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lists the exchange algorithms and FFT libraries that are available on this machine.
#pragma once

#include <vector>

#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/line_libraries.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"
#include "seiche/presence.hpp"
#include "space/mpi_access.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// On devices, MPI sends from the host during the lifetime, as MPI libraries that do not access device memory.
class SendsFromHost {
 public:
  SendsFromHost() { emulate_mpi_access(false); }
  ~SendsFromHost() { emulate_mpi_access(true); }
  SendsFromHost(const SendsFromHost&) = delete;
  SendsFromHost& operator=(const SendsFromHost&) = delete;
};

/// Tells whether messages of an algorithm are in device memory, in plans on a device.
inline bool sent_from_device(Algorithm algorithm) {
  return algorithm == Algorithm::pairwise || algorithm == Algorithm::alltoallv;
}

/// Returns all algorithms that can exchange values between these ranks. `local` needs a single rank.
inline std::vector<Algorithm> ways_here() {
  std::vector<Algorithm> algorithms;
  for (const Algorithm algorithm : all_algorithms()) {
    if (algorithm != Algorithm::local || ranks() == 1) algorithms.push_back(algorithm);
  }
  return algorithms;
}

/// Returns whether a library of 1D FFTs is installed; for the fastest one, whether there is a choice.
inline bool is_here(LineLibrary library) {
  try {
    return line_library(library) == library;
  } catch (const Error&) {
    return false;
  }
}
/// Returns whether a plan may ask for a library, or for another one that replaces it.
inline bool is_usable(LineLibrary library) {
  return !fault_of([&] { line_library(library); });
}
inline std::vector<LineLibrary> line_libraries_here() {
  std::vector<LineLibrary> libraries;
  for (const LineLibrary library : all_line_libraries) {
    if (is_here(library)) libraries.push_back(library);
  }
  return libraries;
}

}  // namespace seiche::testing
