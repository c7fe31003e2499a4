// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads a wavefunction file into a process grid and computes its density:  density FILE [OUTPUT.cube]
#include <algorithm>
#include <cmath>
#include <seiche/density_file.hpp>
#include <seiche/wavefile.hpp>

#include "answer.hpp"

int density(const std::string& path, const std::string& output) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  // [density]
  const seiche::WaveFile file(MPI_COMM_WORLD, path);
  seiche::OrbitalLayout layout;  // two groups of ranks share out the plane waves, where there are two; others the bands
  layout.grid.waves = ranks % 2 == 0 ? 2 : 1;
  layout.grid.bands = ranks / layout.grid.waves;
  const seiche::Orbitals orbitals = seiche::read_orbitals(file, layout);
  const seiche::Density density = seiche::density_of(orbitals);
  if (!output.empty()) seiche::write_density(density, output);
  // [/density]

  double error = std::fabs(seiche::integrals(density)[0] - file.header().electrons);
  if (file.header().density_components > 0) {  // the file has a density, too
    error = std::max(error, seiche::compare(density, seiche::read_density(file)).density);
  }
  return answer("density", error, 1e-6, density.components[0]);
}

int main(int argc, char** argv) {
  return run(argc, argv,
             [&] { return density(argc > 1 ? argv[1] : "data/si_small/si_small.save", argc > 2 ? argv[2] : ""); });
}
