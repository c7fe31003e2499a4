// SPDX-License-Identifier: BSD-3-Clause
#include "made_orbitals.hpp"

#include <algorithm>
#include <cmath>

#include "seiche/error.hpp"

namespace seiche::command {

namespace {

/// Returns the header of a cubic crystal with `request.waves` waves at each k-point.
OrbitalHeader header_of(const OrbitalCase& request) {
  OrbitalHeader h;
  const double radius = std::cbrt(0.75 * static_cast<double>(request.waves) / 3.14159265358979);
  h.crystal.lattice = {{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}};
  h.crystal.atoms = {{"Si", {}}};
  h.crystal.operations = {{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false}};
  const double b = 2 * 3.14159265358979 / 10;
  h.cutoff = 0.5 * b * b * radius * radius;
  h.density_cutoff = 4 * h.cutoff;
  const auto points = 4 * static_cast<std::int64_t>(radius) + 4;
  h.grid = {points, points, points};
  h.bands = request.bands;
  for (int k = 0; k < request.kpoints; ++k) {
    h.kpoints.push_back({{0.1 * k, 0, 0}, 1.0 / request.kpoints, request.waves});
  }
  h.occupations.assign(size_of(std::int64_t{request.kpoints} * request.bands), 1.0);
  for (std::size_t i = 0; i < h.occupations.size(); ++i) {
    h.energies.push_back(static_cast<double>(i % size_of(request.bands)));
  }
  return h;
}

}  // namespace

WaveParts::WaveParts(const Session& session, std::int64_t waves) {
  for (int rank = 0; rank < session.size; ++rank) {
    const Range part = block(waves, session.size, rank);
    counts.push_back(static_cast<int>(part.size()));
    starts.push_back(static_cast<int>(part.low));
  }
}

std::complex<double> made_coefficient(int k, std::int64_t band, std::int64_t position) {
  return {static_cast<double>(position) + 0.5 * static_cast<double>(k), static_cast<double>(band)};
}

Orbitals made_orbitals(const Session& session, const OrbitalCase& request) {
  Orbitals orbitals{Communicator(session.comm), header_of(request), {}};
  auto sphere = sphere_of_waves(orbitals.header.crystal.reciprocal(), {}, 1.1 * orbitals.header.cutoff);
  if (static_cast<std::int64_t>(sphere.size()) < request.waves) {
    throw Error(Fault::bad_argument, "--waves is too small: give at least 100");
  }
  const Range mine = block(request.waves, session.size, session.rank);
  for (int k = 0; k < request.kpoints; ++k) {
    OrbitalPart part{0, k, {0, request.bands}, {}, {}, {}};
    if (!mine.empty()) part.positions = {mine};
    part.waves.assign(sphere.begin() + mine.low, sphere.begin() + mine.high);
    for (std::int64_t band = 0; band < request.bands; ++band) {
      for (std::int64_t i = mine.low; i < mine.high; ++i) part.coefficients.push_back(made_coefficient(k, band, i));
    }
    orbitals.parts.push_back(std::move(part));
  }
  return orbitals;
}

double error_of_made(const Orbitals& orbitals) {
  double worst = 0;
  for (const OrbitalPart& part : orbitals.parts) {
    std::size_t at = 0;
    for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
      for (const Range& run : part.positions) {
        for (std::int64_t i = run.low; i < run.high; ++i) {
          worst = std::max(worst, std::abs(part.coefficients[at++] - made_coefficient(part.k, band, i)));
        }
      }
    }
  }
  return worst;
}

}  // namespace seiche::command
