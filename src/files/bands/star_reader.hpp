// SPDX-License-Identifier: BSD-3-Clause
/// \file  An endpoint in a file that returns images of bands under symmetry operations.
#pragma once

#include <map>
#include <vector>

#include "files/bands/file_endpoints.hpp"
#include "seiche/symmetry.hpp"

namespace seiche {

/// Returns the image of all waves of a k-point of `map`, which are in a file.
PlaneWaveImage image_of_kpoint(const WaveTable& table, const KStarMap& map, std::size_t k);

/// Fills loads with the bands of a map's states, from the parent states in a file. Loads must have all waves of their
/// k-point.
class StarReader : public Endpoint {
 public:
  /// `tasks` belong to the states of the map; both must outlive this object.
  StarReader(const WaveTable& table, const KStarMap& map, const std::vector<MoveTask>& tasks);
  void start(int slot, const std::vector<BlockPart>& block_parts) override;
  void finish(int slot) override;
  bool ready(int slot) override { return file_.ready(slot); }
  void drain() noexcept override { file_.drain(); }

 private:
  const PlaneWaveImage& image_of_state(std::size_t task);

  const WaveTable& table_;
  const KStarMap& map_;
  const std::vector<MoveTask>& tasks_;
  std::vector<MoveTask> origins_;  // requests to the file, in the order of freights_
  FileReader file_;
  std::map<int, std::vector<BlockPart>> block_parts_;  // by slot
  std::map<std::size_t, PlaneWaveImage> images_;       // by number of the k-point in the map, a few at a time
};

}  // namespace seiche
