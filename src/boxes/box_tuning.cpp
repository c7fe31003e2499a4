// SPDX-License-Identifier: BSD-3-Clause
/// \file  Candidates for the autotuning of box exchanges.
#include "tuning/policy.hpp"

#include <complex>
#include <functional>
#include <memory>
#include <vector>

#include "boxes/box_work.hpp"
#include "comm/agree.hpp"
#include "layout/extent.hpp"
#include "seiche/boxes.hpp"
#include "support/require.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

/// Collective. Returns the first candidates, which include the defaults of this communicator.
std::vector<Policy> candidates_for(const Communicator& comm) {
  std::vector<Policy> all;
  for (const Policy& policy : first_policies(comm, usual_window)) {
    all.push_back(policy);
    if (policy.algorithm == Algorithm::shared) all.push_back({policy.algorithm, policy.progress, usual_window});
  }
  return all;
}

}  // namespace

template <class T>
TuneReport<BoxOptions> tune_boxes(const Communicator& comm, GridShape shape, std::span<const FieldArray> source,
                                  std::span<const FieldArray> target, std::int64_t fields, const TuneRequest& request) {
  std::vector<T> from, into;
  together(comm, "tune_boxes", [&](EqualArguments& same) {
    add_request(same, request);
    same.add("fields", fields);
    require(fields > 0, Fault::bad_argument, "boxes: tuning needs at least one field (got {})", fields);
    from.resize(extent(source, fields));
    into.resize(extent(target, fields));
  });
  const auto first = candidates_for(comm);
  const BoxExchange sample(comm, shape, source, target, {.policy = first.front()});
  const auto make_run = [&](const Policy& policy) -> std::function<void()> {
    return [&, exchange = std::make_shared<BoxExchange>(comm, shape, source, target, BoxOptions{.policy = policy})] {
      exchange->copy<T>(from, into, fields);
    };
  };
  const auto variations = [](const Policy& winner) { return varied(winner, {1, 2, usual_window, 5}); };
  const auto found = tune<Policy>(
      comm, {tuned_case(comm, work_of(sample, fields, sizeof(T)), 1), first, variations, make_run}, request);
  return {found.tuned_case, found.skew, {.policy = found.options}, found.trials};
}

#define SEICHE_TUNE_BOXES(T)                                                                                 \
  template TuneReport<BoxOptions> tune_boxes<T>(const Communicator&, GridShape, std::span<const FieldArray>, \
                                                std::span<const FieldArray>, std::int64_t, const TuneRequest&)
SEICHE_TUNE_BOXES(float);
SEICHE_TUNE_BOXES(double);
SEICHE_TUNE_BOXES(std::complex<float>);
SEICHE_TUNE_BOXES(std::complex<double>);

}  // namespace seiche
