// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices from Kohn-Sham and overlap matrices by purification, with a bound on their error.
#pragma once

#include <functional>

#include "seiche/block_product.hpp"

namespace seiche {

/// How the occupied states are found. All give the same density matrix.
enum class Purifier {
  trs4,     ///< trace-resetting, fourth order (A. M. N. Niklasson et al., J. Chem. Phys. 118, 8611 (2003))
  tc2,      ///< trace-correcting, second order, "SP2" (A. M. N. Niklasson, Phys. Rev. B 66, 155115 (2002))
  mcweeny,  ///< 3 X^2 - 2 X^3 at a chemical potential that is searched for first
  sign      ///< the matrix sign function by Newton and Schulz, likewise
};
/// The word for it.
std::string name_of(Purifier purifier);
Purifier purifier_named(const std::string& name);  ///< \throws Error for an unknown name, listing the known ones

/// What a purification does, in this order.
enum class PurifyStage {
  overlap_root,        ///< S^(-1/2)
  chemical_potential,  ///< for mcweeny and sign
  purification
};
/// Called on every rank after each iteration of a stage. The residual falls to about zero: |1 - S^(-1/2) S S^(-1/2)| of
/// the root, |X^2 - X| of the others.
using PurifyProgress = std::function<void(PurifyStage stage, int iteration, double residual)>;

/// How to purify.
struct PurifyOptions {
  Purifier purifier = Purifier::trs4;
  int max_iterations = 100;  ///< of the purification; as many again for S^(-1/2)
  /// Of all products; `product.eps` is the filter. Its policy's memory is that of one product.
  ProductOptions product{.eps = 1e-10};
  PurifyProgress on_progress = nullptr;
  int electrons_per_state = 2;  ///< 2: closed shell; 1: K and the electrons are those of one spin
};

/// What a purification found.
struct DensityMatrix {
  BlockMatrix<double> p;   ///< in the basis of K and S, laid out as K; eigenvalues of P S are 0 and electrons_per_state
  double trace = 0;        ///< Tr(P S): electrons
  double energy = 0;       ///< Tr(P K), in the unit of K
  double idempotency = 0;  ///< |P S P - n P|_F, n = electrons_per_state
  double norm = 0;         ///< |P|_F
  double error_bound = 0;  ///< on |P - exact P|_F, from filters, roundings and what was left unconverged
  double homo = 0, lumo = 0;      ///< no occupied state lies above `homo`, no empty one below `lumo`
  double chemical_potential = 0;  ///< between them
  int iterations = 0;             ///< of the purification
  int root_iterations = 0;        ///< of S^(-1/2)
  int products = 0;
  std::int64_t memory = 0;  ///< the most that a product was predicted to take on this rank, bytes
};

/// Local. Whether the bound on P is below 1 % of its norm: a larger one says nothing of single elements.
inline bool is_useful(const DensityMatrix& found) { return found.error_bound < 0.01 * found.norm; }

/// Bounds on eigenvalues.
struct Interval {
  double low = 0, high = 0;
  double norm() const { return high > -low ? high : -low; }  ///< no |eigenvalue| is larger
};
/// Collective. An interval that holds all eigenvalues of a symmetric (hermitian) matrix, by Gershgorin's circles.
template <class Value>
Interval spectrum(const BlockMatrix<Value>& matrix);

/// Collective. S^(-1/2) of a positive definite matrix by the coupled iteration of Newton and Schulz.
/// \throws Error when it does not converge
BlockMatrix<double> inverse_square_root(const BlockMatrix<double>& s, Multiplier& multiply, int max_iterations = 100);

/// Collective. The density matrix of `electrons` electrons: closed-shell, or of one spin. K and S lie on the same
/// layout. \throws Error when K or S is not symmetric, S not positive definite, the electrons do not fill whole states
/// of the basis, or the iteration does not converge
DensityMatrix purify(const BlockMatrix<double>& k, const BlockMatrix<double>& s, double electrons,
                     const PurifyOptions& options = {});

}  // namespace seiche
