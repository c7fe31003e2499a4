// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/decomposition.hpp"

#include <array>

namespace seiche {

std::string name_of(Decomposition decomposition) {
  constexpr std::array names{"automatic", "slab", "pencil", "pencil_yz"};
  return names.at(static_cast<std::size_t>(decomposition));
}

ProcessGrid arranged(int ranks, const GridShape& shape, Decomposition wanted, std::int64_t planes) {
  const bool pencil = wanted == Decomposition::pencil || wanted == Decomposition::pencil_yz;
  const bool too_many = wanted == Decomposition::automatic && ranks > planes;
  ProcessGrid grid = arrange(ranks, shape.nz, shape.ny,
                             pencil     ? Split::both
                             : too_many ? Split::balanced
                                        : Split::slow);
  grid.slow_together = wanted == Decomposition::pencil_yz;
  return grid;
}

Decomposition decomposition_of(const ProcessGrid& grid) {
  if (grid.fast == 1) return Decomposition::slab;
  return grid.slow_together ? Decomposition::pencil_yz : Decomposition::pencil;
}

}  // namespace seiche
