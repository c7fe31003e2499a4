// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes a Quantum ESPRESSO .save: the binary part, and common functions. The XML is written in xml_write.cpp.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <tuple>

#include "containers/hdf5.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/quantum_espresso/wfc_file_body.hpp"
#include "files/quantum_espresso/xml_write.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

namespace fs = std::filesystem;

Vector3 combine(const std::array<Vector3, 3>& rows, const Vector3& factors) {
  Vector3 sum{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) sum[j] += factors[i] * rows[i][j];
  }
  return sum;
}

/// Returns the label of a file of one spin and k-point.
WfcLabel label_of(const OrbitalHeader& header, int spin, int k) {
  const KPoint& kpoint = header.kpoints[static_cast<std::size_t>(k)];
  const auto reciprocal = header.crystal.reciprocal();
  return {k + 1, spin + 1, static_cast<int>(kpoint.plane_waves), combine(reciprocal, kpoint.k), reciprocal};
}

/// Copies with File, whose errors name the file and the remedy.
void copy_file(const std::string& from, const std::string& to) {
  File::make(to);
  const File source(from), copy(to, File::Mode::write);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::int64_t>(source.size(), std::int64_t{1} << 22)));
  for (std::int64_t done = 0, all = source.size(); done < all; done += std::ssize(bytes)) {
    bytes.resize(std::min(bytes.size(), static_cast<std::size_t>(all - done)));
    source.read(done, bytes);
    copy.write(done, bytes);
  }
}

/// Copies pseudopotentials of the source .save, which Quantum ESPRESSO requires, and data that belongs to its density
/// if this is included (add_density writes it).
void copy_companions(const std::string& from, const std::string& to, bool with_density) {
  if (!fs::is_directory(from)) return;
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename().string(), ending = entry.path().extension().string();
    const bool beside_density = with_density && (name == "paw.txt" || name == "occup.txt");
    if (!entry.is_regular_file() || !(beside_density || ending == ".upf" || ending == ".UPF")) continue;
    copy_file(entry.path().string(), (fs::path(to) / name).string());
  }
}

WaveTable create(const std::string& path, const OrbitalHeader& header, bool hdf5) {
  WaveTable table;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(header.kpoints.size()); ++k) {
      const char* kind = header.spins == 1 ? "wfc" : spin == 0 ? "wfcup" : "wfcdw";
      const std::string file = formatted("{}/{}{}.{}", path, kind, k + 1, hdf5 ? "hdf5" : "dat");
      File::make(file);
      const WfcFile one{header, header.kpoints[static_cast<std::size_t>(k)], label_of(header, spin, k)};
      table.blocks.push_back(hdf5 ? make_wfc_hdf5(file, one) : make_wfc_dat(file, one));
    }
  }
  if (recognises_quantum_espresso(header.path)) copy_companions(header.path, path, header.density_components > 0);
  write_quantum_espresso_xml(path + "/data-file-schema.xml", header);
  return table;
}

WaveTable create_dat(const std::string& path, const OrbitalHeader& header) { return create(path, header, false); }
WaveTable create_hdf5(const std::string& path, const OrbitalHeader& header) { return create(path, header, true); }

bool named_save(const std::string& path) {
  const std::string bare = path.substr(0, path.find_last_not_of('/') + 1);
  return bare.ends_with(".save");
}

std::vector<std::string> losses_in_save(const OrbitalHeader& h) {
  require(h.spins == 1 || h.spinor == 1, Fault::internal, "two spins of spinors");
  std::vector<std::string> lost;
  if (!recognises_quantum_espresso(h.path)) {
    lost.emplace_back(
        "names of pseudopotentials and functional: unknown, placeholders are written; put the pseudopotentials into "
        "the .save before a restart");
    if (h.mesh[0] > 0 && !has_expressible_mesh(h)) {
      lost.emplace_back("the mesh of the k-points: Quantum ESPRESSO supports shifts of 0 and 1/2 only");
    }
  } else if (const std::string names = left_out_of_xml(h); !names.empty()) {
    lost.push_back("elements of the source's data-file-schema.xml: " + names);
  }
  if (!h.total_energy) lost.emplace_back("the total energy: unknown, written as 0");
  if (!h.weighted) lost.emplace_back(unknown_weights);
  if (h.crystal.operations.empty()) lost.emplace_back(unknown_operations);
  if (h.averaged && h.half_sphere && h.crystal.operations.size() > 1) {
    lost.emplace_back("the average of the density over the operations, which Quantum ESPRESSO omits at k = 0");
  }
  if (h.density_components == 0) {
    lost.emplace_back(
        "the density, which pw.x needs for a restart (include that of the source, or compute it from the bands)");
  }
  return lost;
}

/// Quantum ESPRESSO stores the one of G and -G that is in_half().
std::vector<Miller> waves_in_save(const OrbitalHeader& header, int, std::span<const Miller> given) {
  std::vector<Miller> waves(given.begin(), given.end());
  if (header.half_sphere) {
    for (Miller& g : waves) g = in_half(g) ? g : Miller{-g.x, -g.y, -g.z};
  }
  return in_quantum_espresso_order(header.crystal.reciprocal(), std::move(waves));
}

void add_dat_density(const std::string& path, const Density& density) {
  write_charge_density(density, path + "/charge-density.dat");
}
void add_hdf5_density(const std::string& path, const Density& density) {
  write_charge_density(density, path + "/charge-density.hdf5");
}

}  // namespace

std::vector<Miller> in_quantum_espresso_order(const std::array<Vector3, 3>& b, std::vector<Miller> waves) {
  // Its unit is (2 pi / alat)^2; here alat is taken as 2 pi / |b1|, which suffices for lengths that differ by rounding
  // only.
  const double unit = dot(b[0], b[0]);
  struct Wave {
    double length;
    Miller g;
  };
  std::vector<Wave> sorted;
  sorted.reserve(waves.size());
  for (const Miller& g : waves) {
    const Vector3 v = combine(b, {static_cast<double>(g.x), static_cast<double>(g.y), static_cast<double>(g.z)});
    sorted.push_back({dot(v, v) / unit, g});
  }
  std::sort(sorted.begin(), sorted.end(), [](const Wave& u, const Wave& v) { return u.length < v.length; });
  const auto index_less = [](const Wave& u, const Wave& v) {
    return std::tie(u.g.x, u.g.y, u.g.z) < std::tie(v.g.x, v.g.y, v.g.z);
  };
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    auto end = begin + 1;
    while (end != sorted.end() && end->length - (end - 1)->length < 1e-8) ++end;
    std::sort(begin, end, index_less);
    begin = end;
  }
  std::transform(sorted.begin(), sorted.end(), waves.begin(), [](const Wave& wave) { return wave.g; });
  return waves;
}

WaveWriting writing_quantum_espresso_dat() {
  return {"qe", named_save, true, true, losses_in_save, waves_in_save, create_dat, add_dat_density};
}
WaveWriting writing_quantum_espresso_hdf5() {
  return {"qe-hdf5", nullptr, true, true, losses_in_save, waves_in_save, create_hdf5, add_hdf5_density};
}

}  // namespace seiche
