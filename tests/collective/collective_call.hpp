// SPDX-License-Identifier: BSD-3-Clause
/// \file  A collective call whose result a test can compare.
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>

#include "support/mpi_test.hpp"

namespace seiche::testing {

using Complex = std::complex<double>;

/// A collective call. run() returns values that do not depend on earlier calls. It allocates no memory itself.
struct CollectiveCall {
  std::string name;
  std::function<std::span<const Complex>()> run;
};

}  // namespace seiche::testing
