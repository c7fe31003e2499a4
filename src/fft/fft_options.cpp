// SPDX-License-Identifier: BSD-3-Clause
#include "fft/resolved_options.hpp"

#include <array>
#include <complex>
#include <map>
#include <span>
#include <sstream>

#include "comm/agree.hpp"
#include "comm/communicator_body.hpp"
#include "comm/node.hpp"
#include "fft/sphere/row_lines.hpp"
#include "interface/fft_members.hpp"
#include "support/environment.hpp"
#include "support/joined.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche {

namespace {

/// Parses relative sizes, separated by commas.
std::vector<int> chunks_in(const std::string& text) {
  std::vector<int> chunks;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');)
    chunks.push_back(small_number_in({{"chunks", word}}, "chunks"));
  return chunks;
}

LineLibrary library_named(const std::string& name) {
  for (const auto& [word, library] : WordsOf<LineLibrary>::all) {
    if (word == name) return library;
  }
  fail(Fault::bad_file, "unknown library '{}' for 1D FFTs: tune again", name);
}

/// Applies settings of the tuning file. SEICHE_FFT takes precedence over the library. The distribution of the grid is
/// not changed: the arrays of a program depend on it. \throws Error for invalid settings, and for a library that is
/// missing on this rank
FftOptions with(FftOptions options, const Settings& settings, PlanKind kind) {
  const auto get = [&](const char* name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  options.policy = with(options.policy, settings);
  const std::string library = get("library");
  if (options.library == LineLibrary::automatic && !library.empty() && environment("SEICHE_FFT").empty())
    options.library = line_library(library_named(library));
  if (options.chunks.empty()) options.chunks = chunks_in(get("chunks"));
  require_sound(options, kind);
  return options;
}

/// Results of usual_groups(), by ranks_per_node().
struct UsualGroups final : KeptOnCommunicator {
  std::map<int, int> of;
};

/// Collective. Returns the library of this rank. Libraries may differ between ranks unless results must be
/// reproducible.
LineLibrary agreed_library(const Communicator& comm, const FftOptions& options) {
  LineLibrary mine = LineLibrary::automatic;
  const auto fault = fault_of([&] { mine = line_library(options.library); });
  const auto [one, other] = bounds<1>(comm, {static_cast<std::int64_t>(mine)}, fault)[0];
  require(!options.reproducible || one == other, Fault::bad_argument,
          "fft: reproducible results need one 1D FFT library on all ranks (got {} and {}): set the same SEICHE_FFT on "
          "all ranks",
          name_of(static_cast<LineLibrary>(one)), name_of(static_cast<LineLibrary>(other)));
  return mine;
}

}  // namespace

void require_sound(const FftOptions& options, PlanKind kind) {
  require_sound(options.policy);
  require_sound_threads(options.threads);
  require_enumerator(options.library, "library");
  require_enumerator(options.decomposition, "decomposition");
  require_enumerator(options.space, "space");
  require(options.components >= 1 && options.components <= most_components, Fault::bad_argument,
          "fft: the number of components must be 1, or 2 for spinors (got {})", options.components);
  require(options.band_groups >= 0, Fault::bad_argument, "fft: the number of band groups must not be negative (got {})",
          options.band_groups);
  for (const int weight : options.chunks) {
    require(weight > 0 && weight <= largest_chunk, Fault::bad_argument,
            "fft: relative sizes of chunks must be positive (got {}), and at most {}", weight, largest_chunk);
  }
  require(options.chunks.size() <= largest_number, Fault::bad_argument, "fft: there are too many chunks ({}): use {}",
          options.chunks.size(), largest_number);
  require(kind == PlanKind::sphere || (options.components == 1 && options.band_groups <= 1), Fault::bad_argument,
          "fft: dense transforms have one component and one band group (got {} and {}): leave these options at their "
          "defaults",
          options.components, options.band_groups);
  for (const int planes : options.slabs) {
    require(planes >= 0, Fault::bad_argument, "fft: the number of planes of a slab must not be negative (got {})",
            planes);
  }
  require(options.slabs.empty() || options.decomposition == Decomposition::automatic ||
              options.decomposition == Decomposition::slab,
          Fault::bad_argument,
          "fft: the option slabs needs the decomposition automatic or slab (got {}): change it, or leave slabs empty",
          name_of(options.decomposition));
  require(kind == PlanKind::sphere || options.slabs.empty(), Fault::bad_argument,
          "fft: dense transforms do not take slabs (got {}): leave this option empty, or pass arrays with boxes",
          options.slabs.size());
  require(kind == PlanKind::dense || options.chunks.empty(), Fault::bad_argument,
          "fft: transforms of spheres have no chunks (got {}): leave this option empty, or set the window",
          options.chunks.size());
}

std::string tuned_case(const Communicator& comm, const std::string& transform, int threads, int band_groups) {
  const std::string groups = band_groups == 1 ? "" : formatted(", {} band groups", band_groups);
  return tuned_case(comm, transform + groups, threads);
}

std::string dense_transform(const GridShape& shape, char letter) {
  return formatted("dense {} {}x{}x{}", letter, shape.nx, shape.ny, shape.nz);
}

std::string sphere_transform(const Communicator& comm, const GridShape& shape, std::int64_t waves, char letter) {
  return formatted("sphere {} {}x{}x{} of {} waves", letter, shape.nx, shape.ny, shape.nz, sum(comm, waves));
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
  return in_space({.algorithm = algorithm_among(options.policy.algorithm, alone, inside),
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

Algorithm algorithm_among(Algorithm algorithm, bool alone, bool inside) {
  return alone || inside ? Algorithm::shared : algorithm;
}

FftOptions with_band_groups(FftOptions options, int ranks, int usual_groups) {
  if (options.band_groups == 0) options.band_groups = usual_groups;
  require(options.band_groups > 0 && ranks % options.band_groups == 0, Fault::bad_argument,
          "fft: the number of band groups must divide the number of ranks (got {} groups for {} ranks)",
          options.band_groups, ranks);
  return options;
}

FftOptions with_window(FftOptions options) {
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

int usual_groups(const Communicator& comm) {
  int& kept = kept_on<UsualGroups>(comm).of[ranks_per_node()];
  if (kept > 0) return kept;
  const auto nodes = static_cast<int>(node_count(comm));
  const int members = comm.size() / nodes;
  const bool alike =
      comm.size() % nodes == 0 && comm.node().size() == members && comm.node().rank() == comm.rank() % members;
  kept = bounds(comm, alike ? 1 : 0).first == 1 ? nodes : 1;
  return kept;
}

Resolved resolved(const Communicator& comm, const FftOptions& asked, const PlanWork& work) {
  Advice advice;
  FftOptions options = with_band_groups(asked, comm.size(), asked.band_groups == 0 ? usual_groups(comm) : 1);
  if (options.policy.algorithm == Algorithm::automatic && options.space != Space::cuda) {  // tuned for processors
    advice = tuning_of(comm, tuned_case(comm, work.transform, options.threads, options.band_groups));
    const auto merge = [&](const Settings& settings) { return with(options, settings, work.kind); };
    options = advised(comm, options, advice, merge);
  }
  require_suitable(comm, options.policy.algorithm);
  options.policy.algorithm = resolved_algorithm(comm, options.policy.algorithm);
  options.library = agreed_library(comm, options);
  return {with_window(options), advice.use};
}

}  // namespace seiche
