// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP's own constants: with others, waves next to the cut-off would change sides.
#pragma once

namespace seiche::vasp {

inline constexpr double bohr = 0.529177249;       ///< angstrom
inline constexpr double hartree = 2 * 13.605826;  ///< eV

}  // namespace seiche::vasp
