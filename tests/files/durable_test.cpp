// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a crash leaves: the calls that put files on the disk and give them their names, noted by hooks in front
/// of the C library's, must come in an order in which a name never stands for less than the whole file.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <set>
#include <sstream>

#include "seiche/density.hpp"
#include "seiche/density_file.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace {

std::atomic<int> log_of_calls{-1};  // a file to which all ranks append
std::atomic<bool> failing{false};   // the next fsync() fails

/// Notes a call once it is done, in one piece.
void note(const char* what, const std::string& path) {
  if (log_of_calls < 0) return;
  const std::string line = std::string(what) + " " + path + "\n";
  const int kept = errno;
  static_cast<void>(::syscall(SYS_write, log_of_calls.load(), line.data(), line.size()));
  errno = kept;
}

void note(const char* what, int descriptor) {
  if (log_of_calls < 0) return;
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  if (::readlink(link.c_str(), path.data(), path.size() - 1) > 0 && path[0] == '/') note(what, path.data());
}

template <class... Arguments>
ssize_t call_and_note(const char* what, int descriptor, long number, Arguments... arguments) {
  const ssize_t result = ::syscall(number, descriptor, arguments...);
  note(what, descriptor);
  return result;
}

}  // namespace

// The hooks: these stand before the C library's, which they replace by the system's own calls.
extern "C" {
int fsync(int descriptor) {
  if (failing.exchange(false)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(call_and_note("fsync", descriptor, SYS_fsync));
}
ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t at) {
  return call_and_note("write", descriptor, SYS_pwrite64, bytes, n, at);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t n, off_t at) { return pwrite(descriptor, bytes, n, at); }
ssize_t pwritev(int descriptor, const iovec* list, int n, off_t at) {
  return call_and_note("write", descriptor, SYS_pwritev, list, static_cast<long>(n), at, 0L);
}
ssize_t write(int descriptor, const void* bytes, size_t n) {
  return call_and_note("write", descriptor, SYS_write, bytes, n);
}
ssize_t writev(int descriptor, const iovec* list, int n) {
  return call_and_note("write", descriptor, SYS_writev, list, static_cast<long>(n));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned how) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, how));
  if (result == 0) note("rename", std::string(from) + " " + to);
  return result;
}
int rename(const char* from, const char* to) noexcept { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
}

namespace seiche {
namespace {

namespace fs = std::filesystem;
using testing::compared;
using testing::data_set;
using testing::ScratchDirectory;

struct Call {
  std::string what, path, to;
};

/// Collective. The calls of all ranks while `work` runs, in the order in which they ended.
template <class Work>
std::vector<Call> calls_of(const Work& work) {
  const ScratchDirectory scratch;
  const std::string log = scratch.file("calls");
  log_of_calls = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  MPI_Barrier(MPI_COMM_WORLD);
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  ::close(log_of_calls.exchange(-1));
  std::vector<Call> calls;
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Call& call = calls.emplace_back();
    words >> call.what >> call.path >> call.to;
  }
  return calls;
}

/// Where the last such call for the file `path` is, by this name or one that it had before; -1: there is none.
std::ptrdiff_t last(const std::vector<Call>& calls, const std::string& what, std::string path) {
  for (auto i = std::ssize(calls) - 1; i >= 0; --i) {
    const Call& call = calls[static_cast<std::size_t>(i)];
    if (call.what == what && call.path == path) return i;
    if (call.what == "rename" && call.to == path) path = call.path;
  }
  return -1;
}

/// The file, or each of a directory, was on the disk with all that was written to it, and so were the names in the
/// directory, before `path` became its name; and that name is on the disk as well.
void expect_durable(const std::vector<Call>& calls, const std::string& path) {
  std::ptrdiff_t named = -1;
  std::string temporary;
  for (std::ptrdiff_t i = 0; i < std::ssize(calls); ++i) {
    const Call& call = calls[static_cast<std::size_t>(i)];
    if (call.what != "rename" || call.to != path) continue;
    EXPECT_EQ(named, -1) << path << " got its name twice";
    named = i;
    temporary = call.path;
  }
  EXPECT_GE(named, 0) << path << " got its name in a way that is not watched";
  std::set<std::string> written{temporary};
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      written.insert(temporary + "/" + entry.path().filename().string());
    }
  }
  for (const std::string& name : written) {
    const auto flushed = last(calls, "fsync", name);
    EXPECT_GE(flushed, 0) << name << " was never flushed";
    EXPECT_LT(flushed, named) << name << " was flushed too late";
    EXPECT_LT(last(calls, "write", name), flushed) << name << " was written to after its flush";
    compared(3);
  }
  EXPECT_GT(last(calls, "fsync", fs::path(path).parent_path().string()), named) << "the name of " << path;
}

