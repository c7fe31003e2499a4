// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes bands of the k-points in a .nnkp file from the bands of a set of orbitals, one k-point after
/// another.
#pragma once

#include <compare>
#include <vector>

#include "orbitals/subspace.hpp"
#include "seiche/symmetry.hpp"
#include "seiche/wannier.hpp"

namespace seiche {

/// The step from a k-point to one of its neighbours: request.neighbours[k][neighbour].
struct NeighbourStep {
  int k = 0, neighbour = 0;
  friend auto operator<=>(const NeighbourStep&, const NeighbourStep&) = default;
};

/// The overlaps [m][n] of one step.
struct NeighbourOverlap {
  NeighbourStep step;
  Matrix matrix;
};

/// Orbitals, and the parent states of the k-points of a request. The constructor, at() and overlaps() are collective.
class WannierBands {
 public:
  /// `orbitals` must be distributed in blocks. \throws Error if they do not suffice for the request
  WannierBands(Orbitals orbitals, const WannierRequest& request, MoveOptions options);

  int kpoints() const { return static_cast<int>(request_.kpoints.size()); }
  int bands() const { return listed_.header.bands; }
  const OrbitalHeader& header() const { return listed_.header; }
  double energy(int k, int band) const;
  Vector3 kpoint(int k) const { return request_.kpoints[static_cast<std::size_t>(k)]; }

  /// Returns all bands of a k-point on whole spheres, as orbitals of this k-point only, distributed in blocks.
  Orbitals at(int k) const { return image(k, kpoint(k)); }
  /// Returns <u_mk|u_n,k+b> for the neighbours of k, with the overlaps of the reverse steps, on every rank. Omits steps
  /// that an earlier call returned as reverse steps, so a loop over all k-points returns each step once. `left` is
  /// at(k).
  std::vector<NeighbourOverlap> overlaps(int k, const Orbitals& left) const;

 private:
  /// Returns the bands of a k-point at `place`, which differs from it by a reciprocal lattice vector.
  Orbitals image(int k, const Vector3& place) const;

  Orbitals listed_;
  const WannierRequest& request_;
  MoveOptions options_;
  std::vector<ParentState> parents_;  // parents of the request's k-points
};

/// \throws Error if orbitals with this header do not suffice for the request. Reads no bands.
void require_answerable(const OrbitalHeader& header, const WannierRequest& request);

/// Computes projections of the bands, one k-point after another.
class Projections {
 public:
  /// Collective. Selects columns if `columns` is given.
  Projections(const WannierBands& bands, const WannierRequest& request, const std::optional<SelectedColumns>& columns);
  int functions() const { return functions_; }
  /// Collective. Returns <psi_mk|g_n>. `left` is at(k) of the bands.
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
    Vector3 place{};  ///< in units of the lattice vectors
    int component = 0;
  };
  std::vector<Column> selected_;
};

}  // namespace seiche
