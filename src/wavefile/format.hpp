// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a format of wavefunction files has to provide: a header, and where each band lies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seiche/wavefile.hpp"
#include "wavefile/extents.hpp"

namespace seiche {

/// Where the waves and coefficients of one spin and k-point lie.
struct WaveBlock {
  Extent waves;                  ///< int32 triples: Miller indices
  Extent first_band;             ///< [component][wave], complex numbers, of band 0
  std::int64_t band_stride = 0;  ///< bytes from one band to the next

  Extent band(int b) const {
    Extent extent = first_band;
    extent.offset += b * band_stride;
    return extent;
  }
};

/// All that is needed to read a wavefunction file from any number of processes.
struct WaveTable {
  WaveHeader header;
  std::vector<WaveBlock> blocks;  ///< [spin][k]
};

/// A format is two functions. Both run on one process only and know nothing of the others.
struct Format {
  const char* name;
  bool (*recognises)(const std::string& path);  ///< by content; never throws for a file of another kind
  WaveTable (*read)(const std::string& path);   ///< \throws Error(bad_file) naming file, place and remedy
};

std::span<const Format> wave_formats();

}  // namespace seiche
