// SPDX-License-Identifier: BSD-3-Clause
/// \file  Main program of all tests. All ranks run all tests. It prints each failure with its rank. All ranks exit with
/// the same exit code.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "space/mpi_access.hpp"
#include "support/mpi_test.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
// Searches for leaks before MPI_Finalize. At this time memory of MPI is still in use, and its plugins are still loaded,
// so that the list of suppressions can name them.
extern "C" const char* __lsan_default_options() { return "leak_check_at_exit=0"; }
static void start_mpi(int* argc, char*** argv, int level) {
  int provided = 0;
  __lsan_disable();  // MPI leaks memory in plugins that it unloads during its start
  MPI_Init_thread(argc, argv, level, &provided);
  __lsan_enable();
}
static int leaks() { return __lsan_do_recoverable_leak_check() != 0 ? 1 : 0; }
#else
static void start_mpi(int* argc, char*** argv, int level) {
  int provided = 0;
  MPI_Init_thread(argc, argv, level, &provided);
}
static int leaks() { return 0; }
#endif

namespace seiche::testing {

namespace {

std::int64_t comparisons_of_this_test = 0;

std::int64_t over_ranks(std::int64_t mine, MPI_Op op) {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, op, MPI_COMM_WORLD);
  return all;
}

class Listener : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo&) override { comparisons_of_this_test = 0; }

  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (part.passed() || (part.skipped() && rank() != 0)) return;
    const char* file = part.file_name() ? part.file_name() : "unknown file";
    std::string lines = std::string(file) + ":" + std::to_string(part.line_number()) + ": " + part.message();
    const std::string prefix = "[rank " + std::to_string(rank()) + "] ";
    for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos;)
      lines.replace(at, 1, "\n" + prefix), ++at;
    std::fprintf(stderr, "%s%s\n", prefix.c_str(), lines.c_str());
    std::fflush(stderr);
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    const auto all = over_ranks(comparisons_of_this_test, MPI_SUM);
    const bool skipped = test.result()->Skipped();
    if (all == 0 && !skipped)
      ADD_FAILURE() << test.name() << " compared nothing: call compared() or a helper that does";
    const bool failed = over_ranks(test.result()->Failed(), MPI_MAX) != 0;
    // the other ranks would wait for the rank that failed in the next test
    if (failed && GTEST_FLAG_GET(fail_fast)) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank() != 0) return;
    const char* verdict = failed ? "FAILED " : skipped ? "skipped" : "ok     ";
    std::printf("%s %s.%s (%lld compared, %lld ms)\n", verdict, test.test_suite_name(), test.name(),
                static_cast<long long>(all), static_cast<long long>(test.result()->elapsed_time()));
    std::fflush(stdout);
  }
};

/// Checks the number of ranks, `--ranks=N`. An mpiexec of another MPI library starts N programs of one rank.
bool ranks_as_asked(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--ranks=", 0) != 0 || std::stoi(word.substr(8)) == ranks()) continue;
    std::fprintf(stderr, "wrong number of ranks (%s, but MPI has %d): use the mpiexec of the library's MPI\n", argv[i],
                 ranks());
    return false;
  }
  return true;
}

/// Returns the level for MPI_Init_thread: `--one-thread`: MPI_THREAD_SINGLE; `--many-threads`: MPI_THREAD_MULTIPLE.
int thread_level(int argc, char** argv) {
  const auto given = [&](const char* asked) {
    return std::any_of(argv, argv + argc, [&](const char* word) { return std::string(word) == asked; });
  };
  return given("--one-thread")     ? MPI_THREAD_SINGLE
         : given("--many-threads") ? MPI_THREAD_MULTIPLE
                                   : MPI_THREAD_SERIALIZED;
}

}  // namespace

void compared(std::int64_t n) { comparisons_of_this_test += n; }

bool long_suite() { return std::getenv("SEICHE_LONG") != nullptr; }

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int ranks() {
  int value = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "seiche-test-XXXXXX").string();
  if (rank() == 0 && !mkdtemp(name.data())) name.assign(name.size(), '?');
  MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  MPI_Barrier(MPI_COMM_WORLD);
  std::error_code ignored;
  if (rank() == 0) std::filesystem::remove_all(path_, ignored);
}

}  // namespace seiche::testing

int main(int argc, char** argv) {
  start_mpi(&argc, &argv, seiche::testing::thread_level(argc, argv));
  seiche::emulate_mpi_access(true);  // pairwise and alltoallv send from devices; other algorithms send from the host
  ::testing::InitGoogleTest(&argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new seiche::testing::Listener);
  const int mine = seiche::testing::ranks_as_asked(argc, argv) ? RUN_ALL_TESTS() : 1;
  const int none = ::testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 1 : 0;
  const auto verdict = seiche::testing::over_ranks(mine + none + leaks(), MPI_MAX);
  MPI_Finalize();
  return verdict != 0 ? 1 : 0;
}
