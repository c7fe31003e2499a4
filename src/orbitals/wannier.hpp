// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of the k-points that a .nnkp lists, made of those that there are, one k-point after another.
#pragma once

#include <compare>
#include <vector>

#include "orbitals/subspace.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/wannier.hpp"

namespace seiche {

/// The way from a k-point to one of its neighbours: request.neighbours[k][neighbour].
struct NeighbourStep {
  int k = 0, neighbour = 0;
  friend auto operator<=>(const NeighbourStep&, const NeighbourStep&) = default;
};

/// [m][n] of one step.
struct NeighbourOverlap {
  NeighbourStep step;
  Matrix matrix;
};

/// Orbitals, and how the k-points of a request come of theirs. All functions are collective, and give the same on every
/// rank.
class WannierBands {
 public:
  /// `orbitals` are spread in blocks. \throws Error when they cannot answer the request
  WannierBands(Orbitals orbitals, const WannierRequest& request, MoveOptions options);

  int kpoints() const { return static_cast<int>(request_.kpoints.size()); }
  int bands() const { return listed_.header.bands; }
  const OrbitalHeader& header() const { return listed_.header; }
  double energy(int k, int band) const;
  Vector3 kpoint(int k) const { return request_.kpoints[static_cast<std::size_t>(k)]; }

  /// All bands of a k-point, on whole spheres, as a set of this one k-point that is spread in blocks.
  Orbitals at(int k) const { return image(k, kpoint(k)); }
  /// <u_mk|u_n,k+b> for the neighbours of k, and of these neighbours those for k itself, where no earlier k-point gave
  /// them: each once when all k-points were asked for. `left` is at(k).
  std::vector<NeighbourOverlap> overlaps(int k, const Orbitals& left) const;

 private:
  /// The bands of a k-point at a place that is some reciprocal lattice vectors away from it, where its waves lie.
  Orbitals image(int k, const Vector3& place) const;

  Orbitals listed_;
  const WannierRequest& request_;
  MoveOptions options_;
  std::vector<ParentState> parents_;  // of the request's k-points
};

/// \throws Error before anything is read, when orbitals of this header cannot answer the request
void require_answerable(const OrbitalHeader& header, const WannierRequest& request);

/// Projections of the bands of one k-point after another.
class Projections {
 public:
  /// Collective. Selects columns where they are asked for.
  Projections(const WannierBands& bands, const WannierRequest& request, const std::optional<SelectedColumns>& columns);
  int functions() const { return functions_; }
  /// Collective. <psi_mk|g_n>; `left` is at(k).
  Matrix at(int k, const Orbitals& left) const;

 private:
  void select_columns();
  Matrix on_trial_orbitals(const Orbitals& left, const Vector3& k) const;
  Matrix on_columns(int k, const Orbitals& left) const;

  const WannierBands& bands_;
  const WannierRequest& request_;
  std::optional<SelectedColumns> columns_;
  int functions_ = 0;
  struct Column {
    Vector3 place{};  ///< in units of the lattice
    int component = 0;
  };
  std::vector<Column> selected_;
};

}  // namespace seiche
