// SPDX-License-Identifier: BSD-3-Clause
/// \file  The all-to-alls of a run: sizes between all ranks, number of calls, and delays of arrival.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "report/advise.hpp"

namespace seiche::profile {

namespace {

bool is_all_to_all(std::uint32_t function) {
  switch (function) {
    case F_Alltoall:
    case F_Alltoallv:
    case F_Alltoallw:
    case F_Ialltoall:
    case F_Ialltoallv:
    case F_Ialltoallw:
      return true;
    default:
      return false;
  }
}

struct MessagePart {
  std::uint64_t key;
  int rank;
  const Event* event;
};

/// All-to-alls of the same ranks with the same sizes at the same call site.
struct Same {
  Group group;
  double calls = 0, seconds = 0;
};

/// Keyed by the row of the first rank, and by the sizes: (rank, index of the Gift).
using Known = std::map<std::tuple<int, std::vector<std::pair<int, int>>>, Same>;

std::vector<MessagePart> parts_of(const Run& run) {
  std::vector<MessagePart> parts;
  for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
    if (!run.records[rank]) continue;
    const Record& record = **run.records[rank];
    for (std::uint64_t i = 0; i < record.events; ++i) {
      const Event& event = record.event[i];
      if (event.key != 0 && event.role == Role::all && event.peer >= 0 &&
          is_all_to_all(record.site[event.site].function))
        parts.push_back({event.key, static_cast<int>(rank), &event});
    }
  }
  return parts;
}

const Gift& gift_of(const Run& run, const MessagePart& part) {
  return (*run.records[static_cast<std::size_t>(part.rank)])->gift[static_cast<std::size_t>(part.event->peer)];
}

/// Adds one all-to-all, whose parts are in the order of the communicator.
void add(const Run& run, const std::vector<MessagePart>& parts, Known& known) {
  const std::size_t size = parts.size();
  std::vector<std::pair<int, int>> who;
  for (const MessagePart& part : parts) who.emplace_back(part.rank, part.event->peer);
  const int row = run.row_of_site[static_cast<std::size_t>(parts[0].rank)][parts[0].event->site];
  Same& same = known[{row, who}];
  if (same.calls == 0) {
    same.group.late.resize(size);
    for (const MessagePart& part : parts) {
      const Record& record = **run.records[static_cast<std::size_t>(part.rank)];
      const auto first = record.gift_bytes.begin() + gift_of(run, part).first;
      same.group.ranks.push_back(part.rank);
      same.group.bytes.insert(same.group.bytes.end(), first, first + static_cast<std::ptrdiff_t>(size));
    }
  }
  double first = 1e300, last = -1e300, end = -1e300;
  std::vector<double> starts;
  for (const MessagePart& part : parts) {
    const Record& record = **run.records[static_cast<std::size_t>(part.rank)];
    starts.push_back(common_time(record, part.event->start));
    first = std::min(first, starts.back());
    last = std::max(last, starts.back());
    end = std::max(end, common_time(record, part.event->leave));
  }
  ++same.calls;
  same.seconds += std::max(end - last, 0.0);
  for (std::size_t i = 0; i < size; ++i) same.group.late[i] += starts[i] - first;
}

Known known_of(const Run& run) {
  std::vector<MessagePart> parts = parts_of(run);
  const auto place = [&](const MessagePart& part) { return gift_of(run, part).rank; };
  std::sort(parts.begin(), parts.end(), [&](const MessagePart& a, const MessagePart& b) {
    return a.key != b.key ? a.key < b.key : place(a) < place(b);
  });
  Known known;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end < parts.size() && parts[end].key == parts[i].key) ++end;
    const bool complete = static_cast<std::size_t>(gift_of(run, parts[i]).size) == end - i;
    if (complete)
      add(run, {parts.begin() + static_cast<std::ptrdiff_t>(i), parts.begin() + static_cast<std::ptrdiff_t>(end)},
          known);
    i = end;
  }
  return known;
}

bool apart(const Batch& batch, const Group& group) {
  std::set<int> taken;
  for (const Group& other : batch) taken.insert(other.ranks.begin(), other.ranks.end());
  return std::none_of(group.ranks.begin(), group.ranks.end(), [&](int rank) { return taken.contains(rank); });
}

/// Merges all-to-alls of one call site in groups without common ranks and with similar numbers of calls, which are
/// probably concurrent.
void join(const Same& same, int row, std::vector<Exchanged>& all) {
  for (Exchanged& other : all) {
    const bool alike = other.row == row && other.calls < 2 * same.calls && same.calls < 2 * other.calls;
    if (!alike || !apart(other.groups, same.group)) continue;
    other.groups.push_back(same.group);
    other.seconds = std::max(other.seconds, same.seconds);
    return;
  }
  all.push_back({row, same.calls, same.seconds, {same.group}});
}

/// Returns the number of calls per recorded event.
double stands_for(const Run& run) {
  double calls = 0, lost = 0;
  for (const auto& record : run.records) {
    calls += record ? static_cast<double>((*record)->calls) : 0;
    lost += record ? static_cast<double>((*record)->lost_events) : 0;
  }
  return calls / std::max(calls - lost, 1.0);
}

}  // namespace

std::vector<Exchanged> exchanges_of(const Run& run, std::size_t most) {
  std::vector<Exchanged> all;
  for (auto& [where, same] : known_of(run)) {
    Same mean = same;
    mean.seconds /= same.calls;
    for (double& late : mean.group.late) late /= same.calls;
    join(mean, std::get<0>(where), all);
  }
  for (Exchanged& one : all) one.calls *= stands_for(run);
  const auto cost = [](const Exchanged& one) { return one.calls * one.seconds; };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return cost(a) > cost(b); });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace seiche::profile
