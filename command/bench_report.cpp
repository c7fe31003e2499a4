// SPDX-License-Identifier: BSD-3-Clause
#include "bench_report.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <set>

#include "bench_bound.hpp"
#include "numbers.hpp"
#include "rank_place.hpp"
#include "seiche/error.hpp"
#include "trace/mpi_profile.hpp"
#if __has_include("seiche_git.hpp")
#include "seiche_git.hpp"
#else
#define SEICHE_GIT "unknown"
#endif

namespace seiche::command {

namespace {

int hosts_of(MPI_Comm comm) {
  const auto names = names_of_hosts(comm);
  return static_cast<int>(std::set<std::string>(names.begin(), names.end()).size());
}

/// Extracts "Open MPI v4.1.4" or "MPICH 4.0.2" from the version text of the library.
std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name(text.data(), static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));
  for (std::size_t at = 0; (at = name.find_first_of(":\t", at)) != std::string::npos;) name[at] = ' ';
  name.erase(std::unique(name.begin(), name.end(), [](char a, char b) { return a == ' ' && b == ' '; }), name.end());
  const auto version = name.find("Version ");
  return version == std::string::npos ? name : name.erase(version, 8);
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

using Json = nlohmann::ordered_json;

void add_overlap(Json& json, const Overlap& overlap) {
  json["compute_only"] = overlap.compute_only;
  json["exchange_only"] = overlap.exchange_only;
  json["exchange_cpu"] = overlap.exchange_cpu;
  json["blocking"] = overlap.blocking;
  json["overlapped"] = overlap.overlapped;
  json["bound"] = overlap.bound();
  json["ratio"] = overlap.ratio();
  json["hidden"] = overlap.hidden();
  json["ranks_per_core"] = overlap.ranks_per_core;
  json["core_bound"] = overlap.core_bound();
  json["core_ratio"] = overlap.overlapped / overlap.core_bound();
  json["waited"] = overlap.waited;
  json["waits"] = {{"late_partner", overlap.waits.late_partner},
                   {"transport", overlap.waits.transport},
                   {"progress", overlap.waits.progress}};
  json["polls"] = overlap.polls;
  json["moves"] = overlap.moves;
}

/// Collective.
Json as_json(const Session& session, const BenchResult& mine) {
  const auto& seconds = mine.timing.seconds;
  const auto bounds = std::minmax_element(seconds.begin(), seconds.end());
  const double middle = median_of(seconds);
  Json json;
  json["case"] = mine.name;
  json["ranks"] = session.size;
  json["threads"] = mine.threads;
  json["hosts"] = hosts_of(session.comm);
  json["mpi"] = mpi_library();
  json["fft_backend"] = mine.plan.library;
  json["git"] = SEICHE_GIT;
  json["repeats"] = seconds.size();
  json["seconds"] = {{"min", *bounds.first}, {"median", middle}, {"max", *bounds.second}};
  if (mine.bands > 0) {
    json["bands"] = mine.bands;
    json["seconds_of_call"] = static_cast<double>(mine.bands) * middle;
  }
  json["gflops"] = mine.operations / middle * 1e-9;
  const auto bytes = [&](std::int64_t one) {
    return static_cast<std::int64_t>(largest(session.comm, mine.transforms * static_cast<double>(one)));
  };
  json["bytes_sent_per_rank"] = bytes(mine.plan.bytes_sent);
  json["bytes_lower_bound"] = bytes(mine.plan.bytes_lower_bound);
  json["plan_memory_bytes"] = static_cast<std::int64_t>(largest(session.comm, static_cast<double>(mine.plan.memory)));
  json["peak_memory_bytes"] = static_cast<std::int64_t>(largest(session.comm, peak_memory()));
  json["chosen"] = {{"algorithm", mine.plan.algorithm},
                    {"decomposition", mine.plan.decomposition},
                    {"library", mine.plan.library},
                    {"window", mine.plan.window},
                    {"band_groups", mine.plan.band_groups}};
  if (!mine.chosen.empty()) json["chosen"] = mine.chosen;
  if (!mine.plan.levels.empty()) json["levels"] = mine.plan.levels;
  json["mpi_calls"] = mine.timing.mpi_calls;
  json["max_error"] = largest(session.comm, mine.max_error);
  if (mine.overlap) add_overlap(json, *mine.overlap);
  if (mine.least) json["of_bound"] = fields_of(*mine.least, middle);
  json.update(mine.more);
  return json;
}

/// Returns settings as "algorithm shared, window 3".
std::string settings_of(const Json& chosen) {
  std::string text;
  for (const auto& [name, value] : chosen.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string as_table(const Json& json) {
  std::string calls;
  for (const auto& [name, count] : json["mpi_calls"].items()) {
    calls += fmt::format("{}{} {}", calls.empty() ? "" : ", ", count.get<std::int64_t>(), name);
  }
  const auto mega = [&](const char* key) { return json[key].get<double>() * 1e-6; };
  const auto milliseconds = [&](const char* key) { return json[key].get<double>() * 1e3; };
  const auto& seconds = json["seconds"];
  const auto milli = [&](const char* key) { return seconds[key].get<double>() * 1e3; };
  std::string text = fmt::format("{}\n", json["case"].get<std::string>());
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<18}{}\n", name, value);
  };
  row("on", fmt::format("{} ranks x {} threads, {} hosts, {}, 1D FFTs by {}", json["ranks"].get<int>(),
                        json["threads"].get<int>(), json["hosts"].get<int>(), json["mpi"].get<std::string>(),
                        json["fft_backend"].get<std::string>()));
  const bool of_band = json.contains("bands");
  row("time", fmt::format("{:.3f} ms{} (min {:.3f}, max {:.3f}; {} repeats)", milli("median"),
                          of_band ? " per band" : "", milli("min"), milli("max"), json["repeats"].get<int>()));
  if (of_band) {
    row("call",
        fmt::format("{:.3f} ms for {} bands", milliseconds("seconds_of_call"), json["bands"].get<std::int64_t>()));
  }
  row("speed", fmt::format("{:.1f} Gflop/s", json["gflops"].get<double>()));
  row("sent",
      fmt::format("{:.3f} MB per rank (at least {:.3f})", mega("bytes_sent_per_rank"), mega("bytes_lower_bound")));
  if (json.contains("levels")) row("crossing", json["levels"].get<std::string>() + " bytes");
  row("memory", fmt::format("{:.1f} MB per rank for the plan, at most {:.0f} MB in total", mega("plan_memory_bytes"),
                            mega("peak_memory_bytes")));
  row("chosen", settings_of(json["chosen"]));
  if (json.contains("messages")) row("messages", json["messages"].get<std::string>());
  row("MPI calls", calls.empty() ? "none" : calls);
  if (json.contains("ratio")) {
    row("alone",
        fmt::format("computation {:.3f} ms, exchanges {:.3f} ms ({:.3f} ms of CPU time)", milliseconds("compute_only"),
                    milliseconds("exchange_only"), milliseconds("exchange_cpu")));
    row("together", fmt::format("blocking {:.3f} ms, overlapped {:.3f} ms (waiting {:.3f} ms), lower bound {:.3f} ms",
                                milliseconds("blocking"), milliseconds("overlapped"), milliseconds("waited"),
                                milliseconds("bound")));
    const auto& waits = json["waits"];
    row("waiting for", fmt::format("late partners {:.3f} ms, transfers {:.3f} ms, progress {:.3f} ms",
                                   1e3 * waits["late_partner"].get<double>(), 1e3 * waits["transport"].get<double>(),
                                   1e3 * waits["progress"].get<double>()));
    row("overlap", fmt::format("{:.2f} of the bound, {:.0f} % of the communication that can be hidden is hidden; "
                               "{:.0f} polls, {:.0f} with progress",
                               json["ratio"].get<double>(), 100 * json["hidden"].get<double>(),
                               json["polls"].get<double>(), json["moves"].get<double>()));
  }
  if (json.contains("of_bound")) {
    const auto& least = json["of_bound"];
    const auto part = [&](const char* key) { return 1e3 * least[key].get<double>(); };
    row("least time",
        fmt::format("{:.3f} ms: 1D FFTs {:.3f}, memory {:.3f} ({:.3f} MB per rank), links {:.3f} ms", part("seconds"),
                    part("lines"), part("memory"), 1e-6 * least["bytes"].get<double>(), part("links")));
    row("of the bound", fmt::format("{:.2f}", least["share"].get<double>()));
  }
  if (json.contains("methods")) {
    for (const auto& [name, taken] : json["methods"].items()) {
      row(name.c_str(), fmt::format("{:.3f} ms", 1e3 * taken["median"].get<double>()));
    }
  }
  if (json.contains("plan_in_bands")) {
    row("first plan", fmt::format("{:.3f} ms; first call of one band {:.3f} ms", milliseconds("first_plan"),
                                  milliseconds("first_call")));
    row("later plan", fmt::format("{:.3f} ms = {:.1f} bands of {:.3f} ms", milliseconds("later_plan"),
                                  json["plan_in_bands"].get<double>(), milliseconds("band")));
    row("alternating", fmt::format("{:.3f} of the time of calls of one plan; plans keep {:.1f} MB per rank",
                                   json["alternating"].get<double>(), mega("kept_memory_bytes")));
  }
  row("error", fmt::format("{:.1e}", json["max_error"].get<double>()));
  return text;
}

template <class Named>
Named named(const std::string& text, std::initializer_list<Named> all) {
  std::string known;
  for (const Named one : all) {
    if (name_of(one) == text) return one;
    known += known.empty() ? name_of(one) : ", " + name_of(one);
  }
  throw Error(Fault::bad_argument, fmt::format("unknown value '{}': use one of {}", text, known));
}

}  // namespace

