// SPDX-License-Identifier: BSD-3-Clause
#include "hints.hpp"

#include <algorithm>
#include <array>

namespace seiche::command {
namespace {

struct Hint {
  const char* fragment;  ///< of a sentence of the library; tests/language_test.py checks that the library has it
  const char* option;
};

constexpr std::array hints{
    Hint{"unknown format '", "--to"},
    Hint{"does not determine the format", "--to"},
    Hint{"contains the atoms", "--atoms"},
    Hint{"give the POSCAR of the same run", "--atoms"},
    Hint{"contains the weights of its k-points", "--kpoints"},
    Hint{"give the IBZKPT or vasprun.xml of the same run", "--kpoints"},
    Hint{"leave out the axis", "--half"},
    Hint{"cannot hold a density", "without --density; seiche density writes it"},
    Hint{"include that of the source, or compute it from the bands", "seiche convert --density, or seiche density"},
    Hint{"the density, which can be included", "--density"},
    Hint{"leave out the density", "--density"},
    Hint{"contains no density", "seiche density"},
    Hint{"read it as a density", "seiche convert, or seiche difference to compare it"},
    Hint{"allow the sum over the bands as they are", "--as-they-are"},
    Hint{"choose the component, up or down", "--component"},
    Hint{"use the operations of the crystal", "--operations spglib"},
    Hint{"select columns of the density matrix", "--scdm"},
    Hint{"choose one for wannier90", "--spin up"},
    Hint{"choose a larger grid", "--fft"},
    Hint{"create all k-points first", "seiche expand"},
    Hint{"may hold irreducible k-points only", "seiche expand creates the others"},
    Hint{"has no states in this energy range", "seiche info shows the energies"},
    Hint{"or K and the electrons of one spin", "--one-spin"},
    Hint{"give a temperature", "--temperature"},
    Hint{"state their unit", "--unit"},
};

}  // namespace

std::string with_option(const std::string& sentence) {
  const auto* found = std::find_if(hints.begin(), hints.end(),
                                   [&](const Hint& hint) { return sentence.find(hint.fragment) != std::string::npos; });
  return found == hints.end() ? sentence : sentence + " (" + found->option + ")";
}

}  // namespace seiche::command
