// SPDX-License-Identifier: BSD-3-Clause
/// \file  Results of files and orbitals in arrays.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <limits>
#include <optional>

#include "case_arrays.hpp"
#include "seiche/averages.hpp"
#include "seiche/basis.hpp"
#include "seiche/cut.hpp"
#include "seiche/density.hpp"
#include "seiche/density_file.hpp"
#include "seiche/orbital_grid.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/unfold.hpp"
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

/// The waves of all k-points of a file, one after another.
inline std::vector<Miller> waves_of(const std::string& path) {
  const WaveFile file(world(), path);
  std::vector<Miller> all;
  for (int k = 0; k < static_cast<int>(file.header().kpoints.size()); ++k) {
    const auto some = file.waves(0, k, {0, file.header().kpoints[static_cast<std::size_t>(k)].plane_waves});
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

inline std::vector<std::vector<Miller>> by_kpoint(const OrbitalHeader& header, std::span<const Miller> waves) {
  std::vector<std::vector<Miller>> found;
  for (const auto& k : header.kpoints) {
    found.emplace_back(waves.begin(), waves.begin() + k.plane_waves);
    waves = waves.subspan(static_cast<std::size_t>(k.plane_waves));
  }
  return found;
}

inline std::vector<double> vector_of(const Vector3& given) { return {given.begin(), given.end()}; }

inline Plane plane_of_side_5(const Crystal& crystal) {
  Plane plane = plane_of_indices(crystal, {1, 1, 0}, 1.5);
  plane.side = 5;
  return plane;
}

inline void put_plane(const Plane& plane, std::span<double> centre, std::span<double> right, std::span<double> up,
                      std::span<double> side) {
  std::ranges::copy(plane.centre, centre.begin());
  std::ranges::copy(plane.right, right.begin());
  std::ranges::copy(plane.up, up.begin());
  side[0] = plane.side;
}

inline Density one_orbital(const WaveFile& file) {
  OrbitalGridOptions options;
  options.quantity = OrbitalQuantity::real;
  options.periodic = true;
  std::optional<Density> made;
  each_orbital(file, {{3}, {1}, {0}}, options, [&](const BandState&, const Density& values) { made = values; });
  return std::move(*made);
}

/// A file in the folder of temporary files, which is removed when the process ends.
struct ScratchFile {
  explicit ScratchFile(const char* suffix) {
    long process = getpid();
    MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    const auto name = "seiche_conformance_" + std::to_string(process) + suffix;
    path = std::filesystem::temp_directory_path() / name;
  }
  ~ScratchFile() { std::filesystem::remove(path); }
  std::string path;
};

inline std::string scratch_file() {
  static const ScratchFile file(".h5");
  return file.path;
}

/// The inversion with a translation.
inline ImageRequest inversion() {
  ImageRequest request;
  for (std::size_t i = 0; i < 3; ++i) request.operation.rotation[i][i] = -1;
  request.operation.translation = {0, 0.25, 0};
  request.from = {0, 0, 0.25};
  request.to = {0, 0, -0.25};
  return request;
}

inline void put_overlaps(std::span<std::complex<double>> all,
                         const std::vector<std::vector<std::complex<double>>>& found) {
  auto place = all.begin();
  for (const auto& one : found) place = std::copy(one.begin(), one.end(), place);
}

}  // namespace seiche::conformance
