// SPDX-License-Identifier: BSD-3-Clause
/// \file  Geometry of crystals, and the symbols of the elements.
#include "crystal/lattice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

namespace seiche {

namespace {
constexpr std::array<const char*, 118> elements{
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};
}  // namespace

double Crystal::volume() const { return std::abs(dot(lattice[0], cross(lattice[1], lattice[2]))); }

std::array<Vector3, 3> Crystal::reciprocal() const {
  std::array<Vector3, 3> b{};
  const double scale = 2 * std::numbers::pi / dot(lattice[0], cross(lattice[1], lattice[2]));
  for (std::size_t i = 0; i < 3; ++i) {
    b[i] = cross(lattice[(i + 1) % 3], lattice[(i + 2) % 3]);
    for (double& x : b[i]) x *= scale;
  }
  return b;
}

bool nearly_same(const std::array<Vector3, 3>& a, const std::array<Vector3, 3>& b, double tolerance) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      difference = std::max(difference, std::abs(a[i][j] - b[i][j]));
      length = std::max(length, std::abs(b[i][j]));
    }
  }
  return difference <= tolerance * length;
}

Vector3 fractional(const Crystal& crystal, const Vector3& cartesian) {
  const auto b = crystal.reciprocal();
  Vector3 x{};
  for (std::size_t i = 0; i < 3; ++i) x[i] = dot(b[i], cartesian) / (2 * std::numbers::pi);
  return x;
}

Vector3 cartesian(const Crystal& crystal, const Vector3& fractional) {
  Vector3 r{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) r[j] += fractional[i] * crystal.lattice[i][j];
  }
  return r;
}

SymmetryOperation identity_operation() { return {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, false}; }

std::vector<SymmetryOperation> operations_or_identity(const Crystal& crystal) {
  return crystal.operations.empty() ? std::vector{identity_operation()} : crystal.operations;
}

std::string symbol_of(int atomic_number) {
  const auto index = static_cast<std::size_t>(atomic_number - 1);
  return index < elements.size() ? elements[index] : "?";
}

bool keeps_lattice(const Crystal& crystal, const SymmetryOperation& operation) {
  const auto& a = crystal.lattice;
  const auto& r = operation.rotation;
  bool kept = true;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double turned = 0;  // (R a_i).(R a_j)
      for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t q = 0; q < 3; ++q) turned += r[p][i] * r[q][j] * dot(a[p], a[q]);
      }
      kept = kept && std::abs(turned - dot(a[i], a[j])) <= 1e-5 * std::sqrt(dot(a[i], a[i]) * dot(a[j], a[j]));
    }
  }
  return kept;
}

int atomic_number(const std::string& symbol) {
  const auto found = std::find(elements.begin(), elements.end(), symbol);
  return found == elements.end() ? 0 : static_cast<int>(found - elements.begin()) + 1;
}

std::string element_of(const std::string& label) {
  const auto letter = [&](std::size_t i) {
    const bool there = i < label.size() && std::isalpha(static_cast<unsigned char>(label[i]));
    return there ? static_cast<unsigned char>(label[i]) : 0;
  };
  if (letter(0) == 0) return label;
  const std::string one(1, static_cast<char>(std::toupper(letter(0))));
  const std::string two = letter(1) ? one + static_cast<char>(std::tolower(letter(1))) : one;
  return atomic_number(two) > 0 ? two : one;
}

}  // namespace seiche
