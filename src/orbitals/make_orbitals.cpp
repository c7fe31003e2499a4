// SPDX-License-Identifier: BSD-3-Clause
/// \file  Creates orbitals with zero coefficients, which the calling code fills in.
#include "comm/equal_arguments.hpp"
#include "crystal/complete_header.hpp"
#include "interface/orbitals_members.hpp"
#include "orbitals/holdings.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

void require_lists(const OrbitalHeader& header, const std::vector<std::vector<Miller>>& waves) {
  require(waves.size() == header.kpoints.size(), Fault::bad_argument,
          "wrong number of lists of waves ({} lists, {} k-points): give one list per k-point", waves.size(),
          header.kpoints.size());
  for (std::size_t k = 0; k < waves.size(); ++k) {
    require(std::ssize(waves[k]) == header.kpoints[k].plane_waves, Fault::bad_argument,
            "k-point {}: wrong number of waves ({}, but the header has {}): pass all waves on every rank", k,
            waves[k].size(), header.kpoints[k].plane_waves);
  }
}

}  // namespace

Orbitals make_orbitals(const Communicator& comm, const OrbitalHeader& header,
                       const std::vector<std::vector<Miller>>& waves, const OrbitalLayout& layout) {
  Orbitals made{comm, {}, {}};
  together(comm, "make_orbitals", [&](EqualArguments& same) {
    made.header = header;
    require_fits(layout.grid, comm.size());
    require_movable(header);
    require_lists(header, waves);
    same.add_options(layout).add("spins", header.spins).add("bands", header.bands).add("spinor", header.spinor);
    same.add("k-points", header.kpoints.size());
    for (const auto& of_kpoint : waves) same.add("waves", of_kpoint);
    for (int spin = 0; spin < header.spins; ++spin) {
      for (std::size_t k = 0; k < waves.size(); ++k) {
        const auto holdings = holdings_of(layout, header, static_cast<int>(k), waves[k]);
        const Holding& mine = holdings[static_cast<std::size_t>(comm.rank())];
        if (mine.empty()) continue;
        made.parts.push_back(part_for({spin, static_cast<int>(k), header.spinor, {}, {}}, mine, waves[k]));
      }
    }
  });
  return made;
}

}  // namespace seiche
