// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench blocksparse`: products of random and of water-like matrices. Each result is verified without a
/// product: C x must equal A (B x) for a random vector x, within the error bound of the filter.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "bench_report.hpp"
#include "block_case.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "seiche/block_product.hpp"
#include "seiche/error.hpp"
#include "support/joined.hpp"

namespace seiche::command {

namespace {

struct BlockRequest : BlockCase {
  std::string memory_limit;
  bool keep = false, no_poll = false, rates = false, overlap_report = false;
  int repeats = 5;
};

/// Returns m times x, with all elements on all ranks.
std::vector<double> apply(const BlockMatrix<double>& m, const std::vector<double>& x, MPI_Comm comm) {
  const auto starts = [](const BlockSizes& sizes) {
    std::vector<std::int64_t> all{0};
    for (const auto size : sizes) all.push_back(all.back() + size);
    return all;
  };
  const auto row_at = starts(m.layout().row_sizes), column_at = starts(m.layout().column_sizes);
  std::vector<double> y(row_at.back(), 0.0);
  for (std::size_t r = 0; r < m.rows().size(); ++r) {
    const std::int32_t i = m.rows()[r];
    for (auto b = m.row_start()[r]; b < m.row_start()[r + 1]; ++b) {
      const std::int32_t j = m.columns()[b];
      const double* v = m.values().data() + m.offset()[b];
      for (auto column = column_at[j]; column < column_at[j + 1]; ++column) {
        for (auto row = row_at[i]; row < row_at[i + 1]; ++row) y[row] += *v++ * x[column];
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, y.data(), static_cast<int>(y.size()), MPI_DOUBLE, MPI_SUM, comm);
  return y;
}

struct Check {
  double error = 0;    ///< |C x - A (B x)| / |x|, which must not exceed the bound
  double largest = 1;  ///< |A (B x)| / |x|
};

Check check_product(const BlockMatrix<double>& a, const BlockMatrix<double>& b, const BlockMatrix<double>& c,
                    MPI_Comm comm) {
  std::mt19937 random(3);
  std::vector<double> x(static_cast<std::size_t>(
      std::accumulate(b.layout().column_sizes.begin(), b.layout().column_sizes.end(), std::int64_t{0})));
  for (double& v : x) v = static_cast<double>(random() % 2001) / 1000 - 1;
  const auto expected = apply(a, apply(b, x, comm), comm), found = apply(c, x, comm);
  double off = 0, whole = 0, of_x = 0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    off += (found[n] - expected[n]) * (found[n] - expected[n]);
    whole += expected[n] * expected[n];
  }
  for (const double v : x) of_x += v * v;
  return {std::sqrt(off / of_x), std::sqrt(whole / of_x)};
}

double total(MPI_Comm comm, double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

std::int64_t blocks_in(MPI_Comm comm, const BlockMatrix<double>& m) {
  return static_cast<std::int64_t>(total(comm, static_cast<double>(m.local_blocks())));
}

using Json = nlohmann::ordered_json;

/// Measures the rates of the kernel for small products, per core, in cache and out of cache.
Json rates_of(const BlockRequest& request) {
  Json rates;
  for (const int m : request.sizes) {
    for (const int n : request.sizes) {
      for (const int k : request.sizes) {
        rates[fmt::format("{}x{}x{}", m, n, k)] = {{"in_cache", small_product_rate({m, n, k}, 64 << 10)},
                                                   {"out_of_cache", small_product_rate({m, n, k}, 256 << 20)}};
      }
    }
  }
  return rates;
}

Json facts_of(const Session& session, const BlockRequest& request, const ProductReport& report) {
  Json more;
  const auto sum = [&](std::int64_t n) {
    return static_cast<std::int64_t>(total(session.comm, static_cast<double>(n)));
  };
  const auto most = [&](double x) { return largest(session.comm, x); };
  more["products"] = sum(report.products);
  more["skipped"] = sum(report.skipped);
  more["error_bound"] = report.error;
  more["bytes_received"] = sum(report.bytes_received);
  more["bytes_whole_panels"] = sum(report.bytes_whole_panels);
  more["bytes_index"] = sum(report.bytes_index);
  more["memory_predicted"] = static_cast<std::int64_t>(most(static_cast<double>(report.memory)));
  more["step"] = {{"plan", most(report.seconds_plan)},
                  {"work", most(report.seconds_work)},
                  {"wait", most(report.seconds_wait)},
                  {"poll", most(report.seconds_poll)},
                  {"polls", sum(report.polls)},
                  {"communication_share", report.communication_share},
                  {"communication_load", report.communication_share}};  // its name in earlier versions
  if (request.rates) more["kernel_gflops_per_core"] = rates_of(request);
  return more;
}

std::string name_of_case(const BlockRequest& request, std::size_t blocks) {
  const std::string eps = request.options.eps > 0 ? fmt::format(" eps {:g}", request.options.eps) : "";
  if (!request.files.empty()) return fmt::format("blocksparse {}{}", seiche::joined(request.files, " "), eps);
  return fmt::format("blocksparse {} {} blocks of {}{}", request.water > 0 ? "water" : "random", blocks,
                     seiche::joined(request.sizes, ","), eps);
}

/// Runs the product with given settings, for the overlap report.
class Runner {
 public:
  Runner(const BlockOperands& operands, const ProductOptions& options) : operands_(operands), multiply_(options) {}

  void run(OnlyExchange only = OnlyExchange::no) {
    if (!c_) c_.emplace(operands_.a.shared_layout());
    multiply_.options().only_exchange = only;
    const ProductReport& report = multiply_(Product<double>{operands_.a, operands_.b}, *c_);
    const double planning = report.seconds_plan - report.seconds_index;  // the part computed by this rank
    if (only == OnlyExchange::no) so_far_.worked += planning + report.seconds_work - report.seconds_wait;
    so_far_.waited += report.seconds_wait;
    so_far_.polls += report.polls;
    so_far_.moves += report.moves;
  }
  Runnable runnable() {
    return {[this] { run(); },
            [this](bool asleep) { run(asleep ? OnlyExchange::blocking_wait : OnlyExchange::busy_wait); },
            [this] { return so_far_; }};
  }

 private:
  const BlockOperands& operands_;
  Multiplier multiply_;
  std::optional<BlockMatrix<double>> c_;
  ProgressReport so_far_;
};

Overlap overlap_of(const Session& session, const BlockRequest& request, const BlockOperands& operands) {
  ProductOptions plain = request.options;
  plain.policy.window = 1;
  Runner blocking(operands, plain), overlapped(operands, request.options);
  return measure_overlap(session.comm, request.repeats, 1, blocking.runnable(), overlapped.runnable());
}

void bench_blocksparse(const Session& session, const BlockRequest& request) {
  const BlockOperands operands = operands_of(session, request);
  const auto& [a, b] = operands;
  const BlockLayout& layout = a.layout();
  Multiplier multiply(request.options);
  std::optional<BlockMatrix<double>> c;

  BenchResult result;
  result.timing = time_repeats(session.comm, request.repeats, 0, [&] {
    if (!c || !request.keep) c.emplace(operands.a.shared_layout());
    multiply(Product<double>{operands.a, operands.b}, *c);
  });
  const ProductReport report = multiply.report();
  result.name = name_of_case(request, layout.row_sizes.size());
  result.threads = request.options.threads;
  result.operations = total(session.comm, static_cast<double>(report.operations));
  result.plan.library = report.kernels;
  result.plan.bytes_sent = report.bytes_sent;
  result.transforms = 1;
  const Check check = check_product(a, b, *c, session.comm);
  result.max_error = check.error / check.largest;
  if (check.error > report.error) {
    throw Error(Fault::internal,
                fmt::format("the error of the product ({:.1e}) exceeds its bound ({:.1e})", check.error, report.error));
  }
  result.chosen = {{"panels", report.panels}, {"window", report.window},
                   {"layers", report.layers}, {"grid", {layout.grid_rows, layout.grid_columns}},
                   {"deal", request.deal},    {"kernels", report.kernels}};
  result.more = facts_of(session, request, report);
  const double cells = static_cast<double>(layout.row_sizes.size()) * static_cast<double>(layout.column_sizes.size());
  result.more["fill"] = {{"a", static_cast<double>(blocks_in(session.comm, a)) / cells},
                         {"b", static_cast<double>(blocks_in(session.comm, b)) / cells},
                         {"c", static_cast<double>(blocks_in(session.comm, *c)) / cells}};
  if (request.overlap_report) result.overlap = overlap_of(session, request, operands);
  print(session, result);
}

}  // namespace

void add_bench_blocksparse(CLI::App& bench, Session& session) {
  const auto request = std::make_shared<BlockRequest>();
  auto* app = bench.add_subcommand("blocksparse", "product of block-sparse matrices");
  add_block_case(*app, *request);
  app->add_flag("--keep", request->keep, "reuse of the memory of C instead of a new C per product");
  app->add_flag("--overlap-report", request->overlap_report,
                "report of the overlap of communication and computation, with its upper bound");
  app->add_flag("--rates", request->rates, "rates of the kernel for small products alone");
  app->add_flag("--no-poll", request->no_poll, "no polling: progress is left to MPI");
  app->add_flag("--whole-panels", request->options.whole_panels,
                "exchange of all blocks of a panel, also of blocks that are not needed");
  app->add_option("--repeat", request->repeats, "number of repetitions")->check(at_least(1))->capture_default_str();
  app->add_option("--window", request->options.policy.window,
                  "number of panels in memory (1: exchange and computation alternate)")
      ->check(at_least(1));
  app->add_option("--panels", request->options.panels, "number of panels (0: automatic)")->check(at_least(0));
  app->add_option("--layers", request->options.layers, "number of layers of the inner index (0: automatic)")
      ->check(at_least(0));
  app->add_option("--communication-share,--load", request->options.communication_share,
                  "share of the work of the communicating thread (1: like the other threads; negative: measured)");
  add_memory_limit(*app, request->memory_limit);
  app->callback([request, &session] {
    request->options.policy.memory = memory_limit_of(request->memory_limit);
    if (request->no_poll) request->options.policy.progress = Progress::none;
    bench_blocksparse(session, *request);
  });
}

}  // namespace seiche::command
