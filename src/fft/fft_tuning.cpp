// SPDX-License-Identifier: BSD-3-Clause
/// \file  Candidates for the autotuning of transforms.
#include <array>
#include <memory>
#include <set>

#include "comm/agree.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/line_libraries.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/sphere_routes.hpp"
#include "layout/sound_shape.hpp"
#include "seiche/fft.hpp"
#include "seiche/topology.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

/// Collective. Tells for each library whether a trial is useful: all ranks have it, and not all of them use it already.
/// All ranks get the same result.
std::array<bool, all_line_libraries.size()> libraries_to_try(const Communicator& comm, LineLibrary used) {
  std::array<std::int64_t, 2 * all_line_libraries.size()> numbers{};
  std::array<bool, all_line_libraries.size()> useful{};
  for (std::size_t i = 0; i < useful.size(); ++i) {
    numbers[2 * i] = !fault_of([&] { line_library(all_line_libraries[i]); });
    numbers[2 * i + 1] = all_line_libraries[i] == used;
  }
  const auto least = bounds(comm, numbers, {});
  for (std::size_t i = 0; i < useful.size(); ++i) useful[i] = least[2 * i].first == 1 && least[2 * i + 1].first == 0;
  return useful;
}

/// Candidates for transforms of one dense grid, or of bands.
struct Candidates {
  const Communicator& comm;
  const GridShape& shape;
  const TuneRequest& request;
  bool bands;
  int band_groups;      // of all candidates except other layouts
  LineLibrary library;  // of the first candidates of this rank

  std::vector<FftOptions> first() const {
    std::vector<FftOptions> all;
    for (const Policy& policy : first_policies(comm, bands ? usual_window : 1)) {
      all.push_back({.policy = policy,
                     .library = library,
                     .threads = request.threads,
                     .chunks = std::vector<int>(bands ? 0 : 1, 1),
                     .band_groups = band_groups});
      if (bands || !goes_on_by_itself(policy.algorithm)) continue;
      for (const std::size_t chunks : {2, 4}) add(all, all.back()).chunks.assign(chunks, 1);
    }
    return all;
  }

  /// Collective. Other distributions of the grid and of bands.
  std::vector<FftOptions> layouts(const FftOptions& winner) const {
    std::vector<FftOptions> all;
    const auto found = [&, members = comm.size() / winner.band_groups](Decomposition wanted) {
      return decomposition_of(bands ? sphere_ranks(members, shape, wanted) : dense_ranks(members, shape, wanted));
    };
    const auto nodes = static_cast<int>(node_count(comm));
    for (const Decomposition other : all_decompositions) {
      const bool no_neighbours = other == Decomposition::pencil_yz && (nodes == 1 || nodes == comm.size());
      if (found(other) != other || found(winner.decomposition) == other || no_neighbours) continue;
      add(all, winner).decomposition = other;
    }
    // band groups of one node keep transposes inside nodes; groups of one rank need no transposes
    for (const int groups : std::set{1, nodes, comm.size()}) {
      if (!bands || request.band_groups != 0 || groups == band_groups || comm.size() % groups > 0) continue;
      FftOptions& own = add(all, winner);
      own.policy = nodes == 1 ? Policy{Algorithm::shared, Progress::poll, 1}
                              : Policy{Algorithm::pairwise, Progress::poll, usual_window};
      own.band_groups = groups;
    }
    return all;
  }

  /// Collective.
  std::vector<FftOptions> variations(const FftOptions& winner) const {
    std::vector<FftOptions> all;
    const auto useful = libraries_to_try(comm, winner.library);
    for (std::size_t i = 0; i < useful.size(); ++i) {
      if (useful[i]) add(all, winner).library = all_line_libraries[i];
    }
    if (!goes_on_by_itself(winner.policy.algorithm)) return all;
    for (const Policy& policy : varied(winner.policy, bands ? std::vector{5} : std::vector<int>{})) {
      add(all, winner).policy = policy;
    }
    if (bands) return all;
    add(all, winner).chunks = {3, 1};
    add(all, winner).chunks.assign(12, 1);
    return all;
  }

