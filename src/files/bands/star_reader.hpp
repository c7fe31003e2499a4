// SPDX-License-Identifier: BSD-3-Clause
/// \file  The end of a way in a file from which bands come turned by symmetry.
#pragma once

#include <map>
#include <vector>

#include "files/bands/file_endpoints.hpp"
#include "seiche/symmetry.hpp"

namespace seiche {

/// The image of all waves of a k-point of `map`, which are in a file.
PlaneWaveImage image_of_kpoint(const WaveTable& table, const KStarMap& map, std::size_t k);

/// Fills loads with the bands of a map's states, from the states of a file that they come from. Loads must have all
/// waves of their k-point.
class StarReader : public Endpoint {
 public:
  /// `tasks` are those of the map's states; both must stay.
  StarReader(const WaveTable& table, const KStarMap& map, const std::vector<MoveTask>& tasks);
  void start(int slot, const std::vector<BlockPart>& block_parts) override;
  void finish(int slot) override;
  void drain() noexcept override { file_.drain(); }

 private:
  const PlaneWaveImage& image_of_state(std::size_t task);

  const WaveTable& table_;
  const KStarMap& map_;
  const std::vector<MoveTask>& tasks_;
  std::vector<MoveTask> origins_;  // what the file is asked for, in the order of freights_
  FileReader file_;
  std::map<int, std::vector<BlockPart>> block_parts_;  // by slot
  std::map<std::size_t, PlaneWaveImage> images_;       // by the k-point's number in the map, a few at a time
};

}  // namespace seiche