void BenchRequest::add_plan_options(CLI::App& app) {
  grid.add_to(app)->required();
  app.add_option("--repeat", repeats, "number of repetitions")->check(at_least(1))->capture_default_str();
  app.add_option("--library", library, "library for 1D FFTs: fftw, mkl, ducc, fastest or automatic")
      ->capture_default_str();
  app.add_option("--algorithm,--way", algorithm, "exchange algorithm")->capture_default_str();
  app.add_option("--decomposition", decomposition, "decomposition of the grid: slab, pencil, pencil_yz or automatic")
      ->capture_default_str();
  app.add_option("--space", space, "where arrays are and transforms are computed: host or cuda")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  app.add_option("--threads", threads, "OpenMP threads per rank")->check(at_least(1));
  app.add_option("--window", window, "number of bands in flight (0: automatic)")->check(at_least(0));
  app.add_option("--band-groups", band_groups,
                 "number of groups of ranks that share the bands of a call (0: automatic)")
      ->check(at_least(0));
  app.add_option("--chunks", chunks, "relative sizes of the chunks of one dense transform, for example 3,1")
      ->delimiter(',');
  app.add_option("--progress", progress, "progress of exchanges: poll, thread or none")->capture_default_str();
  app.add_flag("--rounded-exchange", rounded, "exchange of double precision data in single precision");
}

