// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes small files of codes that are not available here. They are written number by number according to the
/// documented layouts, without the library. The coefficient of each wave is a function of its indices, so that readers
/// can be checked.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche::testing {

using Vector = std::array<double, 3>;

/// Returns the coefficient that these files contain for a wave.
inline std::complex<double> coefficient_of(const Miller& g, int spin, int k, int band, int component) {
  const double x = 0.25 * g.x - 0.5 * g.y + 0.125 * g.z, y = 1 + spin + 2 * component;
  return {x + band / 8.0, g == Miller{} ? 0.0 : y - 4.0 * k};  // exact in single precision; real at G = 0
}

/// A cell with different axes, which reveals swapped axes. Lengths are in the unit of the file.
inline constexpr std::array<Vector, 3> cell{{{4.0, 0.25, 0.0}, {0.0, 5.0, 0.5}, {0.75, 0.0, 6.0}}};

inline double dot3(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Returns the rows b_i with a_i . b_j = 2 pi delta_ij.
inline std::array<Vector, 3> reciprocal_of(const std::array<Vector, 3>& a) {
  const auto crossed = [](const Vector& u, const Vector& v) {
    return Vector{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  };
  const double volume = dot3(a[0], crossed(a[1], a[2]));
  std::array<Vector, 3> b{crossed(a[1], a[2]), crossed(a[2], a[0]), crossed(a[0], a[1])};
  for (Vector& row : b) {
    for (double& x : row) x *= 2 * std::numbers::pi / volume;
  }
  return b;
}

/// Returns |k + G|^2.
inline double square_of(const Miller& g, const Vector& k) {
  const auto b = reciprocal_of(cell);
  Vector q{};
  for (std::size_t i = 0; i < 3; ++i) q[i] = (g.x + k[0]) * b[0][i] + (g.y + k[1]) * b[1][i] + (g.z + k[2]) * b[2][i];
  return dot3(q, q);
}

/// Bytes of a file in the form that Fortran writes.
class Bytes {
 public:
  explicit Bytes(bool big_endian = false) : big_endian_(big_endian) {}
  template <class Value>
  Bytes& put(const Value& value) {
    std::array<char, sizeof(Value)> raw{};
    std::memcpy(raw.data(), &value, sizeof value);
    if (big_endian_) std::reverse(raw.begin(), raw.end());
    bytes_.append(raw.data(), raw.size());
    return *this;
  }
  Bytes& text(const std::string& text, std::size_t length) {
    bytes_ += text + std::string(length - text.size(), ' ');
    return *this;
  }
  Bytes& record(const Bytes& content) {
    put(static_cast<std::int32_t>(content.bytes_.size()));
    bytes_ += content.bytes_;
    return put(static_cast<std::int32_t>(content.bytes_.size()));
  }
  Bytes& pad(std::size_t to) {
    bytes_.resize(to, '\0');
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  void save(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes_; }

 private:
  std::string bytes_;
  bool big_endian_;
};

// ------------------------------------------------------------------------------------------------------------- VASP

struct VaspFile {
  int spins = 1, spinor = 1, bands = 3, tag = 45200;
  bool gamma = false;
  double cutoff = 60;  ///< eV
  std::vector<Vector> kpoints{{0, 0, 0}};
};

/// Returns the waves in the order of VASP: x fastest, each axis 0, 1 .. n, -n .. -1, with h^2 G^2 / 2m below the
/// cutoff.
inline std::vector<Miller> vasp_waves(const VaspFile& file, const Vector& k) {
  constexpr int n = 12;
  const auto index = [](int i) { return i <= n ? i : i - 2 * n - 1; };
  std::vector<Miller> waves;
  for (int z = 0; z <= 2 * n; ++z) {
    for (int y = 0; y <= 2 * n; ++y) {
      for (int x = 0; x <= 2 * n; ++x) {
        const Miller g{index(x), index(y), index(z)};
        const bool kept = g.x > 0 || (g.x == 0 && (g.y > 0 || (g.y == 0 && g.z >= 0)));
        if (square_of(g, k) / 0.262465831 < file.cutoff && (kept || !file.gamma)) waves.push_back(g);
      }
    }
  }
  return waves;
}

inline void write_wavecar(const std::string& path, const VaspFile& file) {
  std::size_t most = 0;
  for (const Vector& k : file.kpoints) most = std::max(most, vasp_waves(file, k).size());
  const bool single = file.tag % 100 == 0;
  const std::size_t record = (most * static_cast<std::size_t>(file.spinor) + 1) / 2 * 2 * (single ? 8 : 16);
  Bytes bytes;
  const auto next = [&] { bytes.pad((bytes.size() + record - 1) / record * record); };
  bytes.put(static_cast<double>(record)).put(static_cast<double>(file.spins)).put(static_cast<double>(file.tag));
  next();
  bytes.put(static_cast<double>(file.kpoints.size())).put(static_cast<double>(file.bands)).put(file.cutoff);
  for (const Vector& row : cell) bytes.put(row[0]).put(row[1]).put(row[2]);
  bytes.put(-1.5);
  next();
  for (int spin = 0; spin < file.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(file.kpoints.size()); ++k) {
      const Vector& point = file.kpoints[static_cast<std::size_t>(k)];
      const auto waves = vasp_waves(file, point);
      bytes.put(static_cast<double>(waves.size()) * file.spinor).put(point[0]).put(point[1]).put(point[2]);
      for (int band = 0; band < file.bands; ++band) bytes.put(-5.0 + band).put(0.0).put(band == 0 ? 1.0 : 0.25);
      next();
      for (int band = 0; band < file.bands; ++band) {
        for (int component = 0; component < file.spinor; ++component) {
          for (const Miller& g : waves) {
            const double root = file.gamma && !(g == Miller{}) ? std::numbers::sqrt2 : 1;
            const auto c = coefficient_of(g, spin, k, band, component) * root;
            if (single) bytes.put(static_cast<float>(c.real())).put(static_cast<float>(c.imag()));
            if (!single) bytes.put(c.real()).put(c.imag());
          }
        }
        next();
      }
    }
  }
  bytes.save(path);
}

// ----------------------------------------------------------------------------------------------------------- CASTEP

struct CastepTestFile {
  int spins = 1, spinor = 1, bands = 2;
  bool gamma = false, density = true;
  double cutoff = 2;  ///< hartree
  std::vector<Vector> kpoints{{0, 0, 0}, {0.25, 0, 0.5}};
  std::array<int, 3> grid{4, 5, 6};
  bool binary = false;  ///< a .castep_bin: without waves
};

/// Returns the density at a point. Component 1 is the spin density.
inline double density_at(int x, int y, int z, int component) { return 1 + x + 0.25 * y - 0.5 * z * component; }

inline std::vector<Miller> castep_waves(const CastepTestFile& file, const Vector& k) {
  std::vector<Miller> waves;
  for (int z = -6; z <= 6; ++z) {
    for (int y = -6; y <= 6; ++y) {
      for (int x = -6; x <= 6; ++x) {
        const Miller g{x, y, z};
        const bool kept = z > 0 || (z == 0 && (y > 0 || (y == 0 && x >= 0)));  // not the half of the other codes
        if (square_of(g, k) / 2 <= file.cutoff && (kept || !file.gamma)) waves.push_back(g);
      }
    }
  }
  return waves;
}

inline void write_check(const std::string& path, const CastepTestFile& file) {
  Bytes out(true);
  const auto record = [] { return Bytes(true); };
  const auto one = [&](auto... values) {
    Bytes content(true);
    (content.put(values), ...);
    out.record(content);
  };
  const auto tag = [&](const char* text, std::size_t length) { out.record(record().text(text, length)); };
  if (file.binary) tag("CASTEP_BIN", 10);
  tag("BEGIN_PARAMETERS_DUMP", 30);
  tag("20.110", 10);
  tag("BEGIN_BASIS", 30);
  tag("NULL", 10);
  one(file.cutoff);
  one(2.0);
  tag("END_BASIS", 30);
  tag("END_PARAMETERS_DUMP", 30);
  const int kpoints = static_cast<int>(file.kpoints.size());
  for (const double stretch : {2.0, 1.0}) {  // first the initial cell, then the current cell
    tag("BEGIN_UNIT_CELL", 256);
    tag("CELL%REAL_LATTICE", 256);
    Bytes lattice(true);
    for (std::size_t j = 0; j < 3; ++j) {
      for (const Vector& row : cell) lattice.put(stretch * row[j]);
    }
    out.record(lattice);
    tag("CELL%NUM_SPECIES", 256);
    one(2);
    tag("CELL%MAX_IONS_IN_SPECIES", 256);
    one(2);
    tag("CELL%NUM_IONS_IN_SPECIES", 256);
    one(1, 2);
    tag("CELL%IONIC_POSITIONS", 256);
    one(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, -0.25, 0.0, 0.0);
    tag("CELL%SPECIES_SYMBOL", 256);
    out.record(record().text("Ga:1", 8).text("N", 8));
    tag("END_UNIT_CELL", 256);
    tag("BEGIN_CELL_GLOBAL", 256);
    tag("NKPTS", 256);
    one(kpoints);
    tag("KPOINTS", 256);
    Bytes points(true);  // in reverse order of the waves
    for (auto k = file.kpoints.rbegin(); k != file.kpoints.rend(); ++k) points.put((*k)[0]).put((*k)[1]).put((*k)[2]);
    out.record(points);
    tag("KPOINT_WEIGHTS", 256);
    Bytes weights(true);
    for (int k = kpoints; k-- > 0;) weights.put(2.0 * (k + 1) / (kpoints * (kpoints + 1)));
    out.record(weights);
    tag("NUM_SYMMETRY_OPERATIONS", 256);
    one(2);
    tag("SYMMETRY_OPERATIONS", 256);
    one(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
    tag("SYMMETRY_DISPS", 256);
    one(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    tag("END_CELL_GLOBAL", 256);
  }
  one(1);
  one(1);
  one(-7.5);
  one(0.125);
  one(file.bands, file.spins);
  if (!file.binary) {
    tag(file.gamma ? "Gpt" : "wave", 4);
    one(20, 20, 20);
    one(1000, file.spinor, file.bands, kpoints, file.spins);
  }
  for (int spin = 0; spin < (file.binary ? 0 : file.spins); ++spin) {
    for (int k = 0; k < kpoints; ++k) {
      const Vector& point = file.kpoints[static_cast<std::size_t>(k)];
      const auto waves = castep_waves(file, point);
      one(point[0], point[1], point[2], static_cast<std::int32_t>(waves.size()));
      for (int axis = 0; axis < 3; ++axis) {
        Bytes indices(true);
        for (const Miller& g : waves) indices.put(axis == 0 ? g.x : axis == 1 ? g.y : g.z);
        out.record(indices);
      }
      for (int band = 0; band < file.bands; ++band) {
        for (int component = 0; component < file.spinor; ++component) {
          Bytes coefficients(true);
          for (const Miller& g : waves) {
            const auto c = coefficient_of(g, spin, k, band, component);
            coefficients.put(c.real()).put(c.imag());
          }
          out.record(coefficients);
        }
      }
    }
  }
  for (int k = kpoints; k-- > 0;) {  // again in reverse order
    const Vector& point = file.kpoints[static_cast<std::size_t>(k)];
    one(point[0], point[1], point[2]);
    for (int spin = 0; spin < file.spins; ++spin) {
      Bytes occupations(true), energies(true);
      for (int band = 0; band < file.bands; ++band) occupations.put(band == 0 ? 1.0 : 0.5);
      for (int band = 0; band < file.bands; ++band) energies.put(band + 10.0 * k + 100.0 * spin);
      out.record(occupations).record(energies);
    }
  }
  one(static_cast<std::int32_t>(file.density));
  if (file.density) {
    one(file.grid[0], file.grid[1], file.grid[2]);
    for (int x = 0; x < file.grid[0]; ++x) {
      for (int y = 0; y < file.grid[1]; ++y) {
        Bytes line(true);
        line.put(x + 1).put(y + 1);
        for (int component = 0; component < file.spins; ++component) {
          for (int z = 0; z < file.grid[2]; ++z) line.put(density_at(x, y, z, component)).put(0.0);
        }
        out.record(line);
      }
    }
  }
  tag("END", 10);
  out.save(path);
}

}  // namespace seiche::testing
