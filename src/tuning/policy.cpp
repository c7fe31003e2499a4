// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/policy.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "comm/communicator_body.hpp"
#include "comm/node.hpp"
#include "exchange/exchange_interface.hpp"
#include "pipeline/pipeline.hpp"
#include "support/formatted.hpp"
#include "support/printable.hpp"

namespace seiche {

namespace {

std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string name(text.data(), static_cast<std::size_t>(length));
  return name.substr(0, name.find_first_of(",\n"));
}

/// Reads the model of the processor of this node, as Linux names it. Empty if it is unknown.
std::string read_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    const bool names = line.starts_with("model name") || line.starts_with("CPU part");
    if (names && colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "";
}
const std::string& processor_name() {
  static const std::string name = read_processor_name();  // reading takes long on nodes with many processors
  return name;
}

/// Replaces Progress::thread if MPI does not support it in this program.
Progress allowed(Progress tuned) {
  return tuned == Progress::thread && !threads_may_call_mpi() ? Progress::poll : tuned;
}

[[noreturn]] void no_number(const std::string& name, const std::string& text) {
  fail(Fault::bad_file, "'{}' is not a valid number for {}: tune again", text, name);
}

/// Facts about the machine below a communicator, which take collective calls to find.
struct Machine final : KeptOnCommunicator {
  std::map<int, std::int64_t> nodes;     // number, by ranks_per_node()
  std::optional<std::string> processor;  // of rank 0
};

}  // namespace

void require_sound_threads(int threads) {
  require(threads >= 1 && threads <= largest_number, Fault::bad_argument,
          "the number of threads must be 1 to {} (got {}): initialise the options, or set threads to 1", largest_number,
          threads);
}

void require_sound(const Policy& policy) {
  require_enumerator(policy.algorithm, "exchange algorithm");
  require_enumerator(policy.progress, "progress");
  require(policy.window >= 0 && policy.window <= largest_number, Fault::bad_argument,
          "the window of a policy must be 0 to {} (got {})", largest_number, policy.window);
  require(policy.memory >= 0, Fault::bad_argument, "the memory of a policy must not be negative (got {})",
          policy.memory);
  require_possible(policy.progress);
}

void require_sound(const TuneRequest& request) {
  const double skew = request.skew.value_or(0);
  require(request.budget >= 0 && skew >= 0 && std::isfinite(skew), Fault::bad_argument,
          "tuning needs a budget and a skew that are not negative (got {} and {} seconds)", request.budget, skew);
  constexpr std::int64_t most_bands = std::numeric_limits<int>::max();
  require(request.bands >= 1 && request.bands <= most_bands && request.band_groups >= 0, Fault::bad_argument,
          "tuning needs 1 to {} bands, and a number of band groups that is not negative (got {} and {})", most_bands,
          request.bands, request.band_groups);
  require_sound_threads(request.threads);
}

bool goes_on_by_itself(Algorithm algorithm) {
  constexpr std::array all{Algorithm::pairwise, Algorithm::ialltoallv, Algorithm::two_level};
  return std::find(all.begin(), all.end(), algorithm) != all.end();
}

std::int64_t node_count(const Communicator& comm) {
  std::int64_t& nodes = kept_on<Machine>(comm).nodes[ranks_per_node()];
  if (nodes == 0) nodes = sum(comm, comm.node().rank() == 0 ? 1 : 0);
  return nodes;
}

int decade(std::int64_t number) { return static_cast<int>(std::to_string(number).size()) - 1; }

std::string tuned_case(const Communicator& comm, const std::string& work, int threads) {
  auto& known = kept_on<Machine>(comm).processor;
  if (!known) {
    std::string name;
    together(comm, [&] {
      if (comm.rank() == 0) name = processor_name();
    });
    broadcast(comm, name);
    known = std::move(name);
  }
  const std::string& processor = *known;
  return printable(formatted("{}, {} ranks x {} threads on {} nodes, {}{}{}", work, comm.size(), threads,
                             node_count(comm), mpi_name(), processor.empty() ? "" : ", ", processor));
}

Settings settings_of(const Policy& policy) {
  Settings settings{{"algorithm", std::string(name_of(policy.algorithm))},
                    {"progress", std::string(name_of(policy.progress))},
                    {"window", std::to_string(policy.window)}};
  if (policy.memory > 0) settings["memory"] = std::to_string(policy.memory);
  return settings;
}

Policy with(Policy policy, const Settings& settings) {
  const auto said = [&](const char* name) { return settings.count(name) > 0; };
  if (policy.algorithm == Algorithm::automatic && said("algorithm"))
    policy.algorithm = algorithm_named(settings.at("algorithm"));
  if (policy.progress == Progress::automatic && said("progress")) {
    policy.progress = allowed(progress_named(settings.at("progress")));
  }
  if (policy.window == 0) policy.window = small_number_in(settings, "window");
  return policy;
}

double real_in(const Settings& settings, const std::string& name, double otherwise) {
  const auto found = settings.find(name);
  if (found == settings.end()) return otherwise;
  const std::string& text = found->second;
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0 && number < 0x1p53))
    no_number(name, text);
  return number;
}

std::int64_t number_in(const Settings& settings, const std::string& name, std::int64_t most) {
  const double number = real_in(settings, name, 0);
  if (number != std::floor(number) || number > static_cast<double>(most)) no_number(name, settings.at(name));
  return static_cast<std::int64_t>(number);  // real_in() returns numbers below 2^53
}

int small_number_in(const Settings& settings, const std::string& name) {
  return static_cast<int>(number_in(settings, name, std::numeric_limits<int>::max()));
}

void require_suitable(const Communicator& comm, Algorithm algorithm) {
  resolved_algorithm(comm, algorithm);
  require(algorithm != Algorithm::local || comm.size() == 1, Fault::bad_argument,
          "the exchange algorithm 'local' sends nothing, but there are {} ranks: use automatic, pairwise or alltoallv",
          comm.size());
}

std::vector<Policy> first_policies(const Communicator& comm, int window) {
  std::vector<Policy> all{{Algorithm::alltoallv, Progress::none, 1}};
  const auto nodes = static_cast<int>(node_count(comm));
  if (nodes == 1) all.push_back({Algorithm::shared, Progress::poll, 1});
  if (nodes > 1 && nodes < comm.size()) all.push_back({Algorithm::two_level, Progress::poll, window});
  all.push_back({Algorithm::alltoall, Progress::poll, 1});
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::ialltoallv}) {
    all.push_back({algorithm, Progress::poll, 1});
    if (window > 1) all.push_back({algorithm, Progress::poll, window});
  }
  return all;
}

std::vector<Policy> varied(const Policy& policy, const std::vector<int>& windows) {
  std::vector<Policy> all;
  for (const Progress progress : {Progress::none, Progress::poll, Progress::thread}) {
    if (progress == policy.progress || allowed(progress) != progress) continue;
    all.push_back(policy);
    all.back().progress = progress;
  }
  for (const int window : windows) {
    if (window == policy.window) continue;
    all.push_back(policy);
    all.back().window = window;
  }
  return all;
}

}  // namespace seiche
