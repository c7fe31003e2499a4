// SPDX-License-Identifier: BSD-3-Clause
#include "fft/resolved_options.hpp"

#include <fmt/core.h>

#include <array>
#include <complex>
#include <span>
#include <sstream>

#include "comm/agree.hpp"
#include "fft/dense/decomposition.hpp"
#include "fft/lines/line_libraries.hpp"
#include "support/joined.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche {

namespace {

/// Parses relative sizes, separated by commas.
std::vector<int> chunks_in(const std::string& text) {
  std::vector<int> chunks;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    chunks.push_back(static_cast<int>(number_in({{"chunks", word}}, "chunks")));
  }
  return chunks;
}

template <class Named>
Named named(const std::string& text, std::span<const Named> all) {
  for (const Named one : all) {
    if (name_of(one) == text) return one;
  }
  return Named::automatic;
}

FftOptions with(FftOptions options, const Settings& settings) {
  const auto get = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  options.policy = with(options.policy, settings);
  if (options.library == LineLibrary::automatic) {
    options.library = named<LineLibrary>(get("library"), all_line_libraries);
  }
  if (options.chunks.empty()) options.chunks = chunks_in(get("chunks"));
  if (options.decomposition == Decomposition::automatic) {
    options.decomposition = named<Decomposition>(get("decomposition"), all_decompositions);
  }
  if (options.band_groups == 0) options.band_groups = static_cast<int>(number_in(settings, "band_groups"));
  return options;
}

/// Collective. Returns the default number of band groups: one per node if all nodes have equally many consecutive
/// ranks, else 1. Then transposes stay inside nodes.
int groups_by_nodes(const Communicator& comm) {
  const auto nodes = static_cast<int>(node_count(comm));
  const int members = comm.size() / nodes;
  const bool alike =
      comm.size() % nodes == 0 && comm.node().size() == members && comm.node().rank() == comm.rank() % members;
  return bounds(comm, alike ? 1 : 0).first == 1 ? nodes : 1;
}

/// Collective. Returns the library of this rank. Libraries may differ between ranks unless results must be
/// reproducible.
LineLibrary agreed_library(const Communicator& comm, const FftOptions& options) {
  const LineLibrary mine = made_together(comm, [&] { return line_library(options.library); });
  const auto [one, other] = bounds(comm, static_cast<std::int64_t>(mine));
  require(!options.reproducible || one == other, Fault::bad_argument,
          "fft: reproducible results need one 1D FFT library on all ranks (got {} and {}): set the same SEICHE_FFT on "
          "all ranks",
          name_of(static_cast<LineLibrary>(one)), name_of(static_cast<LineLibrary>(other)));
  return mine;
}

}  // namespace

void require_sound(const GridShape& shape) {
  require(shape.nx > 0 && shape.ny > 0 && shape.nz > 0, Fault::bad_argument,
          "fft: grid dimensions must be positive (got {} x {} x {})", shape.nx, shape.ny, shape.nz);
}

std::string tuned_case(const Communicator& comm, const std::string& transform, int threads, int band_groups) {
  const std::string groups = band_groups == 1   ? ""
                             : band_groups == 0 ? ", any band groups"
                                                : fmt::format(", {} band groups", band_groups);
  return tuned_case(comm, transform + groups, threads);
}

std::string dense_transform(const GridShape& shape, char letter) {
  return fmt::format("dense {} {}x{}x{}", letter, shape.nx, shape.ny, shape.nz);
}

std::string sphere_transform(const Communicator& comm, const GridShape& shape, std::int64_t waves, char letter) {
  return fmt::format("sphere {} {}x{}x{} of {} waves", letter, shape.nx, shape.ny, shape.nz, sum(comm, waves));
}

FftOptions with_device_defaults(FftOptions options, int ranks) {
  if (options.space != Space::cuda) return options;
  require(options.decomposition == Decomposition::automatic || options.decomposition == Decomposition::slab,
          Fault::unsupported, "fft: the space 'cuda' supports slabs only (got decomposition {}): use automatic or slab",
          name_of(options.decomposition));
  options.decomposition = Decomposition::slab;
  if (options.band_groups == 0) options.band_groups = ranks;
  return options;
}

ExchangeRequest exchange_request(const FftOptions& options, const Communicator& all, const Communicator& among,
                                 std::size_t element, TargetMemory target_memory, const Queue& queue) {
  const bool alone = among.size() == 1 && all.size() > 1;
  const bool inside = among.on_one_node() && !all.on_one_node();
  return in_space({.algorithm = way_among(options.policy.algorithm, alone, inside),
                   .element = element,
                   .target_memory = target_memory,
                   .rounded = options.rounded_exchange && element == sizeof(std::complex<double>),
                   .queue = queue},
                  among);
}

void note_messages(FftReport& report, const Communicator& among, const ExchangeRequest& request) {
  const std::string_view place = place_of_messages(among, request);
  if (place == "device" || (place == "host" && report.messages == "none")) report.messages = place;
}

Algorithm way_among(Algorithm way, bool alone, bool inside) { return alone || inside ? Algorithm::shared : way; }

FftOptions settled(FftOptions options, int ranks, int usual_groups) {
  if (options.band_groups == 0) options.band_groups = usual_groups;
  require(options.band_groups > 0 && ranks % options.band_groups == 0, Fault::bad_argument,
          "fft: the number of band groups must divide the number of ranks (got {} groups for {} ranks)",
          options.band_groups, ranks);
  Policy& policy = options.policy;
  const bool overlaps = goes_on_by_itself(policy.algorithm) || options.space == Space::cuda;
  if (policy.window == 0) policy.window = overlaps ? usual_window : 1;
  return options;
}

Settings settings_of(const FftOptions& options) {
  Settings settings = settings_of(options.policy);
  settings["library"] = name_of(options.library);
  settings["decomposition"] = name_of(options.decomposition);
  settings["band_groups"] = std::to_string(options.band_groups);
  settings["chunks"] = joined(options.chunks, ",");
  return settings;
}

FftOptions resolved(const Communicator& comm, const FftOptions& asked, const std::string& transform) {
  FftOptions options = asked;
  Policy& policy = options.policy;
  together(comm, [&] { require_sound(policy); });
  if (policy.algorithm == Algorithm::automatic && asked.space != Space::cuda)  // tuned for processors
    options = with(asked, tuning_of(comm, tuned_case(comm, transform, asked.threads, asked.band_groups)));
  policy.algorithm = resolved_algorithm(comm, policy.algorithm);
  require(
      policy.algorithm != Algorithm::local || comm.size() == 1, Fault::bad_argument,
      "fft: the exchange algorithm 'local' sends nothing, but there are {} ranks: use automatic, pairwise or alltoallv",
      comm.size());
  options.library = agreed_library(comm, options);
  return settled(options, comm.size(), options.band_groups == 0 ? groups_by_nodes(comm) : 1);
}

}  // namespace seiche
