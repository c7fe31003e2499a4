// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests files wfcN.dat, against those that pw.x has written.
#include <cstring>
#include <fstream>
#include <functional>

#include "seiche/wavefile.hpp"
#include "seiche/wfc_file.hpp"
#include "support/data.hpp"
#include "support/size_of.hpp"

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

/// An array of the calling code, with the waves of this rank in descending order and padding of 2 values.
struct Array {
  static constexpr std::int64_t padding = 2;
  static constexpr Complex unset{-7.5, 3.25};

  explicit Array(const Orbitals& orbitals) : header(orbitals.header) {
    for (const OrbitalPart& part : orbitals.parts) {
      for (const Range& run : part.positions) {
        for (auto i = run.low; i < run.high; ++i) positions.insert(positions.begin(), static_cast<std::int32_t>(i));
      }
      waves.assign(part.waves.rbegin(), part.waves.rend());
    }
    row = std::ssize(waves) + padding;
    values.assign(static_cast<std::size_t>(row * header.bands * header.spinor), unset);
  }
  void read(const std::string& path, const MoveOptions& options = {}) {
    read_wfc(MPI_COMM_WORLD, path, header, positions, waves, {values, row}, options);
  }
  /// Compares the first bands with those in a part, and the padding with what it was.
  void expect_equals(const Orbitals& orbitals) const {
    const std::int64_t rows = std::int64_t{header.bands} * header.spinor, n = std::ssize(waves);
    for (std::int64_t i = 0; i < rows * row; ++i) {
      const std::int64_t wave = n - 1 - i % row;
      const Complex expected = wave < 0 ? unset : orbitals.parts[0].coefficients[size_of(i / row * n + wave)];
      ASSERT_EQ(values[size_of(i)], expected) << "value " << i;
    }
    testing::compared(rows * row);
  }

  OrbitalHeader header;
  std::vector<std::int32_t> positions;
  std::vector<Miller> waves;
  std::int64_t row = 0;
  std::vector<Complex> values;
};

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
      Array array(orbitals);
      array.read(scratch.file("a.dat"));
      array.expect_equals(orbitals);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST(WfcFile, IsReadForFewerBandsAndWithLittleMemory) {
  const Orbitals all = one_kpoint("si_small", 1);
  Orbitals few = all;
  few.header.bands = 3;
  Array array(few);
  MoveOptions options;
  options.policy.window = 1;
  array.read(path_in("si_small", 1), options);
  array.expect_equals(all);
}

/// All waves are on the last rank, and the other ranks pass no array.
TEST(WfcFile, IsReadByRanksWithoutWaves) {
  WaveFile file(MPI_COMM_WORLD, data_set("fe_so"));
  file.select({{}, {0}, {}});
  const auto last = [](int, std::span<const Miller> waves) { return std::vector<int>(waves.size(), ranks() - 1); };
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}, last});
  Array array(orbitals);
  if (array.waves.empty()) array.values.clear(), array.row = 0;
  array.read(path_in("fe_so", 0));
  if (!array.waves.empty()) array.expect_equals(orbitals);
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
  Array array(one_kpoint("si_small", 0));
  const std::string path = path_in("si_small", 0);
  expect_error(Fault::bad_file, "the header of the orbitals", [&] { array.read(path_in("si_small", 1)); });
  expect_error(Fault::bad_file, "the header of the orbitals", [&] { array.read(path_in("gamma", 0)); });
  const std::string whole = contents(path), cut = scratch.file("cut.dat");
  if (rank() == 0) std::ofstream(cut, std::ios::binary) << whole.substr(0, whole.size() - 8);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "cut.dat", [&] { array.read(cut); });
  expect_error(Fault::bad_file, "none.dat", [&] { array.read(scratch.file("none.dat")); });
  Array more = array;
  more.header.bands += 1;
  more.values.resize(more.values.size() + size_of(more.row * more.header.spinor));
  expect_error(Fault::bad_file, "bands, but the header of the orbitals has", [&] { more.read(path); });
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Wrong arguments, on the last rank alone.
TEST(WfcFile, WrongArraysAreRefused) {
  const Array good(one_kpoint("si_small", 0));
  const std::string path = path_in("si_small", 0);
  const auto refused = [&](const std::string& message, const std::function<void(Array&)>& damage) {
    Array wrong = good;
    if (rank() == ranks() - 1) damage(wrong);
    expect_error(Fault::bad_argument, message, [&] { wrong.read(path); });
  };
  refused("a file wfcN.dat has one spin and k-point", [](Array& a) { a.header.spins = 2; });
  refused("wrong number of bands (0)", [](Array& a) { a.header.bands = 0; });
  refused("pass the position of each wave of this rank", [](Array& a) { a.positions.pop_back(); });
  refused("wrong row length of the coefficients", [](Array& a) { a.row -= Array::padding + 1; });
  refused("wrong row length of the coefficients", [](Array& a) { a.row = std::int64_t{1} << 61; });
  refused("the array of coefficients is too short", [](Array& a) { a.values.resize(a.values.size() - 3); });
  refused("exactly once", [](Array& a) { a.positions[0] = a.positions[1]; });
  refused("exactly once", [](Array& a) { a.positions[0] = -1; });
  refused("other waves or another order of waves", [](Array& a) { std::swap(a.waves[0], a.waves[1]); });
  if (ranks() > 1) {
    Array other = good;
    other.header.bands -= rank();
    expect_error(Fault::bad_argument, "read_wfc: bands is", [&] { other.read(path); });
  }
}

}  // namespace
}  // namespace seiche
