// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all ranks together read of a file does not grow with their number: the C library's calls are counted by
/// hooks in front of them.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "comm/agree.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/mpi_test.hpp"

namespace {
std::atomic<std::int64_t> bytes_read{0};
ssize_t counted(long bytes) {
  if (bytes > 0) bytes_read += bytes;
  return bytes;
}
}  // namespace

extern "C" {
ssize_t pread(int descriptor, void* bytes, size_t n, off_t at) {
  return counted(::syscall(SYS_pread64, descriptor, bytes, n, at));
}
ssize_t pread64(int descriptor, void* bytes, size_t n, off_t at) { return pread(descriptor, bytes, n, at); }
ssize_t preadv(int descriptor, const iovec* list, int n, off_t at) {
  return counted(::syscall(SYS_preadv, descriptor, list, static_cast<long>(n), at, 0L));
}
ssize_t preadv64(int descriptor, const iovec* list, int n, off_t at) { return preadv(descriptor, list, n, at); }
}

namespace seiche {
namespace {

using testing::compared;

/// Bytes that all ranks of `comm` read while they do `work`.
template <class Work>
std::int64_t bytes_of(const Communicator& comm, const Work& work) {
  bytes_read = 0;
  work();
  return sum(comm, bytes_read);
}

/// k-points that lie on all ranks, on some and on one.
OrbitalLayout layout_of(const Communicator& comm, int kind) {
  OrbitalLayout layout;
  if (kind == 0) layout.grid = {.waves = comm.size()};
  if (kind == 1) layout.grid = {.bands = comm.size()};
  if (kind == 2) layout.grid = {.kpoints = comm.size()};
  return layout;
}

TEST(Reading, TakesEachByteOnce) {
  const std::string path = testing::data_set("si_small");
  const auto read = [&](const Communicator& comm, int kind) {
    const WaveFile file(comm, path);
    return bytes_of(comm, [&] {
      Orbitals orbitals = read_orbitals(file, layout_of(comm, kind));
      compared(std::ssize(orbitals.parts));
    });
  };
  const std::int64_t alone = read(MPI_COMM_SELF, 0);
  EXPECT_GT(alone, 100000);
  for (int kind = 0; kind < 3; ++kind) EXPECT_LE(read(MPI_COMM_WORLD, kind), alone + alone / 50) << kind;
}

TEST(Reading, IntoWhatIsThereTakesEachByteOnce) {
  const WaveFile file(MPI_COMM_WORLD, testing::data_set("si_small"));
  Orbitals orbitals = read_orbitals(file, layout_of(MPI_COMM_WORLD, 0));
  const auto alone = [] {
    const WaveFile mine(MPI_COMM_SELF, testing::data_set("si_small"));
    return bytes_of(MPI_COMM_SELF,
                    [&] { compared(std::ssize(read_orbitals(mine, layout_of(MPI_COMM_SELF, 0)).parts)); });
  }();
  EXPECT_LE(bytes_of(MPI_COMM_WORLD, [&] { read_into(orbitals, file); }), alone + alone / 50);
}

}  // namespace
}  // namespace seiche
