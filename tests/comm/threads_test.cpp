// SPDX-License-Identifier: BSD-3-Clause
/// \file  Threads that work at the same time, each on a communicator of its own.
#include <fmt/core.h>

#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "fft/lines/line_fft.hpp"
#include "seiche/block_product.hpp"
#include "seiche/trace.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

constexpr int thread_count = 4;
constexpr GridShape shape{12, 10, 15};

/// Races show on one rank as well, where a round is quick.
int rounds() { return ranks() == 1 ? 200 : 8; }

bool mpi_serves_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Collective. work(communicator, thread) in threads at the same time, each on a duplicate of all ranks.
void in_threads(const std::function<void(MPI_Comm, int)>& work) {
  std::array<MPI_Comm, thread_count> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) threads.emplace_back([&, t] { work(comms[static_cast<std::size_t>(t)], t); });
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Largest deviation of c from what two times the identity on the grid makes of it.
double error_of_round_trip(MPI_Comm comm, const FftOptions& options) {
  const auto waves = share_of(waves_of_radius(2), true);
  const auto in = coefficients(waves, 3);
  std::vector<Complex> out(in.size());
  SphereFft<Complex> fft(comm, shape, waves, options);
  fft.round_trip(in, out, 3, double_values);
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) worst = std::max(worst, std::abs(out[i] - 2.0 * in[i]));
  return worst;
}

double error_of_dense(MPI_Comm comm, const FftOptions& options) {
  DenseFft<double> fft(comm, shape, options);
  auto field = fft.allocate();
  const auto values = field.grid();
  for (std::int64_t z = 0; z < values.shape[2]; ++z) {
    for (std::int64_t y = 0; y < values.shape[1]; ++y) {
      for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, z) = static_cast<double>(x);
    }
  }
  fft.forward(field);
  fft.backward(field);
  double worst = 0;
  const auto back = field.grid();
  for (std::int64_t z = 0; z < back.shape[2]; ++z) {
    for (std::int64_t y = 0; y < back.shape[1]; ++y) {
      for (std::int64_t x = 0; x < back.shape[0]; ++x)
        worst = std::max(worst, std::abs(back(x, y, z) - static_cast<double>(x)));
    }
  }
  return worst;
}

double error_of_product(MPI_Comm comm) {
  const auto layout = make_layout(comm, {3, 1, 2, 5}, {3, 1, 2, 5});
  const auto all = [](std::int32_t, std::int32_t) { return true; };
  const auto a = from_function<double>(layout, all, [](std::int64_t i, std::int64_t j) { return i == j ? 3.0 : 0.0; });
  BlockMatrix<double> c(layout);
  Multiplier multiply;
  multiply(Product<double>{a, a}, c);
  multiply.close();
  double worst = 0;
  const auto dense = to_dense(c);
  for (std::size_t i = 0; i < dense.size(); ++i) worst = std::max(worst, std::abs(dense[i] - (i % 12 == 0 ? 9 : 0)));
  return worst;
}

std::vector<LineLibrary> libraries_here() {
  std::vector<LineLibrary> all;
  for (const LineLibrary library : {LineLibrary::fftw, LineLibrary::mkl, LineLibrary::ducc, LineLibrary::fastest}) {
    if (is_here(library)) all.push_back(library);
  }
  return all;
}

TEST(Threads, WorkOnCommunicatorsOfTheirOwnAtTheSameTime) {
  if (!mpi_serves_threads()) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  const auto libraries = libraries_here();
  std::array<double, thread_count> worst{};
  in_threads([&](MPI_Comm comm, int thread) {
    for (int round = 0; round < rounds(); ++round) {
      MPI_Comm own = MPI_COMM_NULL;  // its plans are made and freed while other threads make and free theirs
      MPI_Comm_dup(comm, &own);
      FftOptions options;
      options.library = libraries[static_cast<std::size_t>(round) % libraries.size()];
      options.policy.window = 1 + (round + thread) % 3;
      double& of_thread = worst[static_cast<std::size_t>(thread)];
      of_thread =
          std::max({of_thread, error_of_round_trip(own, options), error_of_dense(own, options), error_of_product(own)});
      MPI_Comm_free(&own);
    }
  });
  for (const double error : worst) EXPECT_LT(error, 1e-12);
  compared(thread_count);
}

TEST(Threads, MakeAndFreeCommunicators) {
  if (!mpi_serves_threads()) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  std::array<MPI_Comm, thread_count> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_SELF, &comm);
  std::array<int, thread_count> ranks_seen{};
  std::vector<std::thread> threads;
  constexpr int times = 3000;
  for (std::size_t t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < times; ++i) {
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(comms[t], &own);
        ranks_seen[t] += Communicator(own).size();
        MPI_Comm_free(&own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  for (const int seen : ranks_seen) EXPECT_EQ(seen, times);
  compared(thread_count);
}

/// Plans of lines live on in a cache; those that fall out of it are destroyed by whoever held them last.
TEST(Threads, MakeAndDestroyLinesOfFftw) {
  if (!is_here(LineLibrary::fftw)) GTEST_SKIP() << "FFTW is not here";
  std::vector<std::thread> threads;
  std::array<int, thread_count> made{};
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&made, t] {
      for (int round = 0; round < 4; ++round) {
        std::vector<std::shared_ptr<const LineFft>> held;
        for (int i = 0; i < 400; ++i) {
          Lines lines;
          lines.kind = LineKind::forward;
          lines.n = 4 + i % 20;
          lines.count = 1;
          lines.in = lines.out = {1, 1000 + i + 400 * (t + thread_count * round)};  // no two alike
          held.push_back(line_fft(LineLibrary::fftw, lines));
        }
        made[static_cast<std::size_t>(t)] += static_cast<int>(held.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int plans : made) EXPECT_EQ(plans, 1600);
  compared(thread_count);
}

TEST(Threads, AreAllInTheRecording) {
  if (!mpi_serves_threads()) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  const auto recorded = [](const std::function<void()>& work) {
    timeline::start_recording();
    work();
    return timeline::stop_recording();
  };
  const auto many = [](MPI_Comm comm) {
    for (int round = 0; round < rounds(); ++round) error_of_round_trip(comm, {.policy = {.window = 1}});
  };
  const auto one = recorded([&] { many(MPI_COMM_WORLD); });
  const auto all = recorded([&] { in_threads([&](MPI_Comm comm, int) { many(comm); }); });
  EXPECT_GT(one.work.size(), 0U);
  EXPECT_EQ(all.work.size(), thread_count * one.work.size());
  EXPECT_EQ(all.transfers.size(), thread_count * one.transfers.size());
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
