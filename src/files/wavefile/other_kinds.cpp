// SPDX-License-Identifier: BSD-3-Clause
#include "files/wavefile/other_kinds.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "containers/hdf5.hpp"
#include "containers/netcdf.hpp"
#include "files/abinit/abinit.hpp"
#include "files/density_file/grid_density.hpp"
#include "support/packed.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

namespace fs = std::filesystem;

/// A kind of HDF5 file, identified by objects at the top level.
struct Hdf5Kind {
  std::array<const char*, 2> holds;
  const char* lacks;  ///< must be absent; null: no condition
  const char* sentence;
};

constexpr std::array<Hdf5Kind, 5> hdf5_kinds{{
    {{"wave", "version/major"},
     nullptr,
     "is a vaspwave.h5 of VASP, which is not supported: set LH5 = .FALSE., rerun VASP and give its WAVECAR or CHGCAR"},
    {{"charge", "version/major"},
     nullptr,
     "is a vaspwave.h5 of VASP, which is not supported: set LH5 = .FALSE., rerun VASP and give its WAVECAR or CHGCAR"},
    {{"results", "version/major"},
     nullptr,
     "is a vaspout.h5 of VASP, which is not supported: give the WAVECAR or CHGCAR of the same run"},
    {{"evc", "MillerIndices"}, nullptr, "is one k-point of a .save of Quantum ESPRESSO: give the whole .save"},
    {{"mf_header", "mf_header"}, "wfns", "is a file of BerkeleyGW without wavefunctions: give a WFN.h5"},
}};

void refuse_hdf5(const std::string& path) {
  if (!Hdf5File::recognises(path)) return;
  const Hdf5File file = Hdf5File::open(path);
  for (const Hdf5Kind& kind : hdf5_kinds) {
    const bool holds = file.has(kind.holds[0]) && file.has(kind.holds[1]);
    const bool is_it = holds && (kind.lacks == nullptr || !file.has(kind.lacks));
    require(!is_it, Fault::unsupported, "{} {}", path, kind.sentence);
  }
}

std::string start_of(const std::string& path) {
  std::string bytes(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/// Detects files by their first bytes.
void refuse_by_start(const std::string& path) {
  const std::string start = start_of(path);
  const auto has = [&](const char* word) { return start.find(word) != std::string::npos; };
  require(!start.starts_with("- of Ulm"), Fault::unsupported,
          "{} is a file of GPAW or ASE (ULM), which is not supported: write its density as a .cube", path);
  require(
      !has("<modeling>"), Fault::unsupported,
      "{} is a vasprun.xml of VASP, which has no coefficients and no grid: give the WAVECAR or CHGCAR of the same run",
      path);
}

/// Up to Quantum ESPRESSO 6.1, a .save had data-file.xml, and a folder for each k-point with evc.dat.
void refuse_old_save(const std::string& path) {
  const fs::path given = fs::absolute(path), folder = given.parent_path();
  const bool part = given.filename() == "data-file.xml";
  const bool bands = given.filename().string().starts_with("evc");
  const fs::path save = part ? folder : bands ? folder.parent_path() : given;
  const bool old = fs::is_regular_file(save / "data-file.xml") && !fs::exists(save / "data-file-schema.xml");
  require(!old, Fault::unsupported,
          "{} is {}a .save of Quantum ESPRESSO older than 6.2 (data-file.xml), which is not supported: rerun pw.x of "
          "version 6.2 or later",
          path, part || bands ? "part of " : "");
}

void refuse_abinit(const std::string& path) {
  const std::int32_t form = abinit_form(path);
  const bool known = form == 0 || recognises_abinit(path) || is_abinit_grid(form);
  require(known, Fault::unsupported,
          "{} is a file of ABINIT with fform {}, which is not supported: give a WFK, a DEN or a potential (POT, VHA, "
          "VHXC, VXC)",
          path, form);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i > 0 ? ", " : "") + names[i];
  return names.size() > most ? list + ", ..." : list.empty() ? "nothing" : list;
}

}  // namespace

void refuse_other_kinds(const std::string& path) {
  refuse_old_save(path);
  if (!fs::is_regular_file(path)) return;
  require_unpacked(path);
  refuse_by_start(path);
  refuse_hdf5(path);
  refuse_abinit(path);
}

std::string said_of_unknown(const std::string& path) {
  if (!fs::is_regular_file(path)) return "";
  if (fs::file_size(path) == 0) return " (it is empty)";
  if (Hdf5File::recognises(path)) return " (an HDF5 file with " + listed(Hdf5File::open(path).names()) + ")";
  if (NetCdfFile::recognises(path)) return " (a NetCDF file of another kind)";
  return "";
}

}  // namespace seiche
