// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lays out small sound files, from which the fuzzed ones are made: fuzz_corpus DIRECTORY TESTS/DATA.
#include <mpi.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/foreign_files.hpp"

namespace {

/// Files of codes that are not to be had, by their documented layouts.
void lay_out(const std::filesystem::path& to) {
  using namespace seiche::testing;
  std::filesystem::create_directories(to / "vasp");
  std::filesystem::create_directories(to / "castep");
  write_wavecar(to / "vasp" / "standard", {1, 1, 1, 45200, false, 12, {{0, 0, 0}, {0.5, 0, 0}}});
  write_wavecar(to / "vasp" / "double", {2, 1, 1, 45210, false, 8});
  write_wavecar(to / "vasp" / "spinor", {1, 2, 1, 45200, false, 8});
  write_wavecar(to / "vasp" / "gamma", {1, 1, 2, 53310, true, 12});
  write_wavecar(to / "vasp" / "long_heads", {1, 1, 40, 53300, false, 4});
  write_check(to / "castep" / "plain", {1, 1, 1, false, true, 0.4, {{0, 0, 0}, {0.25, 0, 0.5}}, {2, 2, 3}});
  write_check(to / "castep" / "spin", {2, 1, 1, false, true, 0.4, {{0, 0, 0}}, {2, 2, 3}});
  write_check(to / "castep" / "spinor", {1, 2, 1, false, false, 0.4, {{0, 0, 0}}});
  write_check(to / "castep" / "gamma", {1, 1, 1, true, true, 0.4, {{0, 0, 0}}, {1, 2, 3}});
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

/// What VASP keeps in text beside a WAVECAR.
void lay_out_text(const std::filesystem::path& to) {
  const std::string cell = "silicon\n1.0\n0 2.7 2.7\n2.7 0 2.7\n2.7 2.7 0\nSi C\n1 1\n";
  write_text(to / "poscar" / "direct", cell + "Direct\n0 0 0\n0.25 0.25 0.25\n");
  write_text(to / "poscar" / "selective", cell + "Selective dynamics\nCartesian\n0 0 0 T F T\n1.3 1.3 1.3 F F F\n");
  write_text(to / "poscar" / "volume", "silicon\n-40\n0 1 1\n1 0 1\n1 1 0\nSi\n1\nDirect\n0 0 0\n");
  write_text(to / "kpoints" / "list", "automatic\n2\nReciprocal lattice\n0 0 0 1\n0.5 0.5 0 3\n");
  write_text(to / "kpoints" / "vasprun",
             "<?xml version=\"1.0\"?><modeling><kpoints><varray name=\"kpointlist\"><v>0 0 0</v><v>.5 0 0</v></varray>"
             "<varray name=\"weights\"><v>0.25</v><v>0.75</v></varray></kpoints></modeling>");
}

/// Copies of what other codes wrote, and a WFN.h5 and a small .save made from one of them.
void copy(const std::filesystem::path& to, const std::filesystem::path& data) {
  namespace fs = std::filesystem;
  const auto put = [&](const char* target, const char* name, const fs::path& from) {
    fs::create_directories(to / target);
    fs::copy_file(data / from, to / target / name, fs::copy_options::overwrite_existing);
  };
  const fs::path abinit = "abinit", dat = "si_small/si_small.save", hdf5 = "si_small/hdf5/si_small.save";
  for (const char* set : {"gamma", "time_reversal", "spin"}) {
    put("abinit", set, abinit / set / "WFK");
    put("density", set, abinit / set / "DEN");
  }
  for (const char* set : {"time_reversal", "spin"}) put("abinit_netcdf", set, abinit / set / "WFK.nc");
  put("density", "netcdf", abinit / "spin" / "DEN.nc");
  put("charge_density", "dat", dat / "charge-density.dat");
  put("charge_density", "hdf5", hdf5 / "charge-density.hdf5");
  for (const char* set : {"gamma", "fe_so"}) {
    put("schema", set, fs::path(set) / (std::string(set) + ".save") / "data-file-schema.xml");
  }
  write_text(to / "nnkp" / "plain",
             "calc_only_A : F\nbegin real_lattice\n5 0 0\n0 5 0\n0 0 5\nend real_lattice\nbegin recip_lattice\n1 0 0\n"
             "0 1 0\n0 0 1\nend recip_lattice\nbegin kpoints\n1\n0 0 0\nend kpoints\nbegin projections\n1\n"
             "0 .5 0 1 2 1\n0 0 1 1 0 0 2.0\nend projections\nbegin nnkpts\n2\n1 1 0 0 1\n1 1 0 0 -1\nend nnkpts\n"
             "begin exclude_bands\n1\n2\nend exclude_bands\n");
  write_text(
      to / "nnkp" / "spinor",
      "begin real_lattice\n5 0 0\n0 5 0\n0 0 5\nend real_lattice\nbegin kpoints\n1\n0 0 0\nend kpoints\n"
      "begin spinor_projections\n1\n0 .5 0 -3 2 1\n0 0 1 1 0 0 1.0\n-1 0 0 1\nend spinor_projections\n"
      "begin nnkpts\n2\n1 1 0 0 1\n1 1 0 0 -1\nend nnkpts\nbegin auto_projections\n4\n0\nend auto_projections\n");
  put("wfc", "dat", dat / "wfc1.dat");
  put("wfc_hdf5", "hdf5", hdf5 / "wfc1.hdf5");
  seiche::Density density = seiche::read_density(MPI_COMM_SELF, (data / dat).string());
  density.cutoff = 0.7;
  fs::create_directories(to / "rho");
  seiche::write_density(density, (to / "rho" / "silicon.rho").string());
  density.grid = {3, 4, 5};
  density.box = {{{{0, 3}, {0, 4}, {0, 5}}}};
  density.components[0].resize(60);
  for (const char* format : {"cube", "xsf", "chgcar"}) {
    fs::create_directories(to / format);
    seiche::write_density(density, (to / format / ("silicon." + std::string(format))).string());
  }
  fs::create_directories(to / "berkeleygw");
  const seiche::WaveFile file(MPI_COMM_SELF, (data / abinit / "time_reversal" / "WFK").string());
  seiche::convert(file, (to / "berkeleygw" / "small.h5").string());
  fs::create_directories(to / "berkeleygw_binary");
  seiche::convert(file, (to / "berkeleygw_binary" / "small").string(), "wfn-binary");
  seiche::convert(file, (to / "small.save").string());
  fs::rename(to / "small.save" / "data-file-schema.xml", to / "schema" / "small");
  fs::remove_all(to / "small.save");
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  lay_out(arguments[1]);
  lay_out_text(arguments[1]);
  copy(arguments[1], arguments[2]);
  MPI_Finalize();
}
