// SPDX-License-Identifier: BSD-3-Clause
/// \file  Feeds damaged files to the readers of one format: each input is either read or refused with an Error, in
/// bounded time and memory. FUZZED names the format; libFuzzer makes the inputs from a corpus of sound files.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "files/berkeleygw/berkeleygw.hpp"
#include "files/density_file/grid_density.hpp"
#include "files/density_file/text_grid.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/vasp/beside.hpp"
#include "files/wannier90/nnkp.hpp"
#include "seiche/density_file.hpp"
#include "seiche/error.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {
namespace {

/// A file in memory, with a name of this ending if one is given: some readers choose by it.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& ending)
      : descriptor_(memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    if (descriptor_ < 0) std::abort();
    if (ending.empty()) return;
    link_ = std::filesystem::temp_directory_path() / ("seiche-fuzz-" + std::to_string(getpid()) + ending);
    std::filesystem::create_symlink(path_, link_);
    path_ = link_.string();
  }
  ~MemoryFile() {
    if (!link_.empty()) std::filesystem::remove(link_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& fill(const std::uint8_t* data, std::size_t size) const {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, data, size, 0) != static_cast<ssize_t>(size))
      std::abort();
    return path_;
  }

 private:
  int descriptor_;
  std::string path_;
  std::filesystem::path link_;
};

/// Opens a file of wavefunctions as all ranks would, and reads the first band of each k-point.
void read_orbitals(const std::string& path, const Format& format, int index) {
  if (!format.recognises(path)) return;
  WaveTable table = format.read(path);
  table.format = index;
  const OrbitalHeader& h = table.header;
  const File file(path);
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
    const std::int64_t n = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
    read_plane_waves(table, 0, k, {0, n});
    std::vector<std::complex<double>> c(static_cast<std::size_t>(n));
    read_coefficients(file, table.block(0, k), {0, h.spinor - 1, n, {0, n}}, c);
  }
}

void read_density_grid(const std::string& path) {
  const auto table = find_grid_density(path);
  if (table && table->grid.volume() < 1000000) read_grid_density(*table, whole(table->grid));
}

void read_rho(const std::string& path) {
  if (recognises_berkeleygw_density(path)) read_berkeleygw_density(path);
}

void read_text(const std::string& path) {
  TextGridReader reader(path);
  const GridShape& grid = reader.head().grid;
  if (grid.volume() * reader.head().components < 1000000) reader.read(whole(grid));
}

/// One file of Quantum ESPRESSO's wavefunctions, whose header says what data/si_small's first k-point says.
void read_quantum_espresso_waves(const std::string& path) {
  OrbitalHeader h;
  h.crystal.lattice = {{{-5.13155, 0, 5.13155}, {0, 5.13155, 5.13155}, {-5.13155, 5.13155, 0}}};
  h.bands = 8;
  locate_wavefunctions(path, h, {{0, 0, 0}, 1, 181});
}

void work(const std::string& path) {
  const std::string fuzzed = FUZZED;
  if (fuzzed == "density") return read_density_grid(path);
  if (fuzzed == "cube" || fuzzed == "xsf" || fuzzed == "chgcar") return read_text(path);
  if (fuzzed == "rho") return read_rho(path);
  if (fuzzed == "nnkp") return static_cast<void>(read_nnkp(path));
  if (fuzzed == "poscar") return static_cast<void>(read_poscar(path));
  if (fuzzed == "kpoints") return static_cast<void>(read_vasp_kpoints(path));
  if (fuzzed == "charge_density") {
    if (!find_charge_density(path).empty()) locate_charge_density(path);
    return;
  }
  if (fuzzed == "schema") {
    if (recognises_quantum_espresso(path)) read_quantum_espresso_schema(path);
    return;
  }
  if (fuzzed.starts_with("wfc")) return read_quantum_espresso_waves(path);
  int index = 0;
  for (const Format& format : wave_formats()) {
    if (std::string(format.name).find(fuzzed) != std::string::npos) return read_orbitals(path, format, index);
    ++index;
  }
  std::abort();  // no format is called so
}

}  // namespace
}  // namespace seiche

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string fuzzed = FUZZED;
  static const bool by_name = fuzzed == "cube" || fuzzed == "xsf" || fuzzed == "chgcar";
  static const seiche::MemoryFile file(fuzzed == "wfc_hdf5" ? ".hdf5" : by_name ? "." + fuzzed : "");
  try {
    seiche::work(file.fill(data, size));
  } catch (const seiche::Error&) {
  }
  return 0;
}
