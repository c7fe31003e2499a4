// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of src/support: messages of errors, environment variables, alignment of memory, output files.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "support/aligned_memory.hpp"
#include "support/environment.hpp"
#include "support/mpi_test.hpp"
#include "support/require.hpp"
#include "support/shared_library.hpp"
#include "support/unfinished_output.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {
int calls_of_umask = 0;
}
extern "C" mode_t umask(mode_t mask) noexcept {  // replaces the function of the C library
  ++calls_of_umask;
  return static_cast<mode_t>(::syscall(SYS_umask, mask));
}

TEST(Support, RequirePassesWhatHolds) {
  EXPECT_NO_THROW(require(true, Fault::internal, "never said"));
  compared();
}

TEST(Support, RequireFillsInTheSentence) {
  expect_error(Fault::bad_argument, "band 7 of 4: give one below 4",
               [] { require(false, Fault::bad_argument, "band {} of {}: give one below {}", 7, 4, 4); });
}

TEST(Support, ReadsVariablesOfTheTable) {
  for (const auto& row : environment_table()) {
    ::setenv(row.name, "a value", 1);
    EXPECT_EQ(environment(row.name), "a value");
    ::unsetenv(row.name);
    EXPECT_EQ(environment(row.name), "");
    EXPECT_GT(std::string(row.meaning).size(), 10U);
    compared(3);
  }
}

TEST(Support, RefusesVariablesOutsideTheTable) {
  expect_error(Fault::internal, "SEICHE_SECRET is missing in the table", [] { environment("SEICHE_SECRET"); });
}

TEST(Support, NamesWhatALibraryLacks) {
  const SharedLibrary library{"libm.so.6"};
  double (*cosine)(double) = nullptr;
  library.find(cosine, "cos");
  EXPECT_EQ(cosine(0), 1);
  expect_error(Fault::unsupported, "has no function cosine_of: install another version",
               [&] { library.find(cosine, "cosine_of"); });
}

/// The umask belongs to the whole process. A change of it affects files that other threads create.
TEST(Support, NewOutputsLeaveTheUmaskAlone) {
  const ScratchDirectory scratch;
  const mode_t before = ::umask(027);
  calls_of_umask = 0;
  const std::string mine = std::to_string(rank());
  const Unfinished file(scratch.file("file" + mine), OutputKind::file);
  const Unfinished folder(scratch.file("folder" + mine), OutputKind::directory);
  EXPECT_EQ(calls_of_umask, 0);
  const auto mode_of = [](const std::string& path) {
    struct stat status {};
    ::stat(path.c_str(), &status);
    return status.st_mode & 0777;
  };
  EXPECT_EQ(mode_of(file.temporary()), 0640U);
  EXPECT_EQ(mode_of(folder.temporary()), 0750U);
  ::umask(before);
  compared(3);
}

TEST(Support, FreesTheFileThatIsReplaced) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("file" + std::to_string(rank()));
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  for (const std::size_t bytes : {std::size_t{5}, std::size_t{3} << 20}) {
    std::ofstream(path) << std::string(bytes, 'o');
    Unfinished file(path, OutputKind::file);
    std::ofstream(file.temporary()) << "new";
    file.finish();
    std::ifstream content(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(content), {}), "new");
    compared();
  }
  for (int wait = 0; wait < 1000 && descriptors() != before; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(descriptors(), before);
  compared();
}

TEST(Support, AlignsToCacheLines) {
  for (std::size_t n = 1; n < 200; n += 17) {
    const aligned_vector<float> values(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % cache_line, 0U);
    compared();
  }
}
