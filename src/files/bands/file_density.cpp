// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density and the orbitals of a wavefunction file on the grid.
#include <algorithm>

#include "comm/equal_arguments.hpp"
#include "density/each_orbital.hpp"
#include "density/state_sum.hpp"
#include "files/bands/file_bands.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/density_members.hpp"
#include "interface/fft_members.hpp"

namespace seiche {

Density density_of(const WaveFile& file, const DensityOptions& options) {
  return density_of_states(WaveFile::Body::of(file).comm, file.header(), bands_of(file), options);
}

namespace {

/// Returns the bands as ranges.
std::vector<Range> runs_of(const std::vector<int>& bands, int all) {
  if (bands.empty()) return {{0, all}};
  std::vector<Range> runs;
  for (const int band : bands) {
    if (runs.empty() || runs.back().high != band) runs.push_back({band, band});
    ++runs.back().high;
  }
  return runs;
}

bool has(const std::vector<int>& some, int one) {
  return some.empty() || std::find(some.begin(), some.end(), one) != some.end();
}

}  // namespace

void each_orbital(const WaveFile& file, const Selection& selection, const OrbitalGridOptions& options,
                  const UseOrbital& use) {
  const Communicator& comm = WaveFile::Body::of(file).comm;
  const OrbitalHeader& header = file.header();
  together(comm, "each_orbital", [&](EqualArguments& same) {
    same.add_options(options).add_options(options.fft).add("bands", selection.bands);
    same.add("k-points", selection.kpoints).add("spins", selection.spins);
    selected(header, selection);
  });
  const std::vector<Range> bands = runs_of(selection.bands, header.bands);
  const auto wanted = [&](int spin, int k) {
    return has(selection.spins, spin) && has(selection.kpoints, k) ? bands : std::vector<Range>{};
  };
  each_orbital(comm, header, bands_of(file), wanted, options, use);
}

}  // namespace seiche
