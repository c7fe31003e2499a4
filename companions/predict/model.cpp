// SPDX-License-Identifier: BSD-3-Clause
#include "predict/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fft/resolved_options.hpp"
#include "predict/links.hpp"

namespace seiche::predict {

namespace {

/// The time of the ranks of a node, in seconds of a core.
struct Spent {
  std::vector<double> beside, apart, lines, memory, cpu;
};

double seconds_of(const LinesOf& lines, const Machine& machine, const Computing& computing) {
  if (lines.operations == 0) return 0;
  const LineRates rates = rates_of(computing, lines.n);
  const bool cached = lines.footprint <= machine.cache;
  const double rate = cached ? (lines.columns ? rates.cached_columns : rates.cached_rows)
                             : (lines.columns ? rates.columns : rates.rows);
  return lines.operations / rate;
}

Spent spent_of(const Machine& machine, const Where& where, const NodeWork& work, const Links& links) {
  const Computing computing = machine.with(std::min<double>(where.ranks_of_node(), machine.cores));
  Spent spent;
  for (const Work& of : work.ranks) {
    double beside = 0, apart = 0;
    const auto add = [&](double seconds, double share) {
      apart += share * seconds;
      beside += (1 - share) * seconds;
    };
    for (const LinesOf& lines : of.lines) add(seconds_of(lines, machine, computing), lines.apart);
    spent.lines.push_back(beside + apart);
    double memory = 0;
    for (const CopiesOf& copies : of.copies) {
      const bool cached = copies.footprint <= machine.cache;
      const double seconds = copies.bytes / (cached ? computing.cached_copy : computing.copy);
      memory += seconds;
      add(seconds, copies.apart);
    }
    spent.memory.push_back(memory);
    spent.beside.push_back(beside);
    spent.apart.push_back(apart);
    spent.cpu.push_back(of.inside.bytes * links.inside.cpu + of.inside.messages * links.inside.message +
                        of.between.bytes * links.between.cpu + of.between.messages * links.between.message);
  }
  return spent;
}

std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

double wire_of(const NodeWork& work, const Links& links) {
  double inside = 0, between = 0;
  for (const Work& of : work.ranks) {
    inside = std::max(inside, of.inside.bytes);
    between += of.between.bytes;
  }
  return std::max(inside > 0 ? inside / links.inside.bandwidth : 0,
                  between > 0 ? between / links.between.bandwidth : 0);
}

/// Returns the share of the ranks with the most computation in the bytes that leave a node. Other ranks send before
/// these reach a blocking exchange.
double late_share(const NodeWork& work, const std::vector<double>& seconds) {
  const double most = seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
  double late = 0, all = 0;
  for (std::size_t r = 0; r < seconds.size(); ++r) {
    all += work.ranks[r].between.bytes;
    late += seconds[r] > 0.99 * most ? work.ranks[r].between.bytes : 0;
  }
  return all > 0 ? late / all : 1;
}

/// Returns the latency: for the first message of each exchange, and for a core if ranks outnumber cores.
double latency_of(const Machine& machine, const Where& where, const NodeWork& work, const Links& links) {
  if (where.ranks == 1) return 0;
  double exchanges = 0, signals = 0;
  for (const Work& of : work.ranks) {
    exchanges = std::max(exchanges, of.exchanges);
    signals = std::max(signals, of.signals);
  }
  const Link& far = links.farthest(where);
  const double rounds = work.agreements * rounds_of(where.ranks);
  const double others = std::max(0.0, where.ranks_of_node() / machine.cores - 1);
  const double waits = exchanges + signals + work.agreements;
  return (exchanges + rounds) * far.latency + signals * links.inside.latency + waits * others * machine.wake;
}

void divide(Parts& parts, double by) {
  for (double Parts::*part :
       {&Parts::lines, &Parts::memory, &Parts::cpu, &Parts::network, &Parts::latency, &Parts::disk}) {
    parts.*part /= by;
  }
}

}  // namespace

double on_cores(const std::vector<double>& seconds, double cores) {
  if (seconds.empty()) return 0;
  const double most = *std::max_element(seconds.begin(), seconds.end());
  return std::max(most, std::accumulate(seconds.begin(), seconds.end(), 0.0) / cores);
}

Prediction predicted(const Machine& machine, const Where& where, const NodeWork& work, bool overlapped, double items) {
  const Links links = links_of(machine, where);
  const Spent spent = spent_of(machine, where, work, links);
  const auto on = [&](const std::vector<double>& seconds) { return on_cores(seconds, machine.cores); };
  Prediction result;
  Parts& parts = result.parts;
  parts = {on(spent.lines), on(spent.memory), on(spent.cpu), wire_of(work, links)};
  parts.latency = latency_of(machine, where, work, links);
  const double apart = on(spent.apart), beside = on(spent.beside), busy = on(sum(spent.beside, spent.cpu));
  if (!overlapped || work.in_place) {
    const double network = parts.network * late_share(work, sum(spent.beside, spent.apart));
    result.seconds = apart + beside + std::max(network, parts.cpu) + parts.latency;
  } else if (work.settings.chunks.size() > 1) {
    result.seconds = apart + std::max(busy, parts.network) + parts.latency;
  } else {
    // only the exchange of the first band and only the computation of the last band have no overlap
    const double apart_from_others = std::min(busy, parts.network) + parts.latency;
    result.seconds = apart + std::max(busy, parts.network) + apart_from_others / std::max(items, 1.0);
  }
  const bool hidden = overlapped && !work.in_place && parts.network > busy;
  result.limited_by = longest_of(parts, hidden);
  for (const Work& of : work.ranks) {
    result.memory = std::max(result.memory, of.memory);
    result.bytes_sent = std::max(result.bytes_sent, of.bytes_sent);
  }
  result.seconds /= work.units;
  divide(parts, work.units);
  result.settings = settings_of(work.settings);
  return result;
}

}  // namespace seiche::predict
