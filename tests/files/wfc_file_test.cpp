// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests files wfcN.dat, against those that pw.x has written.
#include <cstring>
#include <fstream>

#include "seiche/wavefile.hpp"
#include "seiche/wfc_file.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::contents;
using testing::data_set;
using testing::expect_error;
using testing::rank;
using testing::ranks;
using testing::ScratchDirectory;
using Complex = std::complex<double>;

std::string path_in(const std::string& set, int k) { return data_set(set) + "/wfc" + std::to_string(k + 1) + ".dat"; }

/// Reads a value of a file of pw.x at the place where its sequential records have it.
template <class Value>
Value at(const std::string& bytes, std::size_t place) {
  Value value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

WfcLabel label_in(const std::string& bytes) {
  using Vectors = std::array<Vector3, 3>;
  return {at<int>(bytes, 4), at<int>(bytes, 32), at<int>(bytes, 56), at<Vector3>(bytes, 8), at<Vectors>(bytes, 80)};
}

/// Collective. The orbitals of one k-point, whose waves are dealt to the ranks one by one.
Orbitals one_kpoint(const std::string& set, int k) {
  WaveFile file(MPI_COMM_WORLD, data_set(set));
  file.select({{}, {k}, {}});
  const auto owners = [](int, std::span<const Miller> waves) {
    std::vector<int> owner(waves.size());
    for (std::size_t i = 0; i < owner.size(); ++i) owner[i] = static_cast<int>(i % static_cast<std::size_t>(ranks()));
    return owner;
  };
  return read_orbitals(file, {{1, 1, ranks()}, owners});
}

Orbitals zeros_like(Orbitals orbitals) {
  for (OrbitalPart& part : orbitals.parts) std::fill(part.coefficients.begin(), part.coefficients.end(), 0.0);
  return orbitals;
}

TEST(WfcFile, HasTheBytesOfPwx) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const int kpoints = static_cast<int>(WaveFile(MPI_COMM_WORLD, data_set(set)).header().kpoints.size());
    for (int k = 0; k < kpoints; ++k) {
      SCOPED_TRACE(std::string(set) + " " + std::to_string(k));
      const ScratchDirectory scratch;
      const Orbitals orbitals = one_kpoint(set, k);
      const std::string expected = contents(path_in(set, k));
      Pending call = start_write_wfc(orbitals, scratch.file("a.dat"), label_in(expected));
      for (int i = 0; i < 10 * rank(); ++i) call.progress();
      call.finish();
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_TRUE(contents(scratch.file("a.dat")) == expected);
      Orbitals again = zeros_like(orbitals);
      read_wfc_into(again, scratch.file("a.dat"));
      for (std::size_t i = 0; i < again.parts.size(); ++i) {
        EXPECT_TRUE(again.parts[i].coefficients == orbitals.parts[i].coefficients);
      }
      testing::compared();
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST(WfcFile, IsReadForFewerBands) {
  const Orbitals all = one_kpoint("si_small", 1);
  Orbitals few = all;
  few.header.bands = 2;
  for (OrbitalPart& part : few.parts) {
    part.bands.high = 2;
    part.coefficients.assign(2 * part.waves.size(), 0.0);
  }
  few.header.energies.resize(2);
  few.header.occupations.resize(2);
  read_wfc_into(few, path_in("si_small", 1));
  for (std::size_t i = 0; i < few.parts.size(); ++i) {
    const auto& found = few.parts[i].coefficients;
    EXPECT_TRUE(std::equal(found.begin(), found.end(), all.parts[i].coefficients.begin()));
  }
  testing::compared();
}

TEST(WfcFile, ErrorsLeaveTheOldFile) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.dat");
  if (rank() == 0) std::ofstream(path) << "earlier";
  MPI_Barrier(MPI_COMM_WORLD);
  const Orbitals one = one_kpoint("si_small", 0);
  const WfcLabel label = label_in(contents(path_in("si_small", 0)));
  const Orbitals several = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {{1, 1, ranks()}});
  const auto write = [&](const Orbitals& orbitals, const WfcLabel& given) {
    start_write_wfc(orbitals, path, given).finish();
  };
  expect_error(Fault::bad_argument, "a file wfcN.dat has one spin and k-point", [&] { write(several, label); });
  if (ranks() > 1) {
    const WfcLabel other{rank() == 0 ? 1 : 2, 1, label.last_wave, label.position, label.reciprocal};
    expect_error(Fault::bad_argument, "write_wfc: k is 2 on rank 1, but 1 on rank 0", [&] { write(one, other); });
  }
  { const Pending dropped = start_write_wfc(one, path, label); }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(contents(path), "earlier");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(WfcFile, OfAnotherRunIsRefused) {
  const ScratchDirectory scratch;
  Orbitals orbitals = one_kpoint("si_small", 0);
  const auto read = [&](const std::string& path) { read_wfc_into(orbitals, path); };
  Orbitals several = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {{1, 1, ranks()}});
  expect_error(Fault::bad_argument, "a file wfcN.dat has one spin and k-point",
               [&] { read_wfc_into(several, path_in("si_small", 0)); });
  expect_error(Fault::bad_file, "the header of the orbitals", [&] { read(path_in("si_small", 1)); });
  expect_error(Fault::bad_file, "the header of the orbitals", [&] { read(path_in("gamma", 0)); });
  const std::string whole = contents(path_in("si_small", 0)), cut = scratch.file("cut.dat");
  if (rank() == 0) std::ofstream(cut, std::ios::binary) << whole.substr(0, whole.size() - 8);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "cut.dat", [&] { read(cut); });
  expect_error(Fault::bad_file, "none.dat", [&] { read(scratch.file("none.dat")); });
  orbitals.header.bands += 1;
  expect_error(Fault::bad_file, "bands, but the header of the orbitals has", [&] { read(path_in("si_small", 0)); });
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace seiche
