// SPDX-License-Identifier: BSD-3-Clause
/// \file  Symmetry operations of a crystal: composition, action on k-points and on spins, and search by spglib.
#include "crystal/operations.hpp"

#include <spglib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "crystal/lattice.hpp"
#include "support/require.hpp"

namespace seiche {

std::int64_t determinant(const Rotation& rotation) {
  std::array<std::array<std::int64_t, 3>, 3> r{};
  for (std::size_t i = 0; i < 3; ++i) std::copy(rotation[i].begin(), rotation[i].end(), r[i].begin());
  return r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
         r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
}

namespace {

using Complex = std::complex<double>;
using Spin = std::array<std::array<Complex, 2>, 2>;

Rotation times(const Rotation& a, const Rotation& b) {
  Rotation c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  }
  return c;
}

Rotation transposed(const Rotation& r) {
  Rotation t{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) t[i][j] = r[j][i];
  }
  return t;
}

Rotation inverse(const Rotation& r) {
  const auto d = static_cast<int>(determinant(r));
  require(d == 1 || d == -1, Fault::bad_argument,
          "the rotation of a symmetry operation has determinant {}: it must be 1 or -1", d);
  Rotation inverted{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      inverted[i][j] = d * (r[a][p] * r[b][q] - r[a][q] * r[b][p]);
    }
  }
  return inverted;
}

/// Returns det(R) A R A^-1 with the lattice vectors as columns of A: the proper part in cartesian coordinates.
std::array<Vector3, 3> proper_part(const Crystal& crystal, const Rotation& r) {
  const auto b = crystal.reciprocal();
  std::array<Vector3, 3> m{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t q = 0; q < 3; ++q) m[i][j] += crystal.lattice[p][i] * r[p][q] * b[q][j];
      }
      m[i][j] *= static_cast<double>(determinant(r)) / (2 * std::numbers::pi);
    }
  }
  return m;
}

/// Returns the unit quaternion (w, x, y, z) of a rotation, with the sign that makes its first nonzero component
/// positive. The largest component is computed first, so that no small number is a divisor.
std::array<double, 4> quaternion(const std::array<Vector3, 3>& m) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  std::array<double, 4> q{};
  std::size_t i = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (m[a][a] > (i == 0 ? trace : m[i - 1][i - 1])) i = a + 1;
  }
  if (i == 0) {
    q = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  } else {
    const std::size_t a = i - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    q[0] = m[c][b] - m[b][c];
    q[a + 1] = 1 + m[a][a] - m[b][b] - m[c][c];
    q[b + 1] = m[a][b] + m[b][a];
    q[c + 1] = m[a][c] + m[c][a];
  }
  double length = 0, sign = 0;
  for (const double x : q) length += x * x;
  length = std::sqrt(length);
  for (double& x : q) {
    x /= length;
    if (std::abs(x) < 1e-9) x = 0;  // rotations of crystals have no such small components
    if (sign == 0 && x != 0) sign = x > 0 ? 1 : -1;
  }
  for (double& x : q) x *= sign;
  return q;
}

}  // namespace

Rotation reciprocal_rotation(const SymmetryOperation& operation) {
  Rotation m = transposed(inverse(operation.rotation));
  if (!operation.time_reversal) return m;
  for (auto& row : m) {
    for (int& number : row) number = -number;
  }
  return m;
}

void require_symmetry_of(const Crystal& crystal, const SymmetryOperation& operation) {
  require(keeps_lattice(crystal, operation), Fault::bad_argument,
          "a symmetry operation changes lengths or angles of the lattice: use the operations of this crystal");
}

SymmetryOperation product(const SymmetryOperation& second, const SymmetryOperation& first) {
  SymmetryOperation both{times(second.rotation, first.rotation), times(second.rotation, first.translation),
                         second.time_reversal != first.time_reversal};
  for (std::size_t i = 0; i < 3; ++i) both.translation[i] += second.translation[i];
  return both;
}

SymmetryOperation inverse(const SymmetryOperation& operation) {
  SymmetryOperation back{inverse(operation.rotation), {}, operation.time_reversal};
  back.translation = times(back.rotation, operation.translation);
  for (double& t : back.translation) t = -t;
  return back;
}

Vector3 image_of(const SymmetryOperation& operation, const Vector3& k) {
  return times(reciprocal_rotation(operation), k);
}

Spin spin_matrix(const Crystal& crystal, const SymmetryOperation& operation) {
  require_symmetry_of(crystal, operation);
  const auto [w, x, y, z] = quaternion(proper_part(crystal, operation.rotation));
  const Spin u{{{Complex(w, -z), Complex(-y, -x)}, {Complex(y, -x), Complex(w, z)}}};
  if (!operation.time_reversal) return u;
  return {{{std::conj(u[1][0]), std::conj(u[1][1])}, {-std::conj(u[0][0]), -std::conj(u[0][1])}}};
}

std::vector<SymmetryOperation> find_operations(const Crystal& crystal, double tolerance) {
  double lattice[3][3];
  std::vector<std::array<double, 3>> positions;
  std::vector<int> kinds;
  std::map<std::string, int> kind_of;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) lattice[i][j] = crystal.lattice[j][i];
  }
  for (const Atom& atom : crystal.atoms) {
    positions.push_back(fractional(crystal, atom.position));
    kinds.push_back(kind_of.emplace(atom.symbol, static_cast<int>(kind_of.size())).first->second);
  }
  const auto release = [](SpglibDataset* found) { spg_free_dataset(found); };
  const std::unique_ptr<SpglibDataset, decltype(release)> found(
      spg_get_dataset(lattice, reinterpret_cast<double(*)[3]>(positions.data()), kinds.data(),
                      static_cast<int>(kinds.size()), tolerance),
      release);
  require(found && found->n_operations > 0, Fault::bad_argument,
          "spglib finds no symmetry in this cell of {} atoms: check that no two atoms coincide", crystal.atoms.size());
  std::vector<SymmetryOperation> operations(static_cast<std::size_t>(found->n_operations));
  for (std::size_t s = 0; s < operations.size(); ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      operations[s].translation[i] = found->translations[s][i];
      for (std::size_t j = 0; j < 3; ++j) operations[s].rotation[i][j] = found->rotations[s][i][j];
    }
  }
  return operations;
}

}  // namespace seiche
