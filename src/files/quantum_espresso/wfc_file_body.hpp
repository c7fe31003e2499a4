// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes files of one spin and k-point of Quantum ESPRESSO: wfcN.dat and wfcN.hdf5.
#pragma once

#include <string>

#include "files/wavefile/format.hpp"
#include "seiche/wfc_file.hpp"

namespace seiche {

/// Contents of a file of one spin and k-point, except waves and bands.
struct WfcFile {
  const OrbitalHeader& header;
  const KPoint& kpoint;
  WfcLabel label;

  std::int32_t waves() const { return static_cast<std::int32_t>(kpoint.plane_waves); }
  std::int64_t numbers() const { return 2 * header.spinor * kpoint.plane_waves; }  ///< per band
};

/// Writes all but waves and bands to an existing file. Returns their positions.
WaveBlock make_wfc_dat(const std::string& path, const WfcFile& place);
WaveBlock make_wfc_hdf5(const std::string& path, const WfcFile& place);

/// \throws Error(bad_argument) if there are more spins or k-points than a file wfcN.dat can hold
void require_one_kpoint(const OrbitalHeader& header);
/// One file of one spin and k-point. The order of its waves is the given one.
WaveWriting writing_wfc(const WfcLabel& label);
/// Returns the positions of the numbers in a file wfcN.dat, for a header of one spin and k-point that may have fewer
/// bands. \throws Error(bad_file) if the file has others
WaveBlock locate_wfc(const std::string& path, const OrbitalHeader& header);

}  // namespace seiche
