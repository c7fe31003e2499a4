// SPDX-License-Identifier: BSD-3-Clause
#include "wavefile/star_source.hpp"

#include <span>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::size_t images_kept = 16;  // of k-points that travel together

std::vector<Freight> origins_of(const StarMap& map, const std::vector<Freight>& freights) {
  std::vector<Freight> origins;
  for (const Freight& freight : freights) {
    const std::size_t state =
        static_cast<std::size_t>(freight.spin) * map.header.kpoints.size() + static_cast<std::size_t>(freight.k);
    Freight& origin = origins.emplace_back();
    origin.spin = map.origins[state].spin;
    origin.k = map.origins[state].k;
    origin.components = freight.components;
  }
  return origins;
}

}  // namespace

WaveImage image_of_kpoint(const WaveTable& table, const StarMap& map, std::size_t k) {
  // Spins of one k-point share their waves, and the operation but for what it does to spins.
  const Origin& origin = map.origins[k];
  const KPoint& from = table.header.kpoints[static_cast<std::size_t>(origin.k)];
  const auto waves = read_waves(table, origin.spin, origin.k, {0, from.plane_waves});
  return image_of(table.header.crystal,
                  {origin.operation, from.k, map.header.kpoints[k].k, table.header.spinor, table.header.half_sphere},
                  waves);
}

StarSource::StarSource(const WaveTable& table, const StarMap& map, const std::vector<Freight>& freights)
    : table_(table), map_(map), freights_(freights), origins_(origins_of(map, freights)), file_(table, origins_) {}

void StarSource::start(int slot, const std::vector<Load>& loads) {
  loads_[slot] = loads;
  file_.start(slot, loads);
}

void StarSource::finish(int slot) {
  file_.finish(slot);
  for (const Load& load : loads_[slot]) {
    const WaveImage& image = image_of_state(load.lot->freight);
    require(load.lot->waves == static_cast<std::int64_t>(image.waves.size()), Fault::internal,
            "bands of a full zone are to be written in parts");
    const auto values =
        static_cast<std::size_t>(load.bands.size() * freights_[load.lot->freight].components) * image.waves.size();
    const std::span<std::complex<double>> all(load.data, values);
    apply(image, load.bands.size(), all, all);
  }
}

const WaveImage& StarSource::image_of_state(std::size_t freight) {
  const auto k = static_cast<std::size_t>(freights_[freight].k);
  const auto found = images_.find(k);
  if (found != images_.end()) return found->second;
  if (images_.size() >= images_kept) images_.clear();
  return images_.emplace(k, image_of_kpoint(table_, map_, k)).first->second;
}

}  // namespace seiche