 private:
  static FftOptions& add(std::vector<FftOptions>& all, FftOptions one) { return all.emplace_back(std::move(one)); }
};

/// The plans that are tuned.
struct Tuned {
  const Communicator& comm;
  const GridShape& shape;
  std::string transform;  ///< name in the tuning file
  PlanKind kind;
};

/// Returns the options of a trial. Its 1D FFTs are as fast as in a long run.
FftOptions of_trial(FftOptions options) {
  options.measured = true;
  return options;
}

/// Collective. \pre the request is sound
template <class MakeRun>
TuneReport<FftOptions> tune_transform(const Tuned& of, const TuneRequest& request, const MakeRun& make_run) {
  const bool bands = of.kind == PlanKind::sphere;
  const int asked = bands ? request.band_groups : 1;
  const int usual = asked == 0 ? usual_groups(order_ranks(of.comm)) : 1;
  const int groups = with_band_groups({.band_groups = asked}, of.comm.size(), usual).band_groups;
  const LineLibrary library = made_together(of.comm, [] { return line_library(); });
  const Candidates some{of.comm, of.shape, request, bands, groups, library};
  Tunable<FftOptions> work{.tuned_case = tuned_case(of.comm, of.transform, request.threads, groups),
                           .first = some.first(),
                           .variations = [&](const FftOptions& winner) { return some.variations(winner); },
                           .make_run = make_run,
                           .layouts = [&](const FftOptions& winner) { return some.layouts(winner); }};
  return tune<FftOptions>(of.comm, work, request);
}

}  // namespace

template <class Value>
TuneReport<FftOptions> tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request) {
  together(comm, "tune_dense", [&](EqualArguments& same) {
    require_sound(shape);
    add_request(same.add("shape", shape), request);
  });
  const auto make_run = [&](const FftOptions& options) -> std::function<void()> {
    auto fft = std::make_shared<DenseFft<Value>>(comm, shape, of_trial(options));
    auto field = std::make_shared<Field<Value>>(fft->allocate());
    return [fft, field] {
      fft->forward(*field);
      fft->backward(*field);
    };
  };
  return tune_transform({comm, shape, dense_transform(shape, letter_of<Value>()), PlanKind::dense}, request, make_run);
}

template <class Value>
TuneReport<FftOptions> tune_sphere(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                                   const TuneRequest& request) {
  using Complex = typename SphereFft<Value>::Complex;
  std::vector<Complex> waves;
  together(comm, "tune_sphere", [&](EqualArguments& same) {
    require_sound(shape);
    add_request(same.add("shape", shape), request);
    waves.assign(mine.size() * static_cast<std::size_t>(request.bands), Complex(1));
  });
  const auto make_run = [&](const FftOptions& options) -> std::function<void()> {
    auto fft = std::make_shared<SphereFft<Value>>(comm, shape, mine, of_trial(options));
    return [fft, &waves, &request] {
      fft->round_trip(waves, waves, request.bands, [](std::int64_t, const Box&, const View<Value>&) {});
    };
  };
  const auto transform = sphere_transform(comm, shape, static_cast<std::int64_t>(mine.size()), letter_of<Value>());
  return tune_transform({comm, shape, transform, PlanKind::sphere}, request, make_run);
}

template TuneReport<FftOptions> tune_dense<double>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport<FftOptions> tune_dense<std::complex<double>>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport<FftOptions> tune_sphere<double>(const Communicator&, GridShape, std::span<const Miller>,
                                                    const TuneRequest&);
template TuneReport<FftOptions> tune_sphere<std::complex<double>>(const Communicator&, GridShape,
                                                                  std::span<const Miller>, const TuneRequest&);

}  // namespace seiche
