// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes overlaps between the bands of two sets, and orthonormalizes bands.
#include <cmath>

#include "comm/equal_arguments.hpp"
#include "interface/orbitals_members.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/subspace.hpp"
#include "seiche/basis.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

void expect_same_states(const Orbitals& a, const Orbitals& b) {
  const OrbitalHeader &g = a.header, &h = b.header;
  bool same = g.spins == h.spins && g.spinor == h.spinor && g.half_sphere == h.half_sphere &&
              g.kpoints.size() == h.kpoints.size();
  for (std::size_t k = 0; same && k < g.kpoints.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) same = same && std::abs(g.kpoints[k].k[i] - h.kpoints[k].k[i]) < 1e-5;
  }
  require(same, Fault::bad_argument, "{} and {} have different k-points or spins: overlaps need the same", g.path,
          h.path);
}

}  // namespace

std::vector<std::vector<Complex>> overlaps(const Orbitals& a, const Orbitals& b, const MoveOptions& options) {
  together(a.comm, [&] { expect_same_states(a, b); });
  const Orbitals left = redistribute(a, by_blocks(a.comm.size()), options);
  const Orbitals right = redistribute(b, by_blocks(a.comm.size()), options);
  std::vector<std::vector<Complex>> all;
  for (int spin = 0; spin < a.header.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(a.header.kpoints.size()); ++k) all.push_back(overlap(left, right, spin, k));
  }
  return all;
}

Orbitals orthonormalized(const Orbitals& orbitals, Orthonormal how, const MoveOptions& options) {
  const OrbitalHeader& h = orbitals.header;
  together(orbitals.comm, "orthonormalized", [&](EqualArguments& same) {
    same.add("how", how);
    require(h.norm_conserving == NormConserving::yes, Fault::unsupported,
            "{}: its pseudopotentials are ultrasoft, PAW or unknown, so that its bands are orthonormal only with "
            "augmentation: keep the bands as they are",
            h.path);
  });
  Orbitals result = redistribute(orbitals, by_blocks(orbitals.comm.size()), options);
  if (how == Orthonormal::as_they_are) return result;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const Matrix s = overlap(result, result, spin, k);
      together(orbitals.comm, [&] {
        const Matrix x = how == Orthonormal::loewdin ? loewdin(s, h.bands) : cholesky(s, h.bands);
        OrbitalPart* part = part_of(result, spin, k);
        if (!part) return;
        const OrbitalPart old = *part;
        part->coefficients.assign(old.coefficients.size(), 0);
        add_combined(old, x, h.spinor, *part);
      });
    }
  }
  return result;
}

}  // namespace seiche
