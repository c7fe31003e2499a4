// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes Fermi-Dirac occupations of a Kohn-Sham matrix in an orthogonal basis.
///
/// Occupations of a high temperature are a short Chebyshev series of H. Then the temperature T is halved repeatedly:
/// f^2 / (f^2 + q (1 - f)^2) belongs to T / 2 and to a chemical potential that is higher by -ln(q) T / 2 (after A. M.
/// N. Niklasson, Phys. Rev. B 68, 233104 (2003)). Each halving finds the q that gives the wanted number of states.
///
/// Errors: the Lipschitz constant of a scalar function also holds for hermitian matrices in the Frobenius norm. It is
/// 1 / (4 T) for occupations as a function of H, and about 2 for a halving.
#pragma once

#include "blocksparse/solve/solver.hpp"

namespace seiche {

template <class Value>
struct Occupied {
  BlockMatrix<Value> x;           ///< occupations
  double distance = 0;            ///< bound on their distance from the exact ones
  double chemical_potential = 0;  ///< of the occupations
  double entropy = 0;             ///< of the occupations, for one electron per state
  int iterations = 0;             ///< halvings, including repeated ones
};

/// Collective. \param h with the bound on its error \param residual |Z S Z - 1|, see purify.cpp \param states sum of
/// all occupations \throws Error if it does not converge
template <class Value>
Occupied<Value> occupy_orthogonal(const Bounded<Value>& h, double residual, double states, Products& product,
                                  const PurifyOptions& options);

}  // namespace seiche
