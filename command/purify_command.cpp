// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche purify`: the density matrix from Kohn-Sham and overlap matrices.
#include "seiche/purify.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cctype>
#include <optional>

#include "arguments.hpp"
#include "memory_option.hpp"
#include "numbers.hpp"
#include "report.hpp"
#include "seiche/block_file.hpp"
#include "seiche/error.hpp"
#include "seiche/topology.hpp"
#include "threads_option.hpp"

namespace seiche::command {
namespace {

struct PurifyRequest {
  std::string k, s, blocks, output, memory_limit, purifier = "trs4";
  double electrons = 0;
  PurifyOptions options;
};

MatrixFormat format_of(const std::string& output) {
  std::string path = output;
  for (char& c : path) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto ends = [&](const std::string& end) {
    return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  if (ends(".csr")) return MatrixFormat::csr_binary;
  if (ends(".mtx")) return MatrixFormat::matrix_market;
  if (ends(".dbcsr")) return MatrixFormat::dbcsr;
  if (ends(".txt")) return MatrixFormat::csr_text;
  throw Error(Fault::bad_argument,
              fmt::format("{} has an unknown ending: give .csr, .mtx, .dbcsr or .txt (text of CP2K)", output));
}

double mega(std::int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

/// Prints the required memory to stderr in advance, on a terminal or if it is large.
void announce_memory(const Session& session, PurifyOptions& options) {
  auto most = std::make_shared<std::int64_t>(0);
  options.product.memory_needed = [&session, most](std::int64_t bytes) {
    constexpr double worth_saying = 1.2;
    if (static_cast<double>(bytes) <= worth_saying * static_cast<double>(*most)) return;
    *most = bytes;
    constexpr std::int64_t much = 1000000000;
    if (session.speaks() && (bytes >= much || isatty(STDERR_FILENO)))
      fmt::print(stderr, "a product needs up to {:.0f} MB on process 0\n", mega(bytes));
  };
}

/// Shows a bar for each iteration. The number of iterations is unknown, so that the bar approaches its end without
/// reaching it.
PurifyProgress bar_of(const Session& session) {
  auto bar = std::make_shared<std::optional<ProgressBar>>();
  return [&session, bar](PurifyStage stage, int iteration, double residual) {
    const char* name = stage == PurifyStage::overlap_root         ? "S^(-1/2)"
                       : stage == PurifyStage::chemical_potential ? "chemical potential"
                                                                  : "purify";
    bar->emplace(session, fmt::format("{} {:2d}, error {:.0e}", name, iteration, residual));
    (*bar)->near(iteration / (iteration + 5.0));
  };
}

/// Returns the error bound, or a remark if it is as large as P itself.
std::string said_of(const PurifyReport& found) {
  if (is_useful(found)) return fmt::format("{:.2e}", found.error_bound);
  return fmt::format("{:.2e}, too large compared with |P| = {:.2e}: use a smaller --eps", found.error_bound,
                     found.norm);
}

void report(const Session& session, const PurifyRequest& request, const PurifyReport& found,
            const std::array<double, 2>& seconds) {
  Report report(session);
  report.add("trace", found.trace, "Tr(P S)", fmt::format("{:.10f}", found.trace));
  report.add("energy", found.energy, "Tr(P K)", fmt::format("{:.10f} Ha", found.energy));
  const bool one_spin = request.options.electrons_per_state == 1;
  report.add("electrons_per_state", request.options.electrons_per_state);
  report.add("idempotency", found.idempotency, one_spin ? "|P S P - P|" : "|P S P - 2 P|",
             fmt::format("{:.2e}", found.idempotency));
  report.add("error_bound", found.error_bound, "error of P at most", said_of(found));
  report.add("error_bound_useful", is_useful(found));
  report.add("norm", found.norm);
  report.add("chemical_potential", found.chemical_potential, "chemical potential",
             fmt::format("{:.6f} Ha", found.chemical_potential));
  report.add("homo", found.homo);
  report.add("lumo", found.lumo);
  const double temperature = request.options.temperature;
  const std::string purifier = temperature > 0 ? "fermi-dirac" : request.purifier;
  report.add("temperature", temperature);
  if (temperature > 0) {
    const double free_energy = found.energy - temperature * found.entropy;
    report.add("entropy", found.entropy, "entropy", fmt::format("{:.8f}", found.entropy));
    report.add("free_energy", free_energy, "energy - temperature * entropy", fmt::format("{:.10f} Ha", free_energy));
  }
  report.add("iterations", found.iterations, "iterations",
             fmt::format("{} ({}), {} for S^(-1/2), {} products", found.iterations, purifier, found.root_iterations,
                         found.products));
  report.add("root_iterations", found.root_iterations);
  report.add("products", found.products);
  report.add("purifier", purifier);
  report.add("eps", request.options.product.eps);
  report.add("ranks", session.size);
  report.add("memory_predicted", found.memory, "memory of a product", fmt::format("{:.0f} MB", mega(found.memory)));
  report.add("seconds", {{"read", seconds[0]}, {"total", seconds[1]}}, "seconds",
             fmt::format("read {:.2f}, total {:.2f}", seconds[0], seconds[1]));
  if (!request.output.empty()) report.add("files", std::vector<std::string>{request.output}, "written", request.output);
  report.say();
}

template <class Value>
void purify_files(const Session& session, PurifyRequest& request) {
  const double start = MPI_Wtime();
  MatrixFileOptions file;
  if (!request.blocks.empty()) file.blocks = parse_block_sizes(request.blocks);
  const auto s = read_blocks<Value>(order_ranks(session.comm), request.s, file);
  file.layout = s.shared_layout();
  const auto k = read_blocks<Value>(s.layout().comm, request.k, file);
  const double read = MPI_Wtime() - start;
  request.options.on_progress = bar_of(session);
  const auto found = seiche::purify(k, s, request.electrons, request.options);
  request.options.on_progress = nullptr;  // removes its bar
  if (!request.output.empty()) write_blocks(found.p, request.output, format_of(request.output));
  report(session, request, found, {read, MPI_Wtime() - start});
}

void purify(const Session& session, PurifyRequest request) {
  request.options.purifier = purifier_named(request.purifier);
  request.options.product.policy.memory = memory_limit_of(request.memory_limit);
  announce_memory(session, request.options);
  warn_of_threads(session, request.options.product.threads);
  if (!request.output.empty()) {
    format_of(request.output);
    expect_apart(session, request.output, {request.k, request.s});
    expect_block_file(session.comm, request.output);
  }
  const bool complex = holds_complex(session.comm, request.s) || holds_complex(session.comm, request.k);
  complex ? purify_files<std::complex<double>>(session, request) : purify_files<double>(session, request);
}

}  // namespace

void add_purify(CLI::App& app, Session& session) {
  auto request = std::make_shared<PurifyRequest>();
  CLI::App* command = app.add_subcommand("purify", "density matrix from Kohn-Sham and overlap matrices");
  command->add_option("KS", request->k, "Kohn-Sham matrix: CP2K CSR (binary or text), MatrixMarket or DBCSR")
      ->required();
  command->add_option("S", request->s, "overlap matrix")->required();
  command
      ->add_option("--electrons", request->electrons,
                   "number of electrons: even, or the electrons of one spin with --one-spin, or any with --temperature")
      ->check(finite())
      ->required();
  command->add_flag_callback(
      "--one-spin", [request] { request->options.electrons_per_state = 1; },
      "KS and electrons of one spin: one electron per state");
  command->add_option("--eps", request->options.product.eps, "filter: blocks of smaller norm are dropped")
      ->check(at_least(0))
      ->capture_default_str();
  command->add_option("--blocks", request->blocks, "block sizes if the files have none: 13,13,5 or 64x13,128x5");
  command->add_option("--purifier", request->purifier, "purification: trs4, tc2, mcweeny or sign")
      ->capture_default_str();
  command
      ->add_option("--temperature", request->options.temperature,
                   "k_B T of Fermi-Dirac occupations, in the unit of KS (0: full and empty states)")
      ->check(at_least(0))
      ->capture_default_str();
  command->add_option("-o,--output", request->output, "output file for P: .csr, .mtx, .dbcsr or .txt");
  command
      ->add_option("--max-iterations,--iterations", request->options.max_iterations,
                   "largest number of iterations, also of S^(-1/2)")
      ->check(at_least(1))
      ->capture_default_str();
  command->add_option("--threads", request->options.product.threads, "threads per process")->check(CLI::Range(1, 1024));
  add_memory_limit(*command, request->memory_limit);
  command->callback([request, &session] { purify(session, *request); });
}

}  // namespace seiche::command
