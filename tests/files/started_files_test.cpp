// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests files that are written and read while the caller works.
#include <sys/resource.h>

#include <csignal>
#include <map>
#include <optional>
#include <set>

#include "seiche/fft.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/transforms.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;
using testing::rank;
using testing::ranks;
using testing::ScratchDirectory;
using Complex = std::complex<double>;
namespace fs = std::filesystem;
using Contents = std::map<std::string, std::string>;

/// Collective. Returns the names below a folder and their contents.
Contents everything(const fs::path& folder) {
  Contents files;
  MPI_Barrier(MPI_COMM_WORLD);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    files[fs::relative(entry.path(), folder)] = entry.is_regular_file() ? testing::contents(entry.path()) : "";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return files;
}

void expect_unchanged(const fs::path& folder, const Contents& before) {
  EXPECT_TRUE(everything(folder) == before) << folder;
  compared();
}

void expect_same_values(const Orbitals& found, const Orbitals& expected) {
  EXPECT_EQ(found.parts.size(), expected.parts.size());
  for (std::size_t i = 0; i < std::min(found.parts.size(), expected.parts.size()); ++i) {
    EXPECT_TRUE(found.parts[i].coefficients == expected.parts[i].coefficients) << "part " << i;
    compared();
  }
}

Orbitals zeros_like(Orbitals orbitals) {
  for (OrbitalPart& part : orbitals.parts) std::fill(part.coefficients.begin(), part.coefficients.end(), 0.0);
  return orbitals;
}

/// Memory for a few bands, so that there are many rounds.
MoveOptions little(const OrbitalHeader& h) {
  std::int64_t most = 0;
  for (const KPoint& k : h.kpoints) most = std::max(most, k.plane_waves);
  MoveOptions options;
  options.policy.memory = 20 * ranks() * most * h.spinor * static_cast<std::int64_t>(sizeof(Complex));
  return options;
}

/// Calls progress() some times, or until it returns true, where it is possible without the other ranks.
void make_progress(Pending& call, int times) {
  for (int i = 0; i < times; ++i) call.progress();
}

struct Target {
  const char* name;
  const char* format;
};
constexpr Target targets[] = {{"a.save", "qe"},    {"b.save", "qe-hdf5"}, {"a.h5", "wfn"},    {"WFN", "wfn-binary"},
                              {"a_WFK", "abinit"}, {"a.check", "castep"}, {"WAVECAR", "vasp"}};

std::vector<OrbitalGrid> some_grids() {
  if (ranks() == 1) return {{}};
  return {{1, 1, ranks()}, {1, ranks(), 1}, {ranks(), 1, 1}};
}

TEST(StartedFiles, HaveTheBytesOfTheBlockingCall) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    for (const Target& target : targets) {
      if (file.header().spinor == 2 && std::string(target.format) == "wfn-binary") continue;
      const ScratchDirectory blocking, started;
      for (const OrbitalGrid& grid : some_grids()) {
        SCOPED_TRACE(std::string(set) + " " + target.format);
        const Orbitals orbitals = read_orbitals(file, {grid});
        write_orbitals(orbitals, blocking.file(target.name), target.format);
        Pending call = start_write_orbitals(orbitals, started.file(target.name), target.format, little(file.header()));
        make_progress(call, 50 * rank());
        call.finish();
        expect_unchanged(started.path(), everything(blocking.path()));
      }
    }
  }
}

TEST(StartedFiles, AreWrittenByEveryAlgorithm) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const ScratchDirectory blocking, started;
  write_orbitals(orbitals, blocking.file("a.h5"));
  for (const Algorithm algorithm : testing::ways_here()) {
    MoveOptions options = little(file.header());
    options.policy.algorithm = algorithm;
    Pending call = start_write_orbitals(orbitals, started.file("a.h5"), "", options);
    make_progress(call, 20 * rank());
    call.finish();
    expect_unchanged(started.path(), everything(blocking.path()));
    Orbitals again = zeros_like(orbitals);
    Pending reading = start_read_into(again, file, options);
    make_progress(reading, 20 * rank());
    reading.finish();
    expect_same_values(again, orbitals);
  }
}

/// One route holds all k-points, so that no rank waits for finish() on another.
TEST(StartedFiles, NeedNoOtherCallThanProgress) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const ScratchDirectory blocking, started;
  write_orbitals(orbitals, blocking.file("a.h5"));
  MoveOptions options;
  double done = 0;
  options.on_progress = [&](double part) { done = part; };
  Pending call = start_write_orbitals(orbitals, started.file("a.h5"), "", options);
  while (!call.progress()) continue;
  EXPECT_EQ(done, 1);
  EXPECT_EQ(everything(started.path()).count("a.h5"), 0U);
  call.finish();
  expect_unchanged(started.path(), everything(blocking.path()));
  expect_error(Fault::bad_argument, "this started call is finished", [&] { call.finish(); });
}

