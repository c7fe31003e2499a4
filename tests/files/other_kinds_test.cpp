// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that cannot be read are named, with what to do, and none of their bytes reach a terminal.
#include <fstream>
#include <functional>

#include "containers/hdf5.hpp"
#include "seiche/block_file.hpp"
#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/printable.hpp"

namespace seiche {
namespace {

using testing::expect_error;

/// A file that one rank makes.
std::string made(const testing::ScratchDirectory& scratch, const std::string& name,
                 const std::function<void(const std::string&)>& make) {
  const std::string path = scratch.file(name);
  if (testing::rank() == 0) make(path);
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

std::string with_bytes(const testing::ScratchDirectory& scratch, const std::string& name, const std::string& bytes) {
  return made(scratch, name, [&](const std::string& path) { std::ofstream(path, std::ios::binary) << bytes; });
}

std::string with_datasets(const testing::ScratchDirectory& scratch, const std::string& name,
                          const std::vector<std::string>& datasets) {
  return made(scratch, name, [&](const std::string& path) {
    const Hdf5File file = Hdf5File::create(path);
    const double value = 1;
    for (const std::string& dataset : datasets) file.write(dataset, {}, std::span(&value, 1));
  });
}

void expect_named(const std::string& path, const std::string& part, Fault fault = Fault::unsupported) {
  expect_error(fault, part, [&] { WaveFile(MPI_COMM_WORLD, path); });
  expect_error(fault, part, [&] { read_density(MPI_COMM_WORLD, path); });
}

TEST(OtherKinds, CompressedFilesSayHowToUnpackThem) {
  const testing::ScratchDirectory scratch;
  for (const auto& [name, bytes, part] :
       {std::tuple("CHGCAR.gz", std::string("\x1f\x8b\x08\x08xyz"), "is compressed (gzip): unpack it first (gunzip"),
        std::tuple("a.cube",
                   std::string("\xfd"
                               "7zXZ\0\0\0",
                               8),
                   "is compressed (xz): unpack it first (unxz"),
        std::tuple("WAVECAR", std::string("BZh91AY"), "(bunzip2"),
        std::tuple("a.save", std::string("PK\x03\x04 "), "(unzip")}) {
    expect_named(with_bytes(scratch, name, bytes), part);
  }
  const std::string zipped = with_bytes(scratch, "POSCAR", "\x1f\x8b\x08\x08xyz");
  expect_error(Fault::unsupported, "(gunzip", [&] { read_blocks<double>(MPI_COMM_WORLD, zipped); });
  WaveFile file(MPI_COMM_WORLD, testing::data_file("vasp/WAVECAR"));
  expect_error(Fault::unsupported, "(gunzip", [&] { file.complete("", zipped); });
}

TEST(OtherKinds, Hdf5FilesAreNamed) {
  const testing::ScratchDirectory scratch;
  expect_named(with_datasets(scratch, "vaspwave.h5", {"wave/spin_1/x", "version/major", "charge/grid"}),
               "is a vaspwave.h5 of VASP, which is not supported: set LH5 = .FALSE.");
  expect_named(with_datasets(scratch, "charges.h5", {"version/major", "charge/grid"}), "is a vaspwave.h5 of VASP");
  expect_named(with_datasets(scratch, "vaspout.h5", {"results/x", "version/major"}), "give the WAVECAR or CHGCAR");
  expect_named(with_datasets(scratch, "wfc1.hdf5", {"evc", "MillerIndices"}), "give the whole .save");
  expect_named(with_datasets(scratch, "eps.h5", {"mf_header/x", "eps_header/x"}),
               "of BerkeleyGW without wavefunctions");
  expect_named(with_datasets(scratch, "calc.gpw.h5", {"b", "a/c"}), "(an HDF5 file with a, b)", Fault::bad_file);
  expect_named(with_datasets(scratch, "none.h5", {}), "(an HDF5 file with nothing)", Fault::bad_file);
}

TEST(OtherKinds, OlderAndOtherFilesAreNamed) {
  const testing::ScratchDirectory scratch;
  const std::string old = made(scratch, "old.save", [](const std::string& path) {
    std::filesystem::create_directory(path);
    std::filesystem::create_directory(path + "/K00001");
    std::ofstream(path + "/data-file.xml") << "<?xml version=\"1.0\"?><Root/>";
    std::ofstream(path + "/K00001/evc.dat") << "<Root/>";
  });
  expect_named(old, "is a .save of Quantum ESPRESSO older than 6.2");
  expect_named(old + "/K00001/evc.dat", "is part of a .save of Quantum ESPRESSO older than 6.2");
  expect_named(old + "/data-file.xml", "rerun pw.x of version 6.2 or later");
  expect_named(with_bytes(scratch, "vasprun.xml", "<?xml version=\"1.0\"?>\n<modeling>\n"), "is a vasprun.xml of VASP");
  expect_named(with_bytes(scratch, "a.gpw", "- of UlmGPAW"), "is a file of GPAW");
  expect_named(with_bytes(scratch, "empty", ""), "it is empty", Fault::bad_file);
}

TEST(OtherKinds, BytesOfFilesAreMadePrintable) {
  EXPECT_EQ(printable("Å 1.5 →\x1b[2J\xff\xc2\x80\n\xe2\x82"), "Å 1.5 →\\x1b[2J\\xff\\xc2\\x80\\x0a\\xe2\\x82");
  const testing::ScratchDirectory scratch;
  const std::string cube = with_bytes(scratch, "a.cube", "\n\n" + std::string(200, '\x1b'));
  expect_error(Fault::bad_file, "a.cube: '\\x1b\\x1b", [&] { read_density(MPI_COMM_WORLD, cube); });
  const std::string grid = with_bytes(scratch, "CHGCAR", "a\n\x01\x02 1\n");
  expect_error(Fault::bad_file, "'\\x01\\x02' instead of", [&] { read_density(MPI_COMM_WORLD, grid); });
  testing::compared(1);
}

}  // namespace
}  // namespace seiche
