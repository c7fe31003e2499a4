// SPDX-License-Identifier: BSD-3-Clause
/// \file  Creates wavefunctions of one set of k-points from another set by symmetry. Each rank maps its own parts.
#include "orbitals/symmetry/k_star_map.hpp"

#include "comm/agree.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns the image of one part. The image of its waves is computed once for all bands.
OrbitalPart mapped(const OrbitalHeader& header, const KStarMap& map, std::size_t state, const OrbitalPart& part) {
  const std::size_t kpoints = map.header.kpoints.size();
  const ParentState& origin = map.parent_states[state];
  const ImageRequest request{origin.operation, header.kpoints[static_cast<std::size_t>(origin.k)].k,
                             map.header.kpoints[state % kpoints].k, header.spinor, header.half_sphere};
  PlaneWaveImage image = image_of(header.crystal, request, part.waves);
  OrbitalPart result{static_cast<int>(state / kpoints),
                     static_cast<int>(state % kpoints),
                     part.bands,
                     part.positions,
                     {},
                     std::vector<std::complex<double>>(part.coefficients.size())};
  apply(image, part.bands.size(), part.coefficients, result.coefficients);
  result.waves = std::move(image.waves);
  return result;
}

}  // namespace

void require_map_of(const OrbitalHeader& header, const KStarMap& map) {
  const OrbitalHeader& made = map.header;
  bool fits = made.spins == header.spins && made.spinor == header.spinor && made.bands == header.bands &&
              made.half_sphere == header.half_sphere &&
              map.parent_states.size() == made.kpoints.size() * static_cast<std::size_t>(made.spins);
  for (const ParentState& origin : map.parent_states) {
    fits = fits && origin.spin >= 0 && origin.spin < header.spins && origin.k >= 0 &&
           origin.k < static_cast<int>(header.kpoints.size());
  }
  require(fits, Fault::bad_argument,
          "the map belongs to other wavefunctions: create it from the header of these wavefunctions with full_zone or "
          "moved");
}

Orbitals mapped(const Orbitals& orbitals, const KStarMap& map) {
  Orbitals result{orbitals.comm, {}, {}};
  together(orbitals.comm, [&] {
    require_map_of(orbitals.header, map);
    result.header = map.header;
    for (std::size_t state = 0; state < map.parent_states.size(); ++state) {
      for (const OrbitalPart& part : orbitals.parts) {
        const ParentState& origin = map.parent_states[state];
        if (part.spin != origin.spin || part.k != origin.k) continue;
        result.parts.push_back(mapped(orbitals.header, map, state, part));
      }
    }
  });
  return result;
}

}  // namespace seiche
