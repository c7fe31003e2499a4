// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests what `seiche bench` prints: every field that others rely on, and results that are right.
#include <nlohmann/json.hpp>

#include "bench_report.hpp"
#include "support/mpi_test.hpp"
#include "support/transforms.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {

command::Session session() {
  command::Session made;
  made.rank = rank();
  made.size = ranks();
  made.json = true;
  return made;
}

command::BenchRequest request(const std::string& precision, const std::string& space = "host") {
  command::BenchRequest made;
  made.grid.points = {12, 10, 9};
  made.repeats = 3;
  made.precision = precision;
  made.space = space;
  made.library = "fftw";
  return made;
}

command::BandsRequest bands_request(const command::BenchRequest& options, std::int64_t bands, bool density = false) {
  return {options, 2.5, bands, density};
}

/// Every rank runs `work`; on rank 0 its one line must have every field, and an error below `tolerance`. `backend`: the
/// library that transforms.
template <class Work>
void expect_report(double tolerance, const Work& work, const std::string& backend = "fftw") {
  ::testing::internal::CaptureStdout();
  work();
  std::fflush(stdout);
  const std::string text = ::testing::internal::GetCapturedStdout();
  if (rank() != 0) return expect_equal(text, std::string());
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "not one line: " << text;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  for (const char* field :
       {"case", "ranks", "threads", "hosts", "mpi", "fft_backend", "git", "repeats", "seconds", "gflops",
        "bytes_sent_per_rank", "bytes_lower_bound", "peak_memory_bytes", "chosen", "mpi_calls", "max_error"}) {
    EXPECT_TRUE(json.contains(field)) << field;
    compared();
  }
  EXPECT_EQ(json.value("ranks", 0), ranks());
  EXPECT_EQ(json.value("repeats", 0), 3);
  EXPECT_EQ(json.value("fft_backend", ""), backend);
  EXPECT_GT(json["seconds"].value("min", 0.0), 0.0);
  EXPECT_LE(json["seconds"].value("min", 1.0), json["seconds"].value("median", 0.0));
  EXPECT_LE(json["seconds"].value("median", 1.0), json["seconds"].value("max", 0.0));
  EXPECT_LT(json.value("max_error", 1.0), tolerance);
  EXPECT_GE(json.value("bytes_sent_per_rank", -1), json.value("bytes_lower_bound", 0));
  compared(8);
}

TEST(Bench, BoundOfOverlapKnowsSharedCores) {
  command::Overlap overlap;
  overlap.compute_only = 35;
  overlap.exchange_only = 50;
  overlap.exchange_cpu = 10;
  EXPECT_EQ(overlap.bound(), 50);
  EXPECT_EQ(overlap.core_bound(), 50);
  overlap.ranks_per_core = 2;
  EXPECT_EQ(overlap.bound(), 50);
  EXPECT_EQ(overlap.core_bound(), 55);
  compared(4);
}

}  // namespace

TEST(Bench, DenseTransformsAreRightAndReported) {
  for (const std::string kind : {"c2c", "r2c"}) {
    expect_report(1e-13, [&] { command::bench_fft(session(), request("double"), kind); });
    expect_report(1e-5, [&] { command::bench_fft(session(), request("float"), kind); });
  }
}

TEST(Bench, BandsAreRightAndReported) {
  expect_report(1e-13, [] { command::bench_bands(session(), bands_request(request("double"), 5)); });
  expect_report(1e-13, [] { command::bench_bands(session(), bands_request(request("double"), 5, true)); });
  expect_report(1e-5, [] { command::bench_bands(session(), bands_request(request("float"), 1)); });
}

TEST(Bench, PairsAreRightAndReported) {
  expect_report(1e-13, [] { command::bench_pairs(session(), request("double"), 3, 3); });
}

TEST(Bench, OperatorsAreRightAndReported) {
  expect_report(1e-13, [] { command::bench_operator(session(), request("double")); });
}

TEST(Bench, CostOfPlansIsReported) {
  for (const bool measured : {false, true}) {
    expect_report(1e-13, [&] { command::bench_first(session(), request("double"), 4, measured); });
  }
}

TEST(Bench, ResultsOfDevicesAreRightAndReported) {
  auto asked = request("double", "cuda");
  const auto bands = [&] { command::bench_bands(session(), bands_request(asked, 5)); };
  expect_report(1e-13, bands, "cuFFT");
  asked.overlap_report = true;
  for (const std::string kind : {"c2c", "r2c"}) {
    expect_report(
        1e-13, [&] { command::bench_fft(session(), asked, kind); }, "cuFFT");
    expect_report(
        1e-5, [&] { command::bench_fft(session(), request("float", "cuda"), kind); }, "cuFFT");
  }
}

TEST(Bench, CountsTheCallsOfTheWayAskedFor) {
  auto asked = request("double");
  asked.algorithm = "alltoallv";
  ::testing::internal::CaptureStdout();
  command::bench_fft(session(), asked, "c2c");
  std::fflush(stdout);
  const auto json = nlohmann::json::parse(::testing::internal::GetCapturedStdout(), nullptr, false);
  if (rank() != 0) return;
  EXPECT_EQ(json["mpi_calls"].value("MPI_Alltoallv", 0), 6) << json.dump();  // 3 pairs
  compared();
}

TEST(Bench, RefusesWhatItDoesNotKnow) {
  auto asked = request("double");
  asked.grid.points = {12, 10};
  expect_error(Fault::bad_argument, "--grid needs one or three integers from 1 to 100000", [&] { asked.shape(); });
  asked = request("double");
  asked.library = "abacus";
  expect_error(Fault::bad_argument, "unknown value 'abacus': use one of automatic, fftw, mkl, ducc, fastest",
               [&] { asked.fft_options(); });
  asked = request("double");
  asked.algorithm = "pigeon";
  expect_error(Fault::bad_argument, "pigeon", [&] { asked.fft_options(); });
}