TEST(StartedFiles, ExistBesideTransformsAndEachOther) {
  const WaveFile file(MPI_COMM_WORLD, data_set("fe_so"));
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const DensityOptions as_they_are{.as_they_are = true};
  const Density expected = density_of(orbitals, as_they_are);
  const ScratchDirectory blocking, started;
  write_orbitals(orbitals, blocking.file("a.save"));
  write_orbitals(orbitals, blocking.file("a.h5"));
  DenseFft<Complex> plan(MPI_COMM_WORLD, {12, 10, 15});
  std::vector<Complex> grid(static_cast<std::size_t>(plan.grid_box().volume()), 2.0), back(grid.size());
  std::vector<Complex> spectrum(static_cast<std::size_t>(plan.spectrum_box().volume()));
  Orbitals again = zeros_like(orbitals);

  Pending first = start_write_orbitals(orbitals, started.file("a.save"), "", little(file.header()));
  Pending second = start_write_orbitals(orbitals, started.file("a.h5"));
  Pending reading = start_read_into(again, file, little(file.header()));
  Pending transform = plan.start_forward(grid, spectrum);
  make_progress(first, 30 * rank());
  make_progress(second, 10);
  const Density density = density_of(orbitals, as_they_are);
  make_progress(reading, 30);
  transform.finish();
  plan.backward(spectrum, back);
  first.finish();
  const Orbitals moved = redistribute(orbitals, {{1, ranks(), 1}});
  reading.finish();
  second.finish();

  expect_unchanged(started.path(), everything(blocking.path()));
  expect_same_values(again, orbitals);
  testing::expect_equal(density.components[0], expected.components[0]);
  testing::expect_close<Complex>(back, grid, 1e-12);
}

TEST(StartedFiles, OfOneNameReplaceEachOther) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, {{1, ranks(), 1}});
  Orbitals twice = orbitals;
  for (OrbitalPart& part : twice.parts) {
    for (Complex& c : part.coefficients) c *= 2;
  }
  const ScratchDirectory one, two, started;
  for (const char* name : {"a.save", "a.h5"}) {
    write_orbitals(orbitals, one.file(name));
    write_orbitals(twice, two.file(name));
    Pending first = start_write_orbitals(orbitals, started.file(name));
    Pending second = start_write_orbitals(twice, started.file(name));
    first.finish();
    const Contents before = everything(one.path());
    for (const auto& [path, bytes] : before) {
      if (!path.starts_with(name) || !fs::is_regular_file(started.file(path))) continue;
      EXPECT_TRUE(testing::contents(started.file(path)) == bytes) << path;
      compared();
    }
    second.finish();
  }
  expect_unchanged(started.path(), everything(two.path()));
}

/// Limits the size of files that this process writes, during the lifetime. Later writes fail as on a full disk.
class SmallFiles {
 public:
  SmallFiles() {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual_);
    const rlimit small{1000, usual_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &usual_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit usual_{};
};

TEST(StartedFiles, ThatFailKeepTheOldOnes) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const ScratchDirectory scratch;
  for (const char* name : {"a.h5", "a.save"}) {
    SCOPED_TRACE(name);
    for (const bool replaces : {false, true}) {
      if (replaces) write_orbitals(orbitals, scratch.file(name));
      const Contents before = everything(scratch.path());
      {
        Pending call = start_write_orbitals(orbitals, scratch.file(name), "", little(file.header()));
        std::optional<SmallFiles> limit;
        if (rank() == 0) limit.emplace();  // this rank writes
        make_progress(call, 40);
        expect_error(Fault::unwritable, "File too large", [&] { call.finish(); });
      }
      expect_unchanged(scratch.path(), before);
    }
  }
}

TEST(StartedFiles, ReportRequestsThatCannotBeMet) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small")), other(MPI_COMM_WORLD, data_set("gamma"));
  Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const ScratchDirectory scratch;
  const auto expect_refused = [&](Fault fault, const char* part, const auto& start) {
    Pending call = start();
    EXPECT_TRUE(call.progress());
    expect_error(fault, part, [&] { call.finish(); });
  };
  expect_refused(Fault::bad_argument, "unknown format 'word'",
                 [&] { return start_write_orbitals(orbitals, scratch.file("a"), "word"); });
  expect_refused(Fault::unwritable, "create the folder first",
                 [&] { return start_write_orbitals(orbitals, scratch.file("none/a.h5")); });
  MoveOptions nothing;
  nothing.policy.memory = 100;
  expect_refused(Fault::bad_argument, "raise the limit",
                 [&] { return start_write_orbitals(orbitals, scratch.file("a.h5"), "", nothing); });
  expect_refused(Fault::bad_argument, "use the header of the file", [&] { return start_read_into(orbitals, other); });
  expect_unchanged(scratch.path(), {});
}

TEST(StartedFiles, ReportDamagedFiles) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.h5");
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  write_orbitals(orbitals, path);
  testing::damage(path, static_cast<std::int64_t>(fs::file_size(path)) - 4000, 0.125);
  const WaveFile damaged(MPI_COMM_WORLD, path);
  Pending call = start_read_into(orbitals, damaged, little(file.header()));
  make_progress(call, 40);
  expect_error(Fault::bad_file, "the checksum of band 8 is wrong", [&] { call.finish(); });
}

TEST(StartedFiles, ThatAreDroppedLeaveNothing) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Orbitals orbitals = read_orbitals(file, {{1, 1, ranks()}});
  const ScratchDirectory scratch;
  for (const char* name : {"a.h5", "a.save"}) {
    for (const bool replaces : {false, true}) {
      if (replaces) write_orbitals(orbitals, scratch.file(name));
      const Contents before = everything(scratch.path());
      for (const int times : {0, 3, 100000}) {
        Pending call = start_write_orbitals(orbitals, scratch.file(name), "", little(file.header()));
        make_progress(call, times);
      }
      expect_unchanged(scratch.path(), before);
      Orbitals again = orbitals;
      Pending reading = start_read_into(again, file, little(file.header()));
      make_progress(reading, 5 * rank());
    }
  }
}

}  // namespace
}  // namespace seiche
