// SPDX-License-Identifier: BSD-3-Clause
/// \file  Waves and their owners for C.
#include "seiche/layout.hpp"

#include <algorithm>

#include "c/fft_options.hpp"
#include "support/require.hpp"

using namespace seiche::c;

seiche_status seiche_balanced_owners(const seiche_miller* waves, std::int64_t wave_count, int ranks, int* owners,
                                     std::int64_t owner_count) {
  return call_without_mpi([&] {
    require_array(waves, wave_count, "balanced_owners", "waves");
    require_array(owners, owner_count, "balanced_owners", "owners");
    seiche::require(ranks > 0, seiche::Fault::bad_argument,
                    "balanced_owners: {} ranks cannot own waves; give 1 or more", ranks);
    seiche::require(owner_count == wave_count, seiche::Fault::bad_argument,
                    "balanced_owners: {} waves need as many owners; there is room for {}", wave_count, owner_count);
    const std::vector<int> found = seiche::balanced_owners(millers(waves, wave_count), ranks);
    std::copy(found.begin(), found.end(), owners);
  });
}

seiche_status seiche_sphere_of_waves(const double* b, const double* k, double cutoff, int half, seiche_miller* waves,
                                     std::int64_t capacity, std::int64_t* found) {
  return call_without_mpi([&] {
    require_place(b, "sphere_of_waves", "the reciprocal vectors");
    require_place(k, "sphere_of_waves", "the k-point");
    require_place(found, "sphere_of_waves", "the place for the number of waves");
    const auto all = seiche::sphere_of_waves({{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}}},
                                             {k[0], k[1], k[2]}, cutoff, half != 0);
    *found = static_cast<std::int64_t>(all.size());
    if (waves == nullptr) return;
    seiche::require(*found <= capacity, seiche::Fault::bad_argument,
                    "sphere_of_waves: {} waves are within the cut-off, and there is room for {}; ask for their number "
                    "first",
                    *found, capacity);
    std::transform(all.begin(), all.end(), waves, [](const seiche::Miller& g) { return seiche_miller{g.x, g.y, g.z}; });
  });
}
