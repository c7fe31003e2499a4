// SPDX-License-Identifier: BSD-3-Clause
/// \file  Divides waiting time by cause. A call waits from its entry to its return. Until the last partner has started
/// its part, it waits for a late partner. Afterwards progress is missing while a partner with a nonblocking operation
/// is outside of MPI, and for as long as this rank could have made progress before it started to wait. The remainder is
/// transfer time and work of MPI.
#include <algorithm>

#include "report/model.hpp"

namespace seiche::profile {

namespace {

/// An event on the common clock.
struct CallPart {
  std::uint64_t key;
  int rank;
  const Event* event;
  double start, enter, leave;
};

/// One call that waits, for one operation or for several.
struct Waited {
  int rank = 0, row = -1, culprit = -1;
  double enter = 0, leave = 0;
  double ready = -1e300;  ///< start of the last partner
  double absent = 0;      ///< seconds that a partner was outside of MPI while this call waited for it
  double chance = 0;      ///< seconds that this rank computed while all data could have moved
};

/// Returns the seconds between calls of MPI, from the start of a request that is polled.
double outside(const CallPart& part) { return (part.enter - part.start) / (1.0 + part.event->visits); }

/// Ranks refer to the communicator.
bool waits_for(const CallPart& mine, int my_rank, int other_rank) {
  switch (mine.event->role) {
    case Role::from_root:
      return other_rank == mine.event->peer;
    case Role::to_root:
      return my_rank == mine.event->peer || other_rank == mine.event->peer;
    case Role::prefix:
      return other_rank < my_rank;
    default:
      return true;
  }
}

class Matcher {
 public:
  explicit Matcher(Run& run) : run_(run) {
    for (std::size_t rank = 0; rank < run.records.size(); ++rank) {
      if (run.records[rank]) collect(**run.records[rank], static_cast<int>(rank));
    }
    std::sort(parts_.begin(), parts_.end(), [](const CallPart& a, const CallPart& b) { return a.key < b.key; });
  }

  void match() {
    for (std::size_t i = 0; i < parts_.size();) {
      std::size_t end = i;
      while (end < parts_.size() && parts_[end].key == parts_[i].key) ++end;
      if (end - i == partners(parts_[i])) meet(i, end);
      i = end;
    }
    std::sort(met_.begin(), met_.end(), [](const Met& a, const Met& b) {
      return a.mine->rank != b.mine->rank ? a.mine->rank < b.mine->rank : call_of(*a.mine) < call_of(*b.mine);
    });
    for (std::size_t i = 0; i < met_.size();) {
      std::size_t end = i;
      while (end < met_.size() && met_[end].mine->rank == met_[i].mine->rank &&
             call_of(*met_[end].mine) == call_of(*met_[i].mine))
        ++end;
      ascribe(wait_of(i, end));
      i = end;
    }
  }

 private:
  struct Met {
    const CallPart* mine;
    double ready;
    int culprit;
    std::size_t begin, end;  ///< range of the matched parts with computation between start and wait
  };

  void collect(const Record& record, int rank) {
    for (std::uint64_t i = 0; i < record.events; ++i) {
      const Event& event = record.event[i];
      if (event.key == 0) continue;
      parts_.push_back({event.key, rank, &event, common_time(record, event.start), common_time(record, event.enter),
                        common_time(record, event.leave)});
    }
  }

  /// Returns the identity of a joint completion: the number of the call that waits for requests, or the entry of the
  /// event.
  static std::uint64_t call_of(const CallPart& part) {
    return part.event->wait != 0 ? part.event->wait : (1ULL << 63) + static_cast<std::uint64_t>(part.event->enter);
  }

  const Communicator& communicator(const CallPart& part) const {
    return (*run_.records[static_cast<std::size_t>(part.rank)])->communicator[part.event->communicator];
  }

  std::size_t partners(const CallPart& part) const {
    if (part.event->role == Role::send || part.event->role == Role::receive) return 2;
    return static_cast<std::size_t>(communicator(part).size);
  }

