// SPDX-License-Identifier: BSD-3-Clause
#include "files/berkeleygw/berkeleygw_crystal.hpp"

#include <cmath>
#include <numbers>

#include "crystal/lattice.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> scaled(const std::array<Vector3, 3>& rows, double factor) {
  std::vector<double> values;
  for (const Vector3& row : rows) {
    for (const double x : row) values.push_back(x * factor);
  }
  return values;
}

std::vector<double> products(const std::array<Vector3, 3>& rows) {
  std::vector<double> values;
  for (const Vector3& a : rows) {
    for (const Vector3& b : rows) values.push_back(dot(a, b));
  }
  return values;
}

/// Whether two vectors have the same length and an angle of 60 or 120 degrees, and the third one is perpendicular to
/// both. (In face-centred cubic and rhombohedral cells it is not, and BerkeleyGW calls them cubic.)
bool is_hexagonal(const std::array<Vector3, 3>& lattice) {
  constexpr double same = 1e-6;
  const auto cosine = [](const Vector3& a, const Vector3& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 &a = lattice[i], &b = lattice[(i + 1) % 3], &c = lattice[(i + 2) % 3];
    const bool equal = std::abs(dot(a, a) / dot(b, b) - 1) < same,
               upright = std::abs(cosine(a, c)) < same && std::abs(cosine(b, c)) < same;
    if (equal && upright && std::abs(std::abs(cosine(a, b)) - 0.5) < same) return true;
  }
  return false;
}

/// See operations_of_berkeleygw.
void add_operation(const SymmetryOperation& operation, BerkeleyGwCrystal& made) {
  const SymmetryOperation undone = inverse(operation);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) made.rotations.push_back(operation.rotation[i][j]);
    made.translations.push_back(2 * pi * undone.translation[i] + 0.0);  // no -0
  }
}

}  // namespace

std::vector<SymmetryOperation> writable_operations(const std::vector<SymmetryOperation>& operations) {
  std::vector<SymmetryOperation> list;
  for (const SymmetryOperation& s : operations) {
    if (!s.time_reversal && list.size() < berkeleygw_operations) list.push_back(s);
  }
  return list;
}

BerkeleyGwCrystal berkeleygw_crystal(const Crystal& crystal) {
  BerkeleyGwCrystal made;
  const auto reciprocal = crystal.reciprocal();
  made.volume = crystal.volume();
  made.alat = std::sqrt(dot(crystal.lattice[0], crystal.lattice[0]));
  made.reciprocal_volume = 8 * pi * pi * pi / made.volume;
  made.blat = 2 * pi / made.alat;
  made.a = scaled(crystal.lattice, 1 / made.alat);
  made.b = scaled(reciprocal, 1 / made.blat);
  made.adot = products(crystal.lattice);
  made.bdot = products(reciprocal);
  made.hexagonal = is_hexagonal(crystal.lattice);
  for (const SymmetryOperation& s : writable_operations(operations_or_identity(crystal))) add_operation(s, made);
  for (const Atom& atom : crystal.atoms) {
    made.types.push_back(atomic_number(atom.symbol));
    for (const double x : atom.position) made.positions.push_back(x / made.alat);
  }
  return made;
}

OccupiedBands occupied_bands(const OrbitalHeader& h) {
  OccupiedBands occupied;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      std::int32_t low = 0, high = 0;
      for (int band = 0; band < h.bands; ++band) {
        if (h.occupations[h.state(spin, k, band)] <= 0.5) continue;
        if (low == 0) low = band + 1;
        high = band + 1;
      }
      occupied.lowest.push_back(low);
      occupied.highest.push_back(high);
    }
  }
  return occupied;
}

std::vector<std::int32_t> berkeleygw_sphere(const Crystal& crystal, double density_cutoff) {
  const auto b = crystal.reciprocal();
  std::vector<std::int32_t> numbers;
  for (const Miller& g : in_quantum_espresso_order(b, sphere_of_waves(b, {}, density_cutoff))) {
    numbers.insert(numbers.end(), {g.x, g.y, g.z});
  }
  return numbers;
}

std::vector<SymmetryOperation> operations_of_berkeleygw(std::span<const std::int32_t> rotations,
                                                        std::span<const double> translations) {
  std::vector<SymmetryOperation> operations(rotations.size() / 9);
  for (std::size_t s = 0; s < operations.size(); ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        operations[s].rotation[i][j] = rotations[9 * s + 3 * i + j];
        operations[s].translation[i] -= operations[s].rotation[i][j] * translations[3 * s + j] / (2 * pi);
      }
    }
  }
  return operations;
}

void write_crystal(FortranWriter& file, const BerkeleyGwCrystal& crystal) {
  file.write(crystal.volume, crystal.alat, crystal.a, crystal.adot);
  file.write(crystal.reciprocal_volume, crystal.blat, crystal.b, crystal.bdot);
  file.write(crystal.rotations);
  file.write(crystal.translations);
  FortranRecord atoms = file.record();
  for (std::size_t i = 0; i < crystal.types.size(); ++i) {
    atoms.add(std::span(crystal.positions).subspan(3 * i, 3), crystal.types[i]);
  }
  file.write(atoms);
}

Crystal read_crystal(FortranRecords& records, std::int32_t operations, std::int32_t atoms) {
  Crystal crystal;
  auto cell = records.next(160);
  cell.skip(8);
  const double alat = cell.take<double>();
  crystal.lattice = cell.take<std::array<Vector3, 3>>();
  for (Vector3& row : crystal.lattice) {
    for (double& x : row) x *= alat;
  }
  records.next(160);  // of the reciprocal cell
  const auto rotations = records.next(36 * operations).take<std::int32_t>(9 * operations);
  const auto translations = records.next(24 * operations).take<double>(3 * operations);
  crystal.operations = operations_of_berkeleygw(rotations, translations);
  auto places = records.next(28 * std::int64_t{atoms});
  for (std::int32_t i = 0; i < atoms; ++i) {
    const auto p = places.take<Vector3>();
    crystal.atoms.push_back({symbol_of(places.take<std::int32_t>()), {alat * p[0], alat * p[1], alat * p[2]}});
  }
  return crystal;
}

void write_pieces(FortranWriter& file, std::int64_t count) {
  file.write(std::int32_t{1});
  file.write(static_cast<std::int32_t>(count));
}

Extent read_gvectors(FortranRecords& records, const std::string& path, std::int64_t count) {
  const auto pieces = records.next(4).take<std::int32_t>(), waves = records.next(4).take<std::int32_t>();
  require(pieces < 2 || waves > count, Fault::unsupported,
          "{}: the plane waves at byte {} are in {} records, which is not supported: write the file again with one "
          "record, or as HDF5",
          path, records.position(), pieces);
  require(pieces == 1 && waves == count, Fault::bad_file,
          "{}: {} records of {} plane waves at byte {} instead of one with {}: rerun the code that wrote the file",
          path, pieces, waves, records.position(), count);
  return records.skip(3 * count, Element::int32);
}

}  // namespace seiche
