// SPDX-License-Identifier: BSD-3-Clause
/// \file  Candidates for the autotuning of transforms.
#include <memory>
#include <set>

#include "fft/dense/decomposition.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/line_libraries.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/sphere_routes.hpp"
#include "seiche/fft.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

/// Candidates for transforms of one dense grid, or of bands.
struct Candidates {
  const Communicator& comm;
  const GridShape& shape;
  const TuneRequest& request;
  bool bands;

  std::vector<FftOptions> first() const {
    std::vector<FftOptions> all;
    for (const Policy& policy : first_policies(comm, bands ? usual_window : 1)) {
      all.push_back({.policy = policy,
                     .library = line_library(),
                     .threads = request.threads,
                     .chunks = {1},
                     .band_groups = std::max(request.band_groups, 1)});
      if (bands || !goes_on_by_itself(policy.algorithm)) continue;
      for (const std::size_t chunks : {2, 4}) add(all, all.back()).chunks.assign(chunks, 1);
    }
    // band groups of one node keep transposes inside nodes; groups of one rank need no transposes
    const auto nodes = static_cast<int>(node_count(comm));
    for (const int groups : std::set{nodes, comm.size()}) {
      if (!bands || request.band_groups != 0 || groups == 1 || comm.size() % groups > 0) continue;
      FftOptions& own = add(all, all.front());
      own.policy = nodes == 1 ? Policy{Algorithm::shared, Progress::poll, 1}
                              : Policy{Algorithm::pairwise, Progress::poll, usual_window};
      own.band_groups = groups;
    }
    return all;
  }

  std::vector<FftOptions> variations(const FftOptions& winner) const {
    std::vector<FftOptions> all;
    const auto found = [&, members = comm.size() / winner.band_groups](Decomposition wanted) {
      return decomposition_of(bands ? sphere_ranks(members, shape, wanted) : dense_ranks(members, shape, wanted));
    };
    const std::int64_t nodes = node_count(comm);
    for (const Decomposition other : all_decompositions) {
      const bool no_neighbours = other == Decomposition::pencil_yz && (nodes == 1 || nodes == comm.size());
      if (found(other) != other || found(winner.decomposition) == other || no_neighbours) continue;
      add(all, winner).decomposition = other;
    }
    for (const LineLibrary library : all_line_libraries) {
      if (library == winner.library || fault_of([&] { line_library(library); })) continue;
      add(all, winner).library = library;
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

template <class MakeRun>
TuneReport<FftOptions> tune_transform(const Candidates& some, const std::string& transform, const MakeRun& make_run) {
  const TuneRequest& request = some.request;
  const int groups = some.bands ? request.band_groups : 1;
  return tune<FftOptions>(some.comm,
                          {tuned_case(some.comm, transform, request.threads, groups), some.first(),
                           [&](const FftOptions& winner) { return some.variations(winner); }, make_run},
                          request);
}

}  // namespace

template <class Value>
TuneReport<FftOptions> tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request) {
  together(comm, "tune_dense", [&](EqualArguments& same) {
    require_sound(shape);
    add_request(same.add("shape", shape), request);
  });
  const auto make_run = [&](const FftOptions& options) -> std::function<void()> {
    auto fft = std::make_shared<DenseFft<Value>>(comm, shape, options);
    auto field = std::make_shared<Field<Value>>(fft->allocate());
    return [fft, field] {
      fft->forward(*field);
      fft->backward(*field);
    };
  };
  return tune_transform({comm, shape, request, false}, dense_transform(shape, letter_of<Value>()), make_run);
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
    auto fft = std::make_shared<SphereFft<Value>>(comm, shape, mine, options);
    return [fft, &waves, &request] {
      fft->round_trip(waves, waves, request.bands, [](std::int64_t, const Box&, const View<Value>&) {});
    };
  };
  const auto transform = sphere_transform(comm, shape, static_cast<std::int64_t>(mine.size()), letter_of<Value>());
  return tune_transform({comm, shape, request, true}, transform, make_run);
}

template TuneReport<FftOptions> tune_dense<double>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport<FftOptions> tune_dense<std::complex<double>>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport<FftOptions> tune_sphere<double>(const Communicator&, GridShape, std::span<const Miller>,
                                                    const TuneRequest&);
template TuneReport<FftOptions> tune_sphere<std::complex<double>>(const Communicator&, GridShape,
                                                                  std::span<const Miller>, const TuneRequest&);

}  // namespace seiche
