// SPDX-License-Identifier: BSD-3-Clause
/// \file  The exact-exchange operator of plane-wave codes.
///
/// (V_x psi_i)(r) = -sum_j f_j psi_j(r) v_ij(r), where v_ij(r) = sum_G K(G) rho_ij(G) exp(i G.r), and rho_ij(G) are the
/// coefficients of psi_j^*(r) psi_i(r). Orbitals are psi(r) = sum_G c(G) exp(i G.r). For spinors, the product is summed
/// over components. The caller chooses the kernel K and its unit. For electrons in hartree, it is K(G) = 4 pi /
/// (volume |G + q|^2), where the orbitals i and j are the periodic parts of Bloch orbitals at k and k - q.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "seiche/coefficients.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"
#include "seiche/layout.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// Options of exact exchange. Must be equal on all ranks, with the exceptions of FftOptions.
struct ExactExchangeOptions {
  /// Options of the transforms of orbitals and of pair densities. `band_groups`: groups of ranks that share the target
  /// orbitals, and the storage of occupied orbitals. `components`: of orbitals. `policy.memory` limits each of both
  /// plans. With `reproducible`, results are bitwise identical on any number of ranks, groups and threads. `space`:
  /// with Space::cuda, occupied orbitals are stored in device memory, and arrays of the caller may be there.
  FftOptions fft{};
  /// Target orbitals of a band group that are on the grid at once (0: 8). Occupied orbitals are sent to the other band
  /// groups once for each such set. More targets need more memory.
  int batch = 0;
};

/// Settings and costs of exact exchange.
struct ExactExchangeReport {
  FftReport orbitals;  ///< plan of the orbitals
  FftReport pairs;     ///< plan of the pair densities
  int batch = 0;       ///< number of target orbitals of a band group that are on the grid at once
  /// Bytes of memory that apply() needs on this rank, for any number of orbitals. It includes both plans, and excludes
  /// occupied orbitals.
  std::int64_t memory = 0;
};

/// Occupied orbitals on the grid, with their weights. Each band group holds a part of them. Orbitals with weight 0 are
/// left out. Any ExactExchange with the same communicator, grid and options may use them, for example at another
/// k-point. They outlive the object that created them. All functions are local.
template <class Value>
class OccupiedOrbitals {
 public:
  std::int64_t count() const;   ///< Number of orbitals whose weight is not 0, on all ranks together.
  std::int64_t memory() const;  ///< Bytes of memory on this rank.

  struct Body;
  /// For internal use; see ExactExchange::occupied().
  explicit OccupiedOrbitals(std::shared_ptr<const Body> body);

 private:
  std::shared_ptr<const Body> body_;
};

/// Applies exact exchange to target orbitals of one k-point and spin. Value is std::complex<double> for full spheres,
/// or double for half spheres ("gamma only"), whose pair densities are real.
///
/// Orbitals have the layout of SphereFft: [orbital][component][wave]; see Coefficients for padded rows. Create one
/// object per k-point and per kind of kernel. Objects with the same arguments share memory. One thread at a time may
/// use an object (see communicator.hpp).
template <class Value>
class ExactExchange {
 public:
  using Complex = typename ComplexOf<Value>::type;  ///< Type of the coefficients.

  /// Collective over `comm`. `waves` are the waves of this rank of target orbitals. `density_waves` are the waves of
  /// this rank on which the kernel is defined, in any order; elsewhere it is 0. A half sphere of orbitals needs a half
  /// sphere of density waves. The grid must contain both. A rank may have none.
  /// \throws Error if a wave does not fit the grid or occurs twice, or for invalid options
  ExactExchange(const Communicator& comm, GridShape shape, std::span<const Miller> waves,
                std::span<const Miller> density_waves, ExactExchangeOptions options = {});
  ~ExactExchange();
  ExactExchange(ExactExchange&&) noexcept;
  ExactExchange& operator=(ExactExchange&&) noexcept;
  /// Collective. Frees windows and buffers. The object cannot be used afterwards. Other objects, and occupied orbitals,
  /// are not affected.
  void close();

  /// Collective. Transforms occupied orbitals to the grid and stores them. They have the waves of this object, and one
  /// weight each, the same on all ranks.
  /// \throws Error if the size of an array does not fit, or for weights that are not finite or differ between ranks
  OccupiedOrbitals<Value> occupied(Coefficients<const Complex> orbitals, std::span<const double> weights);
  /// Collective. Same, for orbitals of other waves, for example of another k-point.
  OccupiedOrbitals<Value> occupied(std::span<const Miller> waves, Coefficients<const Complex> orbitals,
                                   std::span<const double> weights);
  /// Collective. Stores occupied orbitals that are on the grid already, for example images of others under a symmetry
  /// operation. `values` has the shape [orbitals of this rank's group][component][z][y][x], with the points of
  /// grid_box(). As in SphereFft, group g of n has the orbitals g, g + n, and so on.
  OccupiedOrbitals<Value> occupied_on_grid(std::span<const Value> values, std::span<const double> weights);

  /// Collective. Computes V_x of `bands` target orbitals. `kernel` has one value for each density wave of this rank. On
  /// half spheres, K(-G) = K(G). `in` and `out` may be the same array.
  /// \throws Error if the size of an array does not fit, or if `occupied` has another communicator, grid or options
  void apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel, Coefficients<const Complex> in,
             Coefficients<Complex> out, std::int64_t bands, Result result = Result::replaces);
  /// Collective. Starts apply(). Up to finish(), the pairs of the first report().batch targets of each group make
  /// progress. Other targets are computed in finish(): set ExactExchangeOptions::batch to have all in one set. The
  /// started call keeps the occupied orbitals and a copy of the kernel.
  Pending start_apply(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                      Coefficients<const Complex> in, Coefficients<Complex> out, std::int64_t bands,
                      Result result = Result::replaces);
  /// Collective. Computes V_x of the occupied orbitals themselves, in order, without orbitals of weight 0. The kernel
  /// must have K(-G) = K(G), as it does for one k-point (q = 0). With one band group on the host, and without
  /// `reproducible`, each convolution serves two pairs: the call takes about half of the time of apply(). It then needs
  /// as much memory as the occupied orbitals. The waves of `out` are the waves of this object. \throws Error as
  /// apply(), and if K(-G) differs from K(G)
  void apply_to_occupied(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
                         Coefficients<Complex> out, Result result = Result::replaces);
  /// Collective. Returns 1/2 sum_i weights[i] <psi_i|V_x psi_i> of target orbitals. Those with weight 0 are left out.
  /// \throws Error as apply(), and for weights as occupied()
  double energy(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel, Coefficients<const Complex> in,
                std::span<const double> weights);

  const Box& grid_box() const;                        ///< Local. This rank's part of the grid. Rows along x are whole.
  std::int64_t bands_here(std::int64_t bands) const;  ///< Local. Number of orbitals of this rank's group.
  const ExactExchangeReport& report() const;          ///< Local. Settings and costs.
  ProgressReport progress() const;                    ///< Local. Use of time in calls of this object.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;  // started calls share it
};

extern template class OccupiedOrbitals<double>;
extern template class OccupiedOrbitals<std::complex<double>>;
extern template class ExactExchange<double>;
extern template class ExactExchange<std::complex<double>>;

}  // namespace seiche
