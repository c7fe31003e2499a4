// SPDX-License-Identifier: BSD-3-Clause
#include "files/quantum_espresso/wfc_file_body.hpp"

#include "containers/fortran_writer.hpp"
#include "containers/hdf5.hpp"
#include "support/require.hpp"

namespace seiche {

WaveBlock make_wfc_dat(const std::string& path, const WfcFile& place) {
  const OrbitalHeader& h = place.header;
  const WfcLabel& label = place.label;
  const auto integer = [](auto n) { return static_cast<std::int32_t>(n); };
  FortranWriter file(path);
  file.write(file.record()
                 .add(integer(label.k))
                 .add(std::span(label.position))
                 .add(integer(label.spin))
                 .add(integer(h.half_sphere))
                 .add(1.0));
  file.write(file.record().add(integer(label.last_wave)).add(place.waves()).add(integer(h.spinor), integer(h.bands)));
  FortranRecord vectors = file.record();
  for (const Vector3& b : label.reciprocal) vectors.add(std::span(b));
  file.write(vectors);
  WaveBlock block;
  block.waves = {file.leave_room(3 * place.kpoint.plane_waves, Element::int32)};
  block.first_band = file.leave_room(place.numbers(), Element::float64, h.bands, block.band_stride);
  file.close();
  return block;
}

WaveBlock make_wfc_hdf5(const std::string& path, const WfcFile& place) {
  const OrbitalHeader& h = place.header;
  WaveBlock block;
  const auto length = [](std::int64_t n) { return static_cast<hsize_t>(n); };
  const Hdf5File file = Hdf5File::create(path);
  file.write_attribute("ik", std::int32_t{place.label.k});
  file.write_attribute(".", "xk", place.label.position);
  file.write_attribute("ispin", std::int32_t{place.label.spin});
  file.write_text("gamma_only", h.half_sphere ? ".TRUE." : ".FALSE.");
  file.write_attribute("scale_factor", 1.0);
  file.write_attribute("ngw", std::int32_t{place.label.last_wave});
  file.write_attribute("igwx", place.waves());
  file.write_attribute("npol", std::int32_t{h.spinor});
  file.write_attribute("nbnd", std::int32_t{h.bands});
  block.waves = {file.make_room("MillerIndices", {length(place.waves()), 3}, Element::int32)};
  for (const auto& [name, i] : {std::pair("bg1", 0U), std::pair("bg2", 1U), std::pair("bg3", 2U)}) {
    file.write_attribute("MillerIndices", name, place.label.reciprocal[i]);
  }
  block.first_band = file.make_room("evc", {length(h.bands), length(place.numbers())});
  block.first_band.count = place.numbers();
  block.band_stride = block.first_band.bytes();
  return block;
}

void require_one_kpoint(const OrbitalHeader& h) {
  require(h.spins == 1 && h.kpoints.size() == 1, Fault::bad_argument,
          "a file wfcN.dat has one spin and k-point, but the orbitals have {} and {}: use a .save", h.spins,
          h.kpoints.size());
}

WaveWriting writing_wfc(const WfcLabel& label) {
  const auto create = [label](const std::string& path, const OrbitalHeader& header) {
    WaveTable table;
    table.blocks = {make_wfc_dat(path, {header, header.kpoints[0], label})};
    return table;
  };
  return {"wfc", nullptr, false, true, nullptr, nullptr, create, nullptr};
}

}  // namespace seiche