TEST(Durable, WavefunctionsBeforeTheirNames) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  for (const char* name : {"a.save", "a.h5", "a.check", "WAVECAR"}) {
    for (const bool replaced : {false, true}) {
      const std::string path = scratch.file(name);
      SCOPED_TRACE(std::string(name) + (replaced ? ", in the place of another" : ", new"));
      expect_durable(calls_of([&] { convert(file, path); }), path);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// Whether bands were flushed before the first rank called finish().
bool flushed_before_finish(const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    if (call.what == "finish") return false;
    const bool bands = call.path.ends_with("/wfc1.dat") || call.path.find("a.h5.seiche-") != std::string::npos;
    if (call.what == "fsync" && bands) return true;
  }
  return false;
}

TEST(Durable, WavefunctionsOfStartedCallsBeforeTheirNames) {
  const ScratchDirectory scratch;
  const Orbitals orbitals = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {{1, 1, testing::ranks()}});
  for (const char* name : {"a.save", "a.h5"}) {
    for (const bool waits : {false, true}) {
      const auto write = [&] {
        Pending call = start_write_orbitals(orbitals, scratch.file(name));
        while (waits && !call.progress()) continue;
        MPI_Barrier(MPI_COMM_WORLD);
        note("finish", "x");
        call.finish();
      };
      SCOPED_TRACE(name);
      const auto calls = calls_of(write);
      expect_durable(calls, scratch.file(name));
      EXPECT_TRUE(!waits || flushed_before_finish(calls)) << "finish() had to wait for the disk";
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

/// An error of the disk is told once, to the thread that flushes first.
TEST(Durable, StartedCallsReportErrorsOfTheDisk) {
  const ScratchDirectory scratch;
  const Orbitals orbitals = read_orbitals(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {{1, 1, testing::ranks()}});
  for (const char* name : {"a.save", "a.h5"}) {
    Pending call = start_write_orbitals(orbitals, scratch.file(name));
    failing = testing::rank() == 0;  // this rank writes
    while (!call.progress()) continue;
    EXPECT_FALSE(failing);
    testing::expect_error(Fault::unwritable, "Input/output error", [&] { call.finish(); });
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(fs::is_empty(scratch.path()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Durable, WavefunctionsWithTheirDensityBeforeTheirNames) {
  const ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  MoveOptions options;
  options.density = true;
  for (const char* format : {"qe", "qe-hdf5"}) {
    const std::string path = scratch.file(std::string(format) + ".save");
    const auto calls = calls_of([&] { convert(file, path, format, options); });
    SCOPED_TRACE(format);
    expect_durable(calls, path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Durable, DensitiesAndPicturesBeforeTheirNames) {
  const ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  for (const char* name : {"a.cube", "a.xsf", "a.h5", "charge-density.dat", "charge-density.hdf5", "a.png"}) {
    const std::string path = scratch.file(name);
    SCOPED_TRACE(name);
    const bool picture = path.ends_with(".png");
    expect_durable(calls_of([&] {
                     if (picture) draw_density(density, path);
                     if (!picture) write_density(density, path);
                   }),
                   path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Outputs of one call that have the same file name in two folders.
TEST(Durable, DensitiesOfEqualNames) {
  const ScratchDirectory scratch;
  Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  if (testing::rank() == 0) {
    std::filesystem::create_directory(scratch.file("a"));
    std::filesystem::create_directory(scratch.file("b"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double first = integrals(density)[0];
  DensityFiles files(MPI_COMM_WORLD, scratch.file("a/x.h5"));
  files.add(density, scratch.file("a/x.h5"));
  for (double& value : density.components[0]) value *= 3;
  files.add(density, scratch.file("b/x.h5"));
  testing::expect_error(Fault::bad_argument, "two outputs have the name",
                        [&] { files.add(density, scratch.file("b/x.h5")); });
  files.commit();
  EXPECT_NEAR(integrals(read_density(MPI_COMM_WORLD, scratch.file("a/x.h5")))[0], first, 1e-9);
  EXPECT_NEAR(integrals(read_density(MPI_COMM_WORLD, scratch.file("b/x.h5")))[0], 3 * first, 1e-9);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A file that cannot get its name leaves all files as they were.
TEST(Durable, AllDensitiesOrNone) {
  const ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  if (testing::rank() == 0) std::ofstream(scratch.file("a.cube")) << "earlier";
  MPI_Barrier(MPI_COMM_WORLD);
  {
    DensityFiles files(MPI_COMM_WORLD, scratch.file("all"));
    files.add(density, scratch.file("a.cube"));
    files.add(density, scratch.file("b.cube"));
    files.add(density, scratch.file("gone/c.cube"));
    testing::expect_error(Fault::unwritable, "gone/c.cube", [&] { files.commit(); });
  }
  MPI_Barrier(MPI_COMM_WORLD);  // rank 0 removes the others
  std::string contents;
  std::ifstream(scratch.file("a.cube")) >> contents;
  EXPECT_EQ(contents, "earlier");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("b.cube")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1) << "a temporary file is left";
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Durable, SeveralDensitiesBeforeTheirNames) {
  const ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  const std::array names{"a.cube", "b.xsf", "c.h5", "d.CHGCAR"};
  const auto calls = calls_of([&] {
    DensityFiles files(MPI_COMM_WORLD, scratch.file("all"));
    for (const char* name : names) files.add(density, scratch.file(name));
    files.commit();
  });
  for (const char* name : names) {
    SCOPED_TRACE(name);
    expect_durable(calls, scratch.file(name));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace seiche