void BenchRequest::add_to(CLI::App& app) {
  add_plan_options(app);
  app.add_option("--precision", precision, "precision: double or float [double]")
      ->check(CLI::IsMember({"double", "float"}));
  app.add_option("--skew", skew, "largest delay of the start of a rank, in microseconds")->check(at_least(0));
  app.add_flag("--overlap-report", overlap_report,
               "report of the overlap of communication and computation, with separate timings of both");
  app.add_flag("--of-bound", of_bound, "least time by the rates of this machine for 1D FFTs, memory and links");
}

namespace {

/// Collective. \throws Error if a complex field exceeds the memory of the machines of all processes
void expect_room(const GridShape& shape) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double bytes = 16.0 * static_cast<double>(shape.nx) * static_cast<double>(shape.ny) *
                       static_cast<double>(shape.nz) / ranks;  // floating point, to avoid overflow
  double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  if (bytes <= memory) return;
  throw Error(Fault::bad_argument,
              fmt::format("a grid of {} x {} x {} needs {:.3g} GB on each of {} processes, which exceeds the memory of "
                          "a machine: use a smaller --grid or more processes",
                          shape.nx, shape.ny, shape.nz, bytes * 1e-9, ranks));
}

}  // namespace

GridShape BenchRequest::shape() const {
  const GridShape shape = grid.shape();
  expect_room(shape);
  return shape;
}

