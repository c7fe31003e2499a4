// SPDX-License-Identifier: BSD-3-Clause
#include "bench_bound.hpp"

#include <fmt/core.h>

#include "contest.hpp"
#include "measured_links.hpp"
#include "predict/line_rates.hpp"
#include "seiche/error.hpp"

namespace seiche::command {

namespace {

constexpr double budget = 0.2;  // seconds for each rate

/// Returns the mean of what the ranks measure at the same time.
template <class Measure>
double together(const Session& session, const Measure& measure) {
  sleep_until_all_are_here(session.comm);
  double sum = measure();
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, session.comm);
  return sum / session.size;
}

}  // namespace

void require_bound(const BenchRequest& request) {
  const auto refuse = [](const std::string& what, const char* use) {
    throw Error(Fault::bad_argument, fmt::format("--of-bound has no rates for {}: use {}", what, use));
  };
  if (request.precision != "double") refuse("--precision " + request.precision, "--precision double");
  if (request.threads != 1) refuse(fmt::format("--threads {}", request.threads), "one process for each core");
  if (request.on_device()) refuse("--space cuda", "--space host");
}

predict::Bound measured_bound(const Session& session, const BoundedWork& work, LineLibrary library) {
  const RankPlace place(session);
  predict::BoundRates rates;
  rates.lines = [&](std::int64_t n) {
    return together(session, [&] { return predict::cached_line_rate(line_library(library), n, budget); });
  };
  rates.memory = [&](double arrays) {
    return together(session, [&] { return predict::measured_memory(arrays, budget); });
  };
  if (place.nodes > 1) {
    const double copy = together(session, [] { return predict::measured_copy(budget); });
    rates.between = link_between(session, place, copy, budget)->bandwidth;
  }
  const predict::Where where{session.size, place.nodes};
  const predict::LeastBytes bytes{largest(session.comm, work.bytes.moved), largest(session.comm, work.bytes.arrays)};
  return predict::bound_of(work.on(where), work.share, bytes, rates);
}

nlohmann::ordered_json fields_of(const predict::Bound& bound, double seconds) {
  return {{"seconds", bound.seconds()}, {"lines", bound.lines}, {"memory", bound.memory},
          {"links", bound.links},       {"bytes", bound.bytes}, {"share", bound.seconds() / seconds}};
}

}  // namespace seiche::command
