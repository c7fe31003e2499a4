// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/star_reader.hpp"

#include <span>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::size_t images_kept = 16;  // number of cached k-points

std::vector<MoveTask> origins_of(const KStarMap& map, const std::vector<MoveTask>& tasks) {
  std::vector<MoveTask> parent_states;
  for (const MoveTask& task : tasks) {
    const std::size_t state =
        static_cast<std::size_t>(task.spin) * map.header.kpoints.size() + static_cast<std::size_t>(task.k);
    MoveTask& origin = parent_states.emplace_back();
    origin.spin = map.parent_states[state].spin;
    origin.k = map.parent_states[state].k;
    origin.components = task.components;
  }
  return parent_states;
}

}  // namespace

PlaneWaveImage image_of_kpoint(const WaveTable& table, const KStarMap& map, std::size_t k) {
  // Spins of one k-point share their waves, and the operation except its action on spins.
  const ParentState& origin = map.parent_states[k];
  const KPoint& from = table.header.kpoints[static_cast<std::size_t>(origin.k)];
  const auto waves = read_plane_waves(table, origin.spin, origin.k, {0, from.plane_waves});
  return image_of(table.header.crystal,
                  {origin.operation, from.k, map.header.kpoints[k].k, table.header.spinor, table.header.half_sphere},
                  waves);
}

StarReader::StarReader(const WaveTable& table, const KStarMap& map, const std::vector<MoveTask>& tasks)
    : table_(table), map_(map), tasks_(tasks), origins_(origins_of(map, tasks)), file_(table, origins_) {}

void StarReader::start(int slot, const std::vector<BlockPart>& block_parts) {
  block_parts_[slot] = block_parts;
  file_.start(slot, block_parts);
}

void StarReader::finish(int slot) {
  file_.finish(slot);
  for (const BlockPart& load : block_parts_[slot]) {
    const PlaneWaveImage& image = image_of_state(load.rank_block->task);
    require(load.rank_block->waves == static_cast<std::int64_t>(image.waves.size()), Fault::internal,
            "bands of a full zone must be written in parts");
    const auto values =
        static_cast<std::size_t>(load.bands.size() * tasks_[load.rank_block->task].components) * image.waves.size();
    const std::span<std::complex<double>> all(load.data, values);
    apply(image, load.bands.size(), all, all);
  }
}

const PlaneWaveImage& StarReader::image_of_state(std::size_t task) {
  const auto k = static_cast<std::size_t>(tasks_[task].k);
  const auto found = images_.find(k);
  if (found != images_.end()) return found->second;
  if (images_.size() >= images_kept) images_.clear();
  return images_.emplace(k, image_of_kpoint(table_, map_, k)).first->second;
}

}  // namespace seiche
