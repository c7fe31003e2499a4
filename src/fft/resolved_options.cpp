// SPDX-License-Identifier: BSD-3-Clause
#include "fft/resolved_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <span>
#include <sstream>

#include "comm/agree.hpp"
#include "fft/decomposition.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/policy.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr int window_of_messages = 3;  // two exchanges of a band can then be hidden behind the work on others

std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string name(text.data(), static_cast<std::size_t>(length));
  return name.substr(0, name.find_first_of(",\n"));
}

std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::atoi(word.c_str()));
  return numbers;
}

template <class Named>
Named named(const std::string& text, std::span<const Named> all) {
  for (const Named one : all) {
    if (name_of(one) == text) return one;
  }
  return Named::automatic;
}

/// A program may have started MPI for fewer threads than the one that tuned.
Progress allowed(Progress tuned) {
  return tuned == Progress::thread && !threads_may_call_mpi() ? Progress::poll : tuned;
}

FftOptions with(FftOptions options, const Settings& settings) {
  const auto get = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  if (const auto algorithm = get("way"); !algorithm.empty()) options.policy.algorithm = algorithm_named(algorithm);
  if (const auto progress = get("progress"); !progress.empty() && options.policy.progress == Progress::automatic) {
    options.policy.progress = allowed(progress_named(progress));
  }
  if (options.library == LineLibrary::automatic) {
    options.library = named<LineLibrary>(get("library"), std::array{LineLibrary::fftw, LineLibrary::mkl});
  }
  if (options.policy.window == 0) options.policy.window = std::atoi(get("window").c_str());
  if (options.chunks.empty()) options.chunks = numbers_in(get("chunks"));
  if (options.decomposition == Decomposition::automatic) {
    options.decomposition = named<Decomposition>(get("decomposition"), all_decompositions);
  }
  if (options.band_groups == 0) options.band_groups = std::atoi(get("band_groups").c_str());
  return options;
}

}  // namespace

std::int64_t node_count(const Communicator& comm) { return sum(comm, comm.node().rank() == 0 ? 1 : 0); }

std::string tuned_case(const Communicator& comm, const std::string& transform, int threads, int band_groups) {
  const std::string groups = band_groups == 1   ? ""
                             : band_groups == 0 ? ", any band groups"
                                                : fmt::format(", {} band groups", band_groups);
  return fmt::format("{}{}, {} ranks x {} threads on {} nodes, {}", transform, groups, comm.size(), threads,
                     node_count(comm), mpi_name());
}

std::string dense_transform(const GridShape& shape, char letter) {
  return fmt::format("dense {} {}x{}x{}", letter, shape.nx, shape.ny, shape.nz);
}

std::string sphere_transform(const Communicator& comm, const GridShape& shape, std::int64_t waves, char letter) {
  return fmt::format("sphere {} {}x{}x{} of {} waves", letter, shape.nx, shape.ny, shape.nz, sum(comm, waves));
}

ExchangeRequest exchange_request(const FftOptions& options, const Communicator& all, const Communicator& among,
                                 std::size_t element, TargetMemory target_memory) {
  const bool alone = among.size() == 1 && all.size() > 1;
  const bool inside = among.on_one_node() && !all.on_one_node();
  return {.algorithm = alone || inside ? Algorithm::shared : options.policy.algorithm,
          .element = element,
          .target_memory = target_memory,
          .rounded = options.rounded_exchange && element == sizeof(std::complex<double>)};
}

bool goes_on_by_itself(Algorithm algorithm) {
  constexpr std::array all{Algorithm::pairwise, Algorithm::ialltoallv, Algorithm::ialltoall, Algorithm::persistent,
                           Algorithm::two_level};
  return std::find(all.begin(), all.end(), algorithm) != all.end();
}

Settings settings_of(const FftOptions& options) {
  return {{"way", std::string(name_of(options.policy.algorithm))},
          {"progress", std::string(name_of(options.policy.progress))},
          {"library", name_of(options.library)},
          {"decomposition", name_of(options.decomposition)},
          {"band_groups", std::to_string(options.band_groups)},
          {"window", std::to_string(options.policy.window)},
          {"chunks", fmt::format("{}", fmt::join(options.chunks, ","))}};
}

FftOptions resolved(const Communicator& comm, const FftOptions& asked, const std::string& transform) {
  FftOptions options = asked;
  Policy& policy = options.policy;
  require_sound(policy);
  if (policy.algorithm == Algorithm::automatic)
    options = with(asked, tuning_of(comm, tuned_case(comm, transform, asked.threads, asked.band_groups)));
  policy.algorithm = resolved_algorithm(comm, policy.algorithm);
  require(policy.algorithm != Algorithm::local || comm.size() == 1, Fault::bad_argument,
          "fft: the way 'local' moves nothing between ranks, and here are {}; choose automatic, pairwise or alltoallv",
          comm.size());
  options.library = line_library(options.library);
  if (options.band_groups == 0) options.band_groups = 1;
  require(options.band_groups > 0 && comm.size() % options.band_groups == 0, Fault::bad_argument,
          "fft: {} band groups of {} ranks; give a divisor of the number of ranks", options.band_groups, comm.size());
  if (policy.window == 0) policy.window = goes_on_by_itself(policy.algorithm) ? window_of_messages : 1;
  return options;
}

}  // namespace seiche
