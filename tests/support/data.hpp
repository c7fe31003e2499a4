// SPDX-License-Identifier: BSD-3-Clause
/// \file  Finds the data sets of tests, and creates damaged copies of them.
#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Returns the path of a file ("abinit/spin/WFK") of the tests or of the shared data. Empty if it is missing.
inline std::string data_file(const std::string& name) {
  namespace fs = std::filesystem;
  const char* shared = std::getenv("SEICHE_SHARED");
  for (const fs::path& root : {fs::path("data"), fs::path(shared ? shared : "../../shared/data")}) {
    if (fs::is_regular_file(root / name)) return (root / name).string();
  }
  return "";
}

/// Returns the path of the .save of a set ("si_small", "si_small/hdf5") of the tests or of the shared data. Empty if it
/// is missing.
inline std::string data_set(const std::string& name) {
  namespace fs = std::filesystem;
  const char* shared = std::getenv("SEICHE_SHARED");
  for (const fs::path& root : {fs::path("data"), fs::path(shared ? shared : "../../shared/data")}) {
    const fs::path folder = root / name;
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".save") return entry.path().string();
    }
  }
  return "";
}

/// A test for each of several sets. It is skipped with a message if its set is missing.
class EachSet : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (data_set(GetParam()).empty()) GTEST_SKIP() << GetParam() << " is not here; set SEICHE_SHARED";
  }
};
inline std::string name_of_set(const ::testing::TestParamInfo<const char*>& set) {
  std::string name = set.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

/// Collective. Copies a .save to `scratch`.
inline std::string copy_of(const std::string& set, const ScratchDirectory& scratch) {
  const std::string to = scratch.file("copy.save");
  if (rank() == 0) std::filesystem::copy(data_set(set), to, std::filesystem::copy_options::recursive);
  MPI_Barrier(MPI_COMM_WORLD);
  return to;
}

/// Collective. Copies a set with compressed files, and decompresses the copy. Returns "" if the set is missing.
inline std::string unpacked(const std::string& set, const ScratchDirectory& scratch) {
  if (data_set(set).empty()) return "";
  const std::string to = copy_of(set, scratch);
  if (rank() == 0) {
    EXPECT_EQ(std::system(("chmod -R u+w " + to + " && xz -d " + to + "/*.xz").c_str()), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return to;
}

/// Returns all bytes of a file.
inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Collective. Overwrites a few bytes of a file.
template <class Value>
void damage(const std::string& path, std::int64_t offset, const Value& value) {
  if (rank() == 0) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offset);
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Collective. Replaces the first `from` in a text file with `to`.
inline void replace(const std::string& path, const std::string& from, const std::string& to) {
  if (rank() == 0) {
    std::string text = contents(path);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << path << " has no " << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    std::ofstream(path) << text;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace seiche::testing
