// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench exchange`: all exchange algorithms by message size, with synchronized ranks and with delayed
/// ranks as in applications. The exchanged values are the values of a dense grid with the given number of bytes per
/// pair of ranks, forward and backward.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bench_report.hpp"
#include "fft/exchange_only.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

struct Cell {
  std::int64_t bytes;
  std::string algorithm;
  double synchronised = 0, skewed = 0;  // median time of one exchange in seconds
};

/// Times one exchange from the arrival of the last rank, so that delays do not count as exchange time.
double timed(const Session& session, const std::function<void()>& exchange, double late, double latest) {
  MPI_Barrier(session.comm);
  const double start = MPI_Wtime();
  keep_busy(late);
  exchange();
  return largest(session.comm, MPI_Wtime() - start) - latest;
}

GridShape grid_of(const Session& session, std::int64_t bytes, bool uneven) {
  const std::int64_t side = uneven ? session.size + 1 : session.size;
  return {std::max<std::int64_t>(bytes / static_cast<std::int64_t>(sizeof(Complex)), 1), side, side};
}

/// Returns the error of field values that encode their position, after an exchange forward and backward.
double error_of(DenseFft<Complex>& fft, Field<Complex>& field) {
  const auto value = [&](std::int64_t x, std::int64_t z) {
    return Complex(static_cast<double>(x % 1000), static_cast<double>(z));
  };
  const auto each = [&](auto&& visit) {
    const View<Complex> view = field.grid();
    for (std::int64_t z = 0; z < view.shape[2]; ++z) {
      for (std::int64_t y = 0; y < view.shape[1]; ++y) {
        for (std::int64_t x = 0; x < view.shape[0]; ++x) visit(view(x, y, z), value(x, fft.grid_box().axis[2].low + z));
      }
    }
  };
  each([](Complex& have, const Complex& want) { have = want; });
  exchange_only(fft, field);
  double worst = 0;
  each([&](const Complex& have, const Complex& want) { worst = std::max(worst, std::abs(have - want)); });
  return worst;
}

Cell measure(const Session& session, const ExchangeCase& request, std::int64_t bytes, Algorithm algorithm,
             double& error) {
  DenseFft<Complex> fft(
      session.comm, grid_of(session, bytes, request.uneven),
      {.policy = {.algorithm = algorithm, .window = 1}, .decomposition = Decomposition::slab, .chunks = {1}});
  auto field = fft.allocate();
  error = std::max(error, error_of(fft, field));
  const auto there_and_back = [&] { exchange_only(fft, field); };
  std::vector<double> together, apart;
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    together.push_back(timed(session, there_and_back, 0, 0) / 2);
    const auto late = delays(session.size, repeat, request.skew * 1e-6);
    const double latest = *std::max_element(late.begin(), late.end());
    apart.push_back(timed(session, there_and_back, late[static_cast<std::size_t>(session.rank)], latest) / 2);
  }
  return {bytes, std::string(name_of(algorithm)), median_of(together), median_of(apart)};
}

/// Returns why these ranks cannot use an algorithm, or "". Example: `shared` needs one node.
std::string obstacle(const Session& session, Algorithm algorithm) {
  try {
    DenseFft<Complex>(session.comm, {1, session.size, session.size}, {.policy = {.algorithm = algorithm}}).allocate();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void bench_exchange(const Session& session, const ExchangeCase& request) {
  std::vector<Cell> cells;
  std::vector<Algorithm> algorithms;
  std::map<std::string, std::string> obstacles;
  for (const Algorithm algorithm : all_algorithms()) {
    const std::string why_not = obstacle(session, algorithm);
    if (why_not.empty())
      algorithms.push_back(algorithm);
    else
      obstacles[std::string(name_of(algorithm))] = why_not;
  }
  double error = 0;
  for (const std::int64_t bytes : request.bytes) {
    for (const Algorithm algorithm : algorithms) cells.push_back(measure(session, request, bytes, algorithm, error));
  }
  error = largest(session.comm, error);
  if (!session.speaks()) return;
  if (session.json) {
    nlohmann::ordered_json json{{"case", "exchange"},          {"ranks", session.size},    {"repeats", request.repeats},
                                {"skew", request.skew * 1e-6}, {"uneven", request.uneven}, {"max_error", error},
                                {"obstacles", obstacles}};
    for (const Cell& c : cells) {
      json["table"].push_back(
          {{"bytes", c.bytes}, {"algorithm", c.algorithm}, {"synchronised", c.synchronised}, {"skewed", c.skewed}});
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print(
      "time of one exchange in microseconds, with synchronized ranks and with ranks delayed by up to {} us (after the "
      "last arrival)\n",
      request.skew);
  fmt::print("{:>10}  {:<11}{:>12}{:>12}\n", "bytes", "algorithm", "together", "delayed");
  for (const auto& [algorithm, why_not] : obstacles) fmt::print("{} is not available: {}\n", algorithm, why_not);
  for (const Cell& c : cells) {
    fmt::print("{:>10}  {:<11}{:>12.1f}{:>12.1f}\n", c.bytes, c.algorithm, c.synchronised * 1e6, c.skewed * 1e6);
  }
}

}  // namespace seiche::command
