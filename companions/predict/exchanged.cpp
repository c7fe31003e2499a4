// SPDX-License-Identifier: BSD-3-Clause
#include "predict/exchanged.hpp"

#include <algorithm>

#include "exchange/ends.hpp"
#include "support/require.hpp"
#include "tuning/policy.hpp"

namespace seiche::predict {

namespace {

constexpr Form form{element_size, false};

bool on_one_node(const Where& where, const std::vector<int>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&](int r) { return where.node_of(r) == where.node_of(ranks[0]); });
}

std::int64_t values_of(const std::vector<Patch>& patches) {
  std::int64_t values = 0;
  for (const Patch& patch : patches) values += patch.size();
  return values;
}

/// Adds the messages of one side: pieces, or one per partner for a collective.
void add_messages(Work& work, const std::vector<Piece>& pieces, bool whole, const Among& among, const Where& where) {
  const int here = where.node_of(among.ranks[static_cast<std::size_t>(among.me)]);
  for (const Piece& piece : pieces) {
    const int there = where.node_of(among.ranks[static_cast<std::size_t>(piece.peer)]);
    Sent& sent = there == here ? work.inside : work.between;
    sent.bytes += bytes_of_elements(piece.part.size());
    sent.messages += whole && piece.part.low > 0 ? 0 : 1;
  }
}

/// Adds one part of the exchange. \return bytes copied
double add_part(Work& work, const Among& among, const Route& route, const Schedule& schedule, bool whole,
                const Where& where) {
  double copied = 0;
  for (const PieceLists* end : {&schedule.source, &schedule.target}) {
    add_messages(work, end->out, whole, among, where);
    const bool packed = !end->direct;
    const auto& patches = end == &schedule.source ? route.source : route.target;
    const std::int64_t own = patches[static_cast<std::size_t>(among.me)].size(), others = values_of(patches) - own;
    copied += bytes_of_elements(own) +
              (packed ? 2 * bytes_of_elements(others) : 0);  // packed in one direction, unpacked in the other
    if (whole && packed) work.memory += element_size * (own + others);
  }
  work.bytes_sent += element_size * route.leaving(among.me);
  return copied;
}

/// Adds an exchange by messages, forward and backward. \return bytes copied
double add_parts(Work& work, const Leg& leg, Algorithm way, const Where& where) {
  const Among& among = leg.among;
  const RankPosition position{among.me, static_cast<int>(among.ranks.size()), on_one_node(where, among.ranks)};
  const bool whole = way != Algorithm::pairwise;
  std::vector<Schedule> schedules;
  double copied = 0;
  for (const Ends& part : ends_of(leg.parts, among.me, {.target_memory = leg.target_memory})) {
    schedules.emplace_back(position, part.route(), form);
    copied += add_part(work, among, part.route(), schedules.back(), whole, where);
  }
  if (!whole) work.memory += static_cast<std::int64_t>(RequestLimits(schedules, form).memory());
  return copied;
}

}  // namespace

Where filled_nodes(int ranks, int each) { return {ranks, (ranks + each - 1) / each, each}; }

void require_sound(const Where& where) {
  require(where.ranks > 0, Fault::bad_argument,
          "the number of ranks must be positive (got {}): give for example --ranks 1,2,4 or 1:384", where.ranks);
  require(where.nodes > 0 && where.nodes <= where.ranks, Fault::bad_argument,
          "{} nodes for {} ranks: give at least one node and at most as many nodes as ranks", where.nodes, where.ranks);
}

Algorithm way_of(const FftOptions& options, const Where& where, const Among& among) {
  const bool alone = among.ranks.size() == 1 && where.ranks > 1;
  const bool inside = where.nodes > 1 && on_one_node(where, among.ranks);
  return algorithm_among(options.policy.algorithm, alone, inside);
}

void add_leg(Work& work, const Leg& leg, Algorithm way, const Where& where, int slots) {
  const Route& whole = leg.parts.front();
  Work one;
  CopiesOf copies{0, bytes_of_elements(whole.source_size + whole.target_size), 0};
  one.memory = element_size * whole.source_size;
  if (way == Algorithm::shared) {
    one.signals = 2;
    if (leg.target_memory == TargetMemory::own) {
      one.memory += element_size * whole.target_size;
      for (const Route& part : leg.parts) copies.bytes += 2 * bytes_of_elements(values_of(part.target));
    }
    for (const Route& part : leg.parts) one.bytes_sent += element_size * part.leaving(leg.among.me);
  } else {
    one.memory += element_size * whole.target_size;
    one.exchanges = 2;
    copies.bytes = add_parts(one, leg, way, where);
    if (leg.parts.size() > 1) copies.apart = 1 / static_cast<double>(leg.parts.size());
  }
  if (copies.bytes > 0) work.copies.push_back(copies);
  for (auto sent : {&Work::inside, &Work::between}) {
    (work.*sent).bytes += (one.*sent).bytes;
    (work.*sent).messages += (one.*sent).messages;
  }
  work.exchanges += one.exchanges;
  work.signals += one.signals;
  work.memory += slots * one.memory;
  work.bytes_sent += one.bytes_sent;
}

FftOptions with_defaults(const FftOptions& asked, const Where& where) {
  FftOptions options = asked;
  Policy& policy = options.policy;
  const bool one_node = where.nodes == 1;
  if (policy.algorithm == Algorithm::automatic) policy.algorithm = one_node ? Algorithm::shared : Algorithm::pairwise;
  require(one_node || policy.algorithm != Algorithm::shared, Fault::bad_argument,
          "the exchange algorithm 'shared' needs all ranks on one node (got {} nodes): use automatic, pairwise or "
          "alltoallv",
          where.nodes);
  const bool alike = where.ranks == where.nodes * where.ranks_of_node();
  return with_window(with_band_groups(options, where.ranks, alike ? where.nodes : 1));
}

}  // namespace seiche::predict
