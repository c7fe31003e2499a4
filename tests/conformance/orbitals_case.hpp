// SPDX-License-Identifier: BSD-3-Clause
/// \file  Results of files and orbitals in arrays.
#pragma once

#include <limits>

#include "case_arrays.hpp"
#include "seiche/basis.hpp"
#include "seiche/density.hpp"
#include "seiche/density_file.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/wavefile.hpp"

namespace seiche::conformance {

inline void put_kpoints(const OrbitalHeader& header, std::span<double> k, std::span<double> weights,
                        std::span<std::int64_t> plane_waves) {
  for (std::size_t i = 0; i < header.kpoints.size(); ++i) {
    std::ranges::copy(header.kpoints[i].k, k.subspan(3 * i).begin());
    weights[i] = header.kpoints[i].weight;
    plane_waves[i] = header.kpoints[i].plane_waves;
  }
}

inline void put_overlaps(std::span<std::complex<double>> all,
                         const std::vector<std::vector<std::complex<double>>>& found) {
  auto place = all.begin();
  for (const auto& one : found) place = std::copy(one.begin(), one.end(), place);
}

}  // namespace seiche::conformance
