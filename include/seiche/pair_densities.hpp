// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pair densities of two sets of orbitals, as codes for GW, RPA and BSE need them.
///
/// rho_ij(G) = 1/N sum_r conj(psi_i(r)) psi_j(r) exp(-i G.r), with N grid points r, and orbitals psi(r) = sum_G c(G)
/// exp(i G.r). If sum_G |c(G)|^2 = 1, this is the integral over the cell of both orbitals and exp(-i G.r). For spinors,
/// the product is summed over components.
///
/// For Bloch orbitals, psi is the periodic part. With i at k and j at k + q, rho_ij(G) is the matrix element
/// <i|exp(-i (G + q).r)|j>. If j is stored at k + q + G0 instead, add G0 to each of its waves: they are then the waves
/// of k + q. GW and BSE contain these matrix elements (M. S. Hybertsen and S. G. Louie, Phys. Rev. B 34, 5390 (1986)).
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "seiche/coefficients.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"
#include "seiche/layout.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// Options of pair densities. Must be equal on all ranks, with the exceptions of FftOptions.
struct PairDensityOptions {
  /// Options of the transforms of orbitals and of pair densities. `band_groups`: groups of ranks that share the
  /// orbitals j. With one group per rank, each rank has all waves of its pairs, and pairs need no messages.
  /// `components`: of orbitals. `policy.memory` limits the plan of orbitals and that of pairs, each.
  FftOptions fft{};
  /// Pairs that the function receives at a time (0: 64). More pairs need more memory.
  int block = 0;
};

/// Settings and costs of pair densities.
struct PairDensityReport {
  FftReport pairs;      ///< plan of the pair densities, for the ranks of a band group
  int band_groups = 1;  ///< number of band groups
  int block = 0;        ///< pairs that the function receives at a time
  /// Bytes of memory that compute() needs on this rank, for any number of orbitals. It excludes the orbitals.
  std::int64_t memory = 0;
};

/// Numbers of two orbitals, from 0.
struct OrbitalPair {
  std::int64_t i = 0;  ///< of the first set, whose orbitals are conjugated
  std::int64_t j = 0;  ///< of the second set
};

/// Some pairs, and their densities in host memory.
template <class Complex>
struct PairBlock {
  std::span<const OrbitalPair> pairs;  ///< i ascends; for each i, j ascends
  std::span<const Complex> densities;  ///< [pair][wave], with the density waves of this rank
};

/// Orbitals on the grid. Each band group holds a part of them. Any PairDensities with the same communicator, grid and
/// options may use them, for example with other density waves. They outlive the object that created them. All functions
/// are local.
template <class Value>
class GridOrbitals {
 public:
  std::int64_t count() const;   ///< Number of orbitals, on all ranks together.
  std::int64_t memory() const;  ///< Bytes of memory on this rank.

  struct Body;
  /// For internal use; see PairDensities::orbitals().
  explicit GridOrbitals(std::shared_ptr<const Body> body);

 private:
  friend struct Body;
  std::shared_ptr<const Body> body_;
};

/// Computes pair densities on a sphere of waves. Value is std::complex<Real> for full spheres, or Real for half spheres
/// ("gamma only"), whose pair densities are real on the grid. Real is float or double.
///
/// Each pair belongs to the band group of its orbital j: group g of n has the orbitals g, g + n, and so on. Orbitals i
/// are sent to the other groups while pairs are transformed. Objects with the same arguments share memory. One thread
/// at a time may use an object (see communicator.hpp).
template <class Value>
class PairDensities {
 public:
  using Complex = typename ComplexOf<Value>::type;                  ///< Type of coefficients and densities.
  using Function = std::function<void(const PairBlock<Complex>&)>;  ///< Receives blocks of pairs.

  /// Collective over `comm`. `density_waves` are the waves G of this rank, in any order; a rank may have none. The
  /// ranks of a band group share the sphere. With several groups, the same ranks of all groups pass the same waves. The
  /// grid is large enough if each of its numbers of points exceeds the sum of the largest indices of i, of j and of G.
  /// Smaller grids add aliases.
  /// \throws Error if a wave does not fit the grid or occurs twice in a group, if groups have different waves, or for
  /// invalid options
  PairDensities(const Communicator& comm, GridShape shape, std::span<const Miller> density_waves,
                PairDensityOptions options = {});
  ~PairDensities();
  PairDensities(PairDensities&&) noexcept;
  PairDensities& operator=(PairDensities&&) noexcept;
  /// Collective. Frees windows and buffers. The object cannot be used afterwards. Other objects, and orbitals on the
  /// grid, are not affected.
  void close();

  /// Collective. Transforms orbitals to the grid and stores them. `waves` are the waves of the orbitals on this rank;
  /// each occurs on one rank of `comm`. Orbitals have the layout of SphereFft: [orbital][component][wave]; see
  /// Coefficients for padded rows.
  /// \throws Error if a wave does not fit the grid or occurs twice, or if the size of the array does not fit
  GridOrbitals<Value> orbitals(std::span<const Miller> waves, Coefficients<const Complex> coefficients,
                               std::int64_t count);

  /// Collective. Computes the density of each pair of an orbital of `left` and one of `right`. Calls `function` with
  /// blocks of the pairs of this rank's group. The values of a block exist until the function returns. One thread
  /// at a time calls it. All ranks of a group receive the same pairs, each with its own waves. Do not call this object,
  /// or any collective operation, from inside the function, as in callbacks of SphereFft. `left` and `right` may be the
  /// same orbitals.
  /// \throws Error if the orbitals have another communicator, grid or options, or with the error of the function on any
  /// rank
  void compute(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right, const Function& function);
  /// Collective. Starts compute(). The function may be called by Pending::progress(), and in finish(). The started call
  /// keeps the orbitals and the function.
  Pending start_compute(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right, Function function);

  /// Collective. Computes sum_ij a(s, i, j) rho_ij(G) for `sums` numbers s. `coefficients` are [s][i][j], equal on all
  /// ranks, and real for half spheres. `out` is [s][wave], in host memory. All groups receive the same sums. On the
  /// host, the sums over pairs are computed on the grid, and each s needs one transform.
  /// \throws Error as compute(), if the size of an array does not fit, or if coefficients differ between ranks
  void sum(const GridOrbitals<Value>& left, const GridOrbitals<Value>& right, std::span<const Value> coefficients,
           Coefficients<Complex> out, std::int64_t sums);

  const PairDensityReport& report() const;  ///< Local. Settings and costs.
  ProgressReport progress() const;          ///< Local. Use of time in calls of this object.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;  // started calls share it
};

extern template class GridOrbitals<double>;
extern template class GridOrbitals<float>;
extern template class GridOrbitals<std::complex<double>>;
extern template class GridOrbitals<std::complex<float>>;
extern template class PairDensities<double>;
extern template class PairDensities<float>;
extern template class PairDensities<std::complex<double>>;
extern template class PairDensities<std::complex<float>>;

}  // namespace seiche
