// SPDX-License-Identifier: BSD-3-Clause
/// \file  What numbers lie in: extents of files, and datasets and attributes of HDF5.
#include "containers/extents.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "containers/hdf5.hpp"
#include "seiche/unfinished.hpp"
#include "support/data.hpp"
#include "support/unfinished_output.hpp"

namespace seiche {
namespace {

using testing::expect_error;

TEST(Extent, BigEndianSinglePrecision) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("numbers");
  if (testing::rank() == 0) std::ofstream(path, std::ios::binary) << std::string("??\x3f\xc0\0\0\xc0\x20\0\0", 10);
  MPI_Barrier(MPI_COMM_WORLD);
  const Extent extent{path, 2, 2, Element::float32, true, false};
  std::array<double, 2> values{};
  read_extent(File(path), extent, {0, 2}, std::span<double>(values));
  testing::expect_equal(values, {1.5, -2.5});
  std::array<double, 1> second{};
  read_extent(File(path), extent, {1, 2}, std::span<double>(second));
  testing::expect_equal(second, {-2.5});
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Extent, FilesThatCannotBeRead) {
  const testing::ScratchDirectory scratch;
  expect_error(Fault::bad_file, "check its name and permissions", [&] { File(scratch.file("nowhere")); });
  expect_error(Fault::bad_file, "(a folder, a device or a pipe)", [&] { File(scratch.path().string()); });
  expect_error(Fault::bad_file, "(a folder, a device or a pipe)", [&] { File("/dev/zero"); });
  const std::string path = scratch.file("file_" + std::to_string(testing::rank()));
  File::make(path);
  std::array<std::byte, 8> bytes{};
  expect_error(Fault::bad_file, "cannot read " + path + " at byte -8 (Invalid argument): check the disk",
               [&] { File(path).read(-8, bytes); });
}

TEST(Extent, PiecesWithoutBytesAreSkipped) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("pieces_" + std::to_string(testing::rank()));
  File::make(path);
  const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  const std::span<const std::byte> all(bytes), none;
  const File file(path, File::Mode::write);
  file.write(0, {none, all.first(1), none, all.subspan(1), none, none});
  file.write(0, std::vector<std::span<const std::byte>>{none, none});
  std::array<std::byte, 3> back{};
  const std::span<std::byte> into(back), nothing;
  file.read(0, {nothing, into.first(2), nothing, into.subspan(2), nothing});
  file.read(3, std::vector<std::span<std::byte>>{nothing, nothing});
  testing::expect_equal(back, bytes);
}

TEST(Hdf5, AttributesAndDatasetsOfTheWrongKind) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("kinds.h5");
  if (testing::rank() == 0) {
    const Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const std::array<hsize_t, 1> two{2};
    const Hdf5Id pair(H5Screate_simple(1, two.data(), nullptr), H5Sclose), word(H5Tcopy(H5T_C_S1), H5Tclose);
    const Hdf5Id data(
        H5Dcreate2(file.get(), "long", H5T_NATIVE_INT64, pair.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    const std::array<std::int64_t, 2> numbers{1, 2};
    H5Dwrite(data.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    const Hdf5Id one(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(word.get(), 5);
    for (const hid_t where : {file.get(), data.get()}) {
      const Hdf5Id several(H5Acreate2(where, "pair", H5T_NATIVE_DOUBLE, pair.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
      const Hdf5Id text(H5Acreate2(where, "word", word.get(), one.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
      H5Awrite(text.get(), word.get(), "words");
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Hdf5File file = Hdf5File::open(path);
  for (const char* name : {"pair", "word"}) {
    const std::string said = "attribute " + std::string(name) + " is not a number";
    expect_error(Fault::bad_file, said, [&] { file.integer(name); });
    expect_error(Fault::bad_file, said, [&] { file.real(name); });
  }
  expect_error(Fault::bad_file, "attribute pair is not a string", [&] { file.text("pair"); });
  expect_error(Fault::bad_file, "cannot read attribute word", [&] { file.reals("long", "word"); });
  expect_error(Fault::unsupported, "dataset long holds neither 32-bit integers nor", [&] { file.extent("long"); });
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Hdf5, WhatCannotBeMadeIsNamed) {
  const testing::ScratchDirectory scratch;
  expect_error(Fault::unwritable, "cannot create", [&] { Hdf5File::create(scratch.file("nowhere/a.h5")); });
  const Hdf5File file = Hdf5File::create(scratch.file(std::to_string(testing::rank())));
  const std::array<double, 1> value{1};
  file.write("a", {1}, value);
  expect_error(Fault::unwritable, "cannot create dataset a in", [&] { file.write("a", {1}, value); });
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Hdf5, DatasetInPiecesIsRefusedWithTheRemedy) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("chunked.h5");
  if (testing::rank() == 0) {
    const Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Hdf5Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::array<hsize_t, 1> size{64}, chunk{16};
    H5Pset_chunk(how.get(), 1, chunk.data());
    const Hdf5Id space(H5Screate_simple(1, size.data(), nullptr), H5Sclose);
    const Hdf5Id data(
        H5Dcreate2(file.get(), "evc", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::unsupported, "h5repack -l CONTI", [&] { Hdf5File::open(path).extent("evc"); });
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Hdf5, AFileThatWasRemovedIsNotCreatedAgain) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("file" + std::to_string(testing::rank()) + ".h5");
  const pid_t child = ::fork();
  if (child == 0) {
    const Unfinished output(path, OutputKind::file);
    remove_unfinished();
    std::thread([&] { const Hdf5File file = Hdf5File::create(output.temporary()); }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::_exit(std::filesystem::exists(output.temporary()) ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  testing::compared();
}

}  // namespace
}  // namespace seiche
