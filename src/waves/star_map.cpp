// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions of one set of k-points made of those of another by symmetry: each rank maps what it holds.
#include "waves/star_map.hpp"

#include "comm/agree.hpp"
#include "seiche/symmetry.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// What comes of one part. The image of its waves is found once, for all bands.
WavePart mapped(const WaveHeader& header, const StarMap& map, std::size_t state, const WavePart& part) {
  const std::size_t kpoints = map.header.kpoints.size();
  const Origin& origin = map.origins[state];
  const ImageRequest request{origin.operation, header.kpoints[static_cast<std::size_t>(origin.k)].k,
                             map.header.kpoints[state % kpoints].k, header.spinor, header.half_sphere};
  WaveImage image = image_of(header.crystal, request, part.waves);
  WavePart result{static_cast<int>(state / kpoints),
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

void require_map_of(const WaveHeader& header, const StarMap& map) {
  const WaveHeader& made = map.header;
  bool fits = made.spins == header.spins && made.spinor == header.spinor && made.bands == header.bands &&
              made.half_sphere == header.half_sphere &&
              map.origins.size() == made.kpoints.size() * static_cast<std::size_t>(made.spins);
  for (const Origin& origin : map.origins) {
    fits = fits && origin.spin >= 0 && origin.spin < header.spins && origin.k >= 0 &&
           origin.k < static_cast<int>(header.kpoints.size());
  }
  require(fits, Fault::bad_argument,
          "the map is not one of these wavefunctions; make it of their own header by full_zone or moved");
}

Waves mapped(const Waves& waves, const StarMap& map) {
  Waves result{waves.comm, map.header, {}};
  together(waves.comm, [&] {
    require_map_of(waves.header, map);
    for (std::size_t state = 0; state < map.origins.size(); ++state) {
      for (const WavePart& part : waves.parts) {
        const Origin& origin = map.origins[state];
        if (part.spin != origin.spin || part.k != origin.k) continue;
        result.parts.push_back(mapped(waves.header, map, state, part));
      }
    }
  });
  return result;
}

}  // namespace seiche
