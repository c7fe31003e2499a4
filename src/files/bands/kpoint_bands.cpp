// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/kpoint_bands.hpp"

#include <algorithm>

#include "files/bands/file_order.hpp"
#include "support/size_of.hpp"

namespace seiche {

KPointBands::KPointBands(const WaveFile& file, int spin, int k, const Miller& shift)
    : block_(WaveFile::Body::of(file).table.block(spin, k)),
      file_(block_.first_band.path),
      components_(file.header().spinor),
      half_(file.header().half_sphere),
      waves_(read_plane_waves(WaveFile::Body::of(file).table, spin, k,
                              {0, file.header().kpoints[size_of(k)].plane_waves})) {
  for (Miller& g : waves_) g = {g.x + shift.x, g.y + shift.y, g.z + shift.z};
}

std::vector<Miller> KPointBands::whole_sphere() const { return half_ ? seiche::whole_sphere(waves_) : waves_; }

std::vector<std::complex<double>> KPointBands::coefficients(std::span<const Miller> common, const Range& bands) const {
  const FileOrder order(waves_, common, half_);
  const auto waves = static_cast<std::int64_t>(waves_.size());
  std::vector<std::complex<double>> values(common.size() * size_of(components_ * bands.size())), row(waves_.size());
  auto next = std::span(values);
  for (std::int64_t band = bands.low; band < bands.high; ++band) {
    for (std::int64_t component = 0; component < components_; ++component, next = next.subspan(common.size())) {
      read_coefficients(file_, block_, {band, component, waves, {0, waves}}, row);
      if (order.same()) {
        std::copy(row.begin(), row.end(), next.begin());
      } else {
        order.reorder(row, next.first(common.size()));
      }
    }
  }
  return values;
}

}  // namespace seiche
