// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices from Kohn-Sham and overlap matrices by purification, with an error bound. Occupations are 0
/// and 1, or Fermi-Dirac occupations of a temperature.
#pragma once

#include <functional>

#include "seiche/block_product.hpp"

namespace seiche {

/// Purification algorithm. All give the same density matrix, within its error bound.
enum class Purifier {
  trs4,     ///< trace-resetting, fourth order (A. M. N. Niklasson et al., J. Chem. Phys. 118, 8611 (2003))
  tc2,      ///< trace-correcting, second order, "SP2" (A. M. N. Niklasson, Phys. Rev. B 66, 155115 (2002))
  mcweeny,  ///< McWeeny's polynomial 3 X^2 - 2 X^3; the chemical potential is determined first
  sign      ///< matrix sign function by Newton-Schulz iteration; the chemical potential is determined first
};
/// Returns the name of an algorithm, e.g. "trs4".
std::string name_of(Purifier purifier);
/// Returns the algorithm with a given name. \throws Error for an unknown name; the message lists the known ones
Purifier purifier_named(const std::string& name);

/// Stages of a purification, in their order.
enum class PurifyStage {
  overlap_root,        ///< computation of S^(-1/2)
  chemical_potential,  ///< for `mcweeny` and `sign` only
  purification         ///< computation of P
};
/// Callback on every rank after each iteration of a stage. The residual is |1 - S^(-1/2) S S^(-1/2)| for the first
/// stage and |X^2 - X| for the others. It converges to about zero. With a temperature, the residual of the last stage
/// is the deviation of the sum of occupations.
using PurifyProgress = std::function<void(PurifyStage stage, int iteration, double residual)>;

/// Options of a purification.
struct PurifyOptions {
  Purifier purifier = Purifier::trs4;  ///< algorithm
  int max_iterations = 100;            ///< limit of iterations, for the purification and for S^(-1/2) each
  /// Options of all products. `product.eps` is the filter threshold. `product.policy.memory` is the limit of one
  /// product.
  ProductOptions product{.eps = 1e-10};
  PurifyProgress on_progress = nullptr;  ///< called after each iteration
  int electrons_per_state = 2;           ///< 2: closed shell; 1: K and the number of electrons belong to one spin
  /// k_B T, in the unit of K. 0: P is a projector. Otherwise states of energy e have the Fermi-Dirac occupation
  /// 1 / (1 + exp((e - chemical_potential) / temperature)). `purifier` is then ignored, no gap is needed, and the
  /// number of electrons may be any between 0 and that of full states. Method: a Chebyshev series at a high
  /// temperature, which is then halved repeatedly (after A. M. N. Niklasson, Phys. Rev. B 68, 233104 (2003)).
  double temperature = 0;
};

/// Properties of a density matrix P, and costs of its purification.
struct PurifyReport {
  double trace = 0;        ///< Tr(P S), the number of electrons
  double energy = 0;       ///< Tr(P K), in the unit of K
  double idempotency = 0;  ///< |P S P - n P|_F, n = electrons_per_state
  double norm = 0;         ///< |P|_F
  double error_bound = 0;  ///< bound on |P - exact P|_F: filters, rounding errors and incomplete convergence
  /// Bounds: no occupied state is above `homo`, no empty state below `lumo`. `lumo` is infinite if the electrons fill
  /// all functions. With a temperature, both are the chemical potential.
  double homo = 0, lumo = 0;
  double chemical_potential = 0;  ///< mean of `homo` and `lumo`, or that of the Fermi-Dirac occupations
  int iterations = 0;             ///< iterations of the purification, or halvings of the temperature
  int root_iterations = 0;        ///< iterations for S^(-1/2)
  int products = 0;               ///< number of matrix products
  std::int64_t memory = 0;        ///< largest predicted memory of a product on this rank, bytes
  /// Sum over states of -n (f ln f + (1 - f) ln(1 - f)), f = occupation, n = electrons_per_state. The free energy is
  /// energy - temperature * entropy. 0 without a temperature. NaN if all occupations are so close to 0 or 1 that the
  /// entropy cannot be computed.
  double entropy = 0;
};

/// Result of a purification. Value is double, or std::complex<double> for K and S of a k-point.
template <class Value>
struct DensityMatrixOf : PurifyReport {
  BlockMatrix<Value> p;  ///< P in the layout of K; the eigenvalues of P S are occupations times electrons_per_state
};
/// Result of a purification of real matrices.
using DensityMatrix = DensityMatrixOf<double>;

/// Local. Tells whether the error bound of P is below 1 % of its norm. Larger bounds do not limit single elements.
inline bool is_useful(const PurifyReport& found) { return found.error_bound < 0.01 * found.norm; }

/// Bounds on eigenvalues.
struct Interval {
  double low = 0, high = 0;
  double norm() const { return high > -low ? high : -low; }  ///< Upper bound of the absolute eigenvalues.
};
/// Collective. Returns an interval that contains all eigenvalues of a symmetric (hermitian) matrix, by Gershgorin's
/// theorem.
template <class Value>
Interval spectrum(const BlockMatrix<Value>& matrix);

/// Collective. Computes S^(-1/2) of a positive definite matrix with the coupled Newton-Schulz iteration. Value is
/// double or std::complex<double>.
/// \throws Error if it does not converge
template <class Value>
BlockMatrix<Value> inverse_square_root(const BlockMatrix<Value>& s, Multiplier& multiply, int max_iterations = 100);

/// Collective. Computes the density matrix of `electrons` electrons, for a closed shell or for one spin. Value is
/// double or std::complex<double>. K and S must have the same layout.
/// \throws Error if K or S is not symmetric (hermitian), S is not positive definite, or the iteration does not
/// converge. Without a temperature, also if the electrons do not fill whole states. With one, also if it is negative or
/// too small
template <class Value>
DensityMatrixOf<Value> purify(const BlockMatrix<Value>& k, const BlockMatrix<Value>& s, double electrons,
                              const PurifyOptions& options = {});

}  // namespace seiche