FftOptions BenchRequest::fft_options() const {
  FftOptions options;
  options.policy.algorithm = algorithm == "automatic" ? Algorithm::automatic : algorithm_named(algorithm);
  options.library = named(
      library, {LineLibrary::automatic, LineLibrary::fftw, LineLibrary::mkl, LineLibrary::ducc, LineLibrary::fastest});
  options.decomposition = named(
      decomposition, {Decomposition::automatic, Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz});
  options.space = on_device() ? Space::cuda : Space::host;
  options.threads = threads;
  options.measured = true;  // before the first repeat
  options.policy.window = window;
  options.chunks = chunks;
  options.band_groups = band_groups;
  options.policy.progress = progress_named(progress);
  options.rounded_exchange = rounded;
  return options;
}

FftOptions BenchRequest::blocking_options() const {
  FftOptions options = fft_options();
  Policy& policy = options.policy;
  if (policy.algorithm != Algorithm::shared && policy.algorithm != Algorithm::automatic)
    policy.algorithm = Algorithm::alltoallv;
  policy.progress = Progress::none;
  policy.window = 1;
  options.chunks.clear();  // one chunk with these algorithms
  return options;
}

std::vector<double> delays(int ranks, int repeat, double skew) {
  std::mt19937 dice(static_cast<unsigned>(repeat));
  std::uniform_real_distribution<double> delay(0, skew);
  std::vector<double> late(static_cast<std::size_t>(ranks));
  for (double& one : late) one = delay(dice);
  return late;
}

void keep_busy(double seconds) {
  const double start = MPI_Wtime();
  while (MPI_Wtime() - start < seconds) {
  }
}

Timing time_repeats(MPI_Comm comm, int repeats, double skew, const std::function<void()>& work) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  work();  // warms up memory and plans
  Timing timing;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    MPI_Barrier(comm);
    mpi_profile::start_counting();
    const double start = MPI_Wtime();
    keep_busy(delays(ranks, repeat, skew)[static_cast<std::size_t>(rank)]);
    work();
    timing.seconds.push_back(MPI_Wtime() - start);
    for (const auto& [name, calls] : mpi_profile::counts()) timing.mpi_calls[name] += calls;
  }
  MPI_Allreduce(MPI_IN_PLACE, timing.seconds.data(), repeats, MPI_DOUBLE, MPI_MAX, comm);
  return timing;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0.0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double largest(MPI_Comm comm, double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

std::vector<std::complex<double>> roots_of_unity(std::int64_t n) {
  std::vector<std::complex<double>> roots;
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

void print(const Session& session, const BenchResult& mine) {
  const Json json = as_json(session, mine);
  if (!session.speaks()) return;
  fmt::print("{}", session.json ? json.dump() + "\n" : as_table(json));
  if (session.json) return;
  for (const auto& [name, value] : mine.more.items()) {
    if (name != "messages") fmt::print("  {:<18}{}\n", name, value.dump());
  }
}

}  // namespace seiche::command
