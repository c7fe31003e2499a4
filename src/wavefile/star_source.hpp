// SPDX-License-Identifier: BSD-3-Clause
/// \file  The end of a way in a file from which bands come turned by symmetry.
#pragma once

#include <map>
#include <vector>

#include "seiche/symmetry.hpp"
#include "wavefile/file_docks.hpp"

namespace seiche {

/// The image of all waves of a k-point of `map`, which are in a file.
WaveImage image_of_kpoint(const WaveTable& table, const StarMap& map, std::size_t k);

/// Fills loads with the bands of a map's states, from the states of a file that they come from. Loads must have all
/// waves of their k-point.
class StarSource : public Dock {
 public:
  /// `freights` are those of the map's states; both must stay.
  StarSource(const WaveTable& table, const StarMap& map, const std::vector<Freight>& freights);
  void start(int slot, const std::vector<Load>& loads) override;
  void finish(int slot) override;
  void settle() noexcept override { file_.settle(); }

 private:
  const WaveImage& image_of_state(std::size_t freight);

  const WaveTable& table_;
  const StarMap& map_;
  const std::vector<Freight>& freights_;
  std::vector<Freight> origins_;  // what the file is asked for, in the order of freights_
  FileSource file_;
  std::map<int, std::vector<Load>> loads_;   // by slot
  std::map<std::size_t, WaveImage> images_;  // by the k-point's number in the map, a few at a time
};

}  // namespace seiche
