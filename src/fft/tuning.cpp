// SPDX-License-Identifier: BSD-3-Clause
/// \file  The settings that tuning tries for transforms.
#include "seiche/tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>

#include "comm/agree.hpp"
#include "comm/communicator_body.hpp"
#include "fft/decomposition.hpp"
#include "fft/dense_layouts.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere_routes.hpp"
#include "pipeline/pipeline.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

std::string in_words(const FftOptions& o) {
  std::string words = fmt::format("{} on {}", name_of(o.policy.algorithm), name_of(o.library));
  if (o.policy.window > 1) words += fmt::format(", window {}", o.policy.window);
  if (o.decomposition != Decomposition::automatic) words += fmt::format(", {}", name_of(o.decomposition));
  if (o.band_groups > 1) words += fmt::format(", {} band groups", o.band_groups);
  if (o.chunks.size() > 1) words += fmt::format(", chunks {}", fmt::join(o.chunks, ","));
  if (o.policy.progress == Progress::none) words += ", no polls";
  if (o.policy.progress == Progress::thread) words += ", a thread";
  return words;
}

/// The first is the plain one: alltoallv, one thing at a time.
std::vector<FftOptions> first_candidates(const Communicator& comm, const TuneRequest& request, bool bands) {
  const LineLibrary library = line_library();
  const FftOptions plain{.policy = {Algorithm::alltoallv, Progress::none, 1},
                         .library = library,
                         .threads = request.threads,
                         .chunks = {1},
                         .band_groups = std::max(request.band_groups, 1)};
  std::vector<FftOptions> all{plain};
  const auto add = [&](Algorithm algorithm, int window, std::vector<int> chunks) {
    FftOptions one = plain;
    one.policy = {algorithm, Progress::poll, window};
    one.chunks = std::move(chunks);
    all.push_back(one);
  };
  const auto nodes = static_cast<int>(node_count(comm));
  if (nodes == 1) add(Algorithm::shared, 1, {1});
  if (nodes > 1 && nodes < comm.size()) add(Algorithm::two_level, 3, {1});
  add(Algorithm::alltoall, 1, {1});
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::ialltoallv}) {
    add(algorithm, 1, {1});
    if (bands) {
      add(algorithm, 3, {1});
      continue;
    }
    add(algorithm, 1, {1, 1});
    add(algorithm, 1, {1, 1, 1, 1});
  }
  // bands of their own for each node, so that transposes stay inside; for each rank, so that there are none
  for (const int groups : std::set{nodes, comm.size()}) {
    if (!bands || request.band_groups != 0 || groups == 1 || comm.size() % groups > 0) continue;
    add(nodes == 1 ? Algorithm::shared : Algorithm::pairwise, nodes == 1 ? 1 : 3, {1});
    all.back().band_groups = groups;
  }
  return all;
}

/// The winner so far, and it with one setting changed.
std::vector<FftOptions> refined(const Communicator& comm, const FftOptions& winner, const GridShape& shape,
                                bool bands) {
  std::vector<FftOptions> all{winner};
  const auto found = [&, members = comm.size() / winner.band_groups](Decomposition wanted) {
    return decomposition_of(bands ? sphere_ranks(members, shape, wanted) : dense_ranks(members, shape, wanted));
  };
  const std::int64_t nodes = node_count(comm);
  for (const Decomposition other : all_decompositions) {
    const bool no_neighbours = other == Decomposition::pencil_yz && (nodes == 1 || nodes == comm.size());
    if (found(other) != other || found(winner.decomposition) == other || no_neighbours) continue;
    all.push_back(winner);
    all.back().decomposition = other;
  }
  for (const LineLibrary library : {LineLibrary::fftw, LineLibrary::mkl}) {
    if (library == winner.library || fault_of([&] { line_library(library); })) continue;
    all.push_back(winner);
    all.back().library = library;
  }
  const Algorithm algorithm = winner.policy.algorithm;
  if (algorithm == Algorithm::shared || algorithm == Algorithm::alltoallv || algorithm == Algorithm::alltoall)
    return all;
  all.push_back(winner);
  all.back().policy.progress = Progress::none;
  if (threads_may_call_mpi()) {
    all.push_back(winner);
    all.back().policy.progress = Progress::thread;
  }
  all.push_back(winner);
  if (bands) {
    all.back().policy.window = 5;
  } else {
    all.back().chunks = {3, 1};
    all.push_back(winner);
    all.back().chunks.assign(12, 1);
  }
  return all;
}

/// Collective. Rounds among `all`; what they showed goes to the report.
template <class MakeRun>
FftOptions winner_of(const Communicator& comm, const std::vector<FftOptions>& all, const TrialConditions& conditions,
                     const MakeRun& make_run, TuneReport& report) {
  std::vector<Candidate> candidates;
  for (const FftOptions& options : all) candidates.push_back({in_words(options), make_run(options)});
  const Verdict verdict = choose(comm, candidates, conditions);
  for (std::size_t c = 0; c < all.size(); ++c) {
    report.trials.push_back({candidates[c].name, verdict.seconds[c], verdict.rounds[c]});
  }
  return all[verdict.best];
}

template <class MakeRun>
TuneReport tune(const Communicator& comm, const std::string& transform, const GridShape& shape,
                const TuneRequest& request, bool bands, const MakeRun& make_run) {
  TuneReport report;
  report.tuned_case = tuned_case(comm, transform, request.threads, request.band_groups);
  report.skew = request.skew.value_or(comm.body().arrivals.skew());
  const TrialConditions half{request.budget / 2, report.skew};
  const FftOptions first = winner_of(comm, first_candidates(comm, request, bands), half, make_run, report);
  report.options = winner_of(comm, refined(comm, first, shape, bands), half, make_run, report);
  on_root(comm, [&] { write_tuning(tuning_path(), report.tuned_case, settings_of(report.options)); });
  return report;
}

}  // namespace

template <class Value>
TuneReport tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request) {
  const auto make_run = [&](const FftOptions& options) -> std::function<void()> {
    auto fft = std::make_shared<DenseFft<Value>>(comm, shape, options);
    auto field = std::make_shared<Field<Value>>(fft->allocate());
    return [fft, field] {
      fft->forward(*field);
      fft->backward(*field);
    };
  };
  return tune(comm, dense_transform(shape, letter_of<Value>()), shape, request, false, make_run);
}

template <class Value>
TuneReport tune_sphere(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                       const TuneRequest& request) {
  using Complex = typename SphereFft<Value>::Complex;
  std::vector<Complex> waves(mine.size() * static_cast<std::size_t>(request.bands), Complex(1));
  const auto make_run = [&](const FftOptions& options) -> std::function<void()> {
    auto fft = std::make_shared<SphereFft<Value>>(comm, shape, mine, options);
    return [fft, &waves, &request] {
      fft->round_trip(waves, waves, request.bands, [](std::int64_t, const Box&, const View<Value>&) {});
    };
  };
  const auto transform = sphere_transform(comm, shape, static_cast<std::int64_t>(mine.size()), letter_of<Value>());
  return tune(comm, transform, shape, request, true, make_run);
}

template TuneReport tune_dense<double>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport tune_dense<std::complex<double>>(const Communicator&, GridShape, const TuneRequest&);
template TuneReport tune_sphere<double>(const Communicator&, GridShape, std::span<const Miller>, const TuneRequest&);
template TuneReport tune_sphere<std::complex<double>>(const Communicator&, GridShape, std::span<const Miller>,
                                                      const TuneRequest&);

}  // namespace seiche