  void meet(std::size_t begin, std::size_t end) {
    // Parts that may be absent come first; usually there are none.
    const auto first = parts_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = parts_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto absent = std::partition(first, last, [](const CallPart& part) { return outside(part) > 0; });
    const auto away = static_cast<std::size_t>(absent - parts_.begin());
    const bool all = std::all_of(first, last, [](const CallPart& part) { return part.event->role == Role::all; });
    const auto latest =
        std::max_element(first, last, [](const CallPart& a, const CallPart& b) { return a.start < b.start; });
    for (std::size_t i = begin; i < end; ++i) {
      Met met{&parts_[i], -1e300, -1, begin, away};
      const bool follows_latest = all && parts_.begin() + static_cast<std::ptrdiff_t>(i) != latest;
      if (follows_latest) {  // avoids quadratic cost for hundreds of ranks
        met.ready = latest->start;
        met.culprit = latest->rank;
      }
      for (std::size_t j = begin; j < end && !follows_latest; ++j) {
        if (i == j || !waits_for(parts_[i], communicator(parts_[i]).rank, communicator(parts_[j]).rank)) continue;
        if (parts_[j].start <= met.ready) continue;
        met.ready = parts_[j].start;
        met.culprit = parts_[j].rank;
      }
      met_.push_back(met);
    }
  }

  Waited wait_of(std::size_t begin, std::size_t end) const {
    const CallPart& first = *met_[begin].mine;
    Waited wait;
    wait.rank = first.rank;
    wait.row = run_.row_of_site[static_cast<std::size_t>(first.rank)][first.event->wait_site];
    wait.enter = first.enter;
    wait.leave = first.leave;
    double since = -1e300;  // time from which all data could move
    for (std::size_t i = begin; i < end; ++i) {
      since = std::max({since, met_[i].ready, met_[i].mine->start});
      if (met_[i].ready <= wait.ready || met_[i].ready >= wait.leave)
        continue;  // returned before the partner arrived, so that it did not wait
      wait.ready = met_[i].ready;
      wait.culprit = met_[i].culprit;
    }
    const double from = std::max(wait.enter, wait.ready);
    for (std::size_t i = begin; i < end; ++i) {
      wait.chance = std::max(wait.chance, std::min(wait.enter - since, outside(*met_[i].mine)));
      for (std::size_t j = met_[i].begin; j < met_[i].end; ++j) {
        const CallPart& other = parts_[j];
        const double together = std::min(other.enter, wait.leave) - std::max(other.start, from);
        if (other.rank != wait.rank) wait.absent = std::max(wait.absent, std::min(together, outside(other)));
      }
    }
    return wait;
  }

  void ascribe(const Waited& wait) {
    if (wait.row < 0) return;
    const double all = std::max(wait.leave - wait.enter, 0.0), late = std::clamp(wait.ready - wait.enter, 0.0, all);
    const double missing = std::min(all - late, wait.absent + wait.chance);
    Row& row = run_.rows[static_cast<std::size_t>(wait.row)];
    row.explained += all;
    row.wait.late += late;
    row.wait.missing += missing;
    row.wait.transport += all - late - missing;
    if (wait.culprit >= 0) row.late_for[static_cast<std::size_t>(wait.culprit)] += late;
  }

  Run& run_;
  std::vector<CallPart> parts_;
  std::vector<Met> met_;
};

}  // namespace

void split_waiting(Run& run) {
  constexpr double most_stood_for = 500;
  Matcher(run).match();
  for (Row& row : run.rows) {
    // If only some of the events were recorded, they represent all.
    const double stands_for = row.explained > 0 ? std::max(1.0, row.total() / row.explained) : 0;
    if (stands_for > 1 && stands_for < most_stood_for) {
      for (double* one : {&row.wait.late, &row.wait.missing, &row.wait.transport}) *one *= stands_for;
      for (double& one : row.late_for) one *= stands_for;
    }
    run.wait.late += row.wait.late;
    run.wait.missing += row.wait.missing;
    run.wait.transport += row.wait.transport;
    for (std::size_t r = 0; r < row.late_for.size(); ++r) run.late_for[r] += row.late_for[r];
  }
}

}  // namespace seiche::profile
