// SPDX-License-Identifier: BSD-3-Clause
/// \file  The constants of VASP: with others, waves next to the cutoff would be included or excluded differently.
#pragma once

namespace seiche::vasp {

inline constexpr double bohr = 0.529177249;       ///< angstrom
inline constexpr double hartree = 2 * 13.605826;  ///< eV

}  // namespace seiche::vasp
