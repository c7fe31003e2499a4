// SPDX-License-Identifier: BSD-3-Clause
#include "node_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "contest.hpp"
#include "predict/machine.hpp"
#include "rank_place.hpp"
#include "report.hpp"
#include "some_ranks.hpp"

namespace seiche::command {

namespace {

using Times = std::vector<std::vector<double>>;

constexpr double least_gap = 1.5;  // ratio of the times of the fastest slow link and of the slowest fast one

/// Returns the groups of nodes whose links take less than `slow`, or nothing if such links join different groups.
std::vector<int> groups_below(const Times& seconds, double slow) {
  std::vector<int> groups;
  int count = 0;
  for (const auto& row : seconds) {
    const auto before = row.begin() + static_cast<std::ptrdiff_t>(groups.size());
    const auto fast = std::find_if(row.begin(), before, [&](double time) { return time < slow; });
    groups.push_back(fast == before ? count++ : groups[static_cast<std::size_t>(fast - row.begin())]);
  }
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if ((groups[a] == groups[b]) != (seconds[a][b] < slow)) return {};
    }
  }
  return groups;
}

/// Returns the partner of a node in a round. In each round all nodes have different partners. A node without a partner
/// has itself.
int partner_of(int node, int nodes, int round) {
  const int last = nodes - 1 + nodes % 2;  // an odd number
  int partner = (round - node + last) % last;
  if (node == last) {
    partner = round * ((last + 1) / 2) % last;
  } else if (partner == node) {
    partner = last;
  }
  return partner < nodes ? partner : node;
}

/// Collective. Returns the least time of several in which this rank and another exchange a message, while others do.
double time_with(MPI_Comm comm, int partner, const std::vector<char>& sent, std::vector<char>& received) {
  const auto bytes = static_cast<int>(sent.size());
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    MPI_Sendrecv(sent.data(), bytes, MPI_BYTE, partner, 0, received.data(), bytes, MPI_BYTE, partner, 0, comm,
                 MPI_STATUS_IGNORE);
    least = std::min(least, MPI_Wtime() - start);
  }
  return least;
}

/// Collective. Returns the times between all ranks.
Times times_between(MPI_Comm comm, int me, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const std::vector<char> sent(1 << 20);
  std::vector<char> received(sent.size());
  std::vector<double> mine(n), all(n * n);
  for (int round = 0; round < ranks - 1 + ranks % 2; ++round) {
    const int partner = partner_of(me, ranks, round);
    mine[static_cast<std::size_t>(partner)] = time_with(comm, partner, sent, received);
  }
  MPI_Allgather(mine.data(), ranks, MPI_DOUBLE, all.data(), ranks, MPI_DOUBLE, comm);
  Times times;
  for (std::size_t a = 0; a < n; ++a) times.emplace_back(all.data() + a * n, all.data() + (a + 1) * n);
  return times;
}

}  // namespace

std::vector<int> groups_by_time(const Times& seconds) {
  std::vector<double> all;
  for (std::size_t a = 0; a < seconds.size(); ++a) all.insert(all.end(), seconds[a].data(), seconds[a].data() + a);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] < least_gap * all[i - 1]) continue;
    const auto groups = groups_below(seconds, all[i]);
    if (!groups.empty()) return groups;
  }
  return std::vector<int>(seconds.size());
}

void tune_topology(const Session& session, const std::string& path) {
  const RankPlace place(session);
  const SomeRanks leaders(session, place.in_node == 0);
  std::string text = "host group\n";
  int count = 0;
  if (leaders.has_me()) {
    int me = 0;
    MPI_Comm_rank(leaders.get(), &me);
    const auto names = names_of_hosts(leaders.get());
    const auto groups = groups_by_time(times_between(leaders.get(), me, place.nodes));
    for (std::size_t a = 0; a < names.size(); ++a) text += fmt::format("{} {}\n", names[a], groups[a]);
    count = 1 + *std::max_element(groups.begin(), groups.end());
  }
  sleep_until_all_are_here(session.comm);
  predict::write_text(session.comm, text, path);
  Report report(session);
  report.add("file", path, "written", path);
  report.add("nodes", place.nodes, "nodes", std::to_string(place.nodes));
  report.add("groups", count, "groups", std::to_string(count));
  report.say();
}

}  // namespace seiche::command
