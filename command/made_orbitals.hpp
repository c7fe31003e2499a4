// SPDX-License-Identifier: BSD-3-Clause
/// \file  Generated wavefunctions of a cubic crystal, with known coefficients.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench_report.hpp"
#include "seiche/orbitals.hpp"

namespace seiche::command {

inline std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The equal parts of waves on the ranks, in the form that collectives of MPI need.
struct WaveParts {
  WaveParts(const Session& session, std::int64_t waves);
  std::vector<int> counts, starts;  ///< by rank
};

/// Returns the coefficient of a wave. `position`: in the order of the k-point.
std::complex<double> made_coefficient(int k, std::int64_t band, std::int64_t position);

/// Collective. Returns orbitals whose waves are distributed over the ranks in equal parts.
Orbitals made_orbitals(const Session& session, const OrbitalCase& request);

/// Returns the largest error of coefficients on this rank.
double error_of_made(const Orbitals& orbitals);

}  // namespace seiche::command
