// SPDX-License-Identifier: BSD-3-Clause
/// \file  A transport in two levels. The ranks of a node put their messages into shared memory. One rank per node pair
/// sends one message between two nodes. For n ranks per node there are fewer and longer messages by a factor of n^2
/// (Traff and Rougier, 2014).
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/handle.hpp"
#include "exchange/transport.hpp"
#include "seiche/layout.hpp"
#include "space/shared_window.hpp"

namespace seiche {

namespace {

/// Ranks of each node. Nodes are ordered by their first ranks.
struct Nodes {
  std::vector<std::vector<int>> ranks;
  std::vector<std::size_t> node_of;  // by rank
  std::size_t mine = 0;

  Nodes(const Communicator& comm, const Communicator& node) {
    const std::int64_t first = bounds(node, comm.rank()).first;
    const auto firsts = gather_all(comm, first);
    std::vector<std::int64_t> distinct = firsts;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    ranks.resize(distinct.size());
    for (std::size_t r = 0; r < firsts.size(); ++r) {
      const auto found = std::lower_bound(distinct.begin(), distinct.end(), firsts[r]);
      node_of.push_back(static_cast<std::size_t>(found - distinct.begin()));
      ranks[node_of.back()].push_back(static_cast<int>(r));
    }
    mine = node_of[static_cast<std::size_t>(comm.rank())];
  }
};

/// Messages of a node's ranks at one end, in contiguous shared memory. There is a section per node. Messages in a
/// section are ordered by source rank, then by target rank. So the sender and the receiver have the same layout of a
/// section.
class NodeMessages {
 public:
  /// Collective over `node`. `source`: whether this is the source end.
  NodeMessages(const Communicator& node, const Nodes& nodes, const Messages& messages, bool source)
      : end_(&messages), place_(messages.count.size()) {
    const auto counts = join_all(node, messages.count);  // [rank of the node][rank]
    const std::size_t locals = nodes.ranks[nodes.mine].size(), me = static_cast<std::size_t>(node.rank());
    for (const auto& others : nodes.ranks) {
      const std::int64_t begin = size_;
      const auto add = [&](std::size_t local, int other) {
        const auto q = static_cast<std::size_t>(other);
        if (local == me) place_[q] = size_;
        size_ += counts[local * place_.size() + q];
      };
      for (std::size_t local = 0; source && local < locals; ++local) {
        for (const int other : others) add(local, other);
      }
      for (std::size_t o = 0; !source && o < others.size(); ++o) {
        for (std::size_t local = 0; local < locals; ++local) add(local, others[o]);
      }
      sections_.push_back({begin, size_});
    }
  }

  const Messages& end() const { return *end_; }
  std::int64_t size() const { return size_; }
  std::int64_t place(std::size_t rank) const { return place_[rank]; }
  const Range& section(std::size_t node) const { return sections_[node]; }

 private:
  const Messages* end_;
  std::vector<std::int64_t> place_;  // position of this rank's message to or from each rank, in elements
  std::vector<Range> sections_;      // by node
  std::int64_t size_ = 0;
};

class TwoLevel : public Transport {
 public:
  TwoLevel(const Communicator& comm, std::size_t element, const Messages& source, const Messages& target)
      : comm_(comm),
        node_(comm.node()),
        nodes_(comm, node_),
        element_(element_type(element)),
        bytes_(element),
        tag_(body_of(comm).fresh_tags()),
        source_(node_, nodes_, source, true),
        target_(node_, nodes_, target, false) {
    const bool first = node_.rank() == 0;
    together(comm, [&] {  // an error concerns all ranks of a node; the other nodes must get it, too
      window_.emplace(node_, SharedWindow::Sizes{first ? bytes(source_.size()) : 0, first ? bytes(target_.size()) : 0},
                      3);
    });
  }

  void start(const Messages& from, const Messages& /*into*/) override {
    const bool to_target = &from == &source_.end();
    from_ = to_target ? &source_ : &target_;
    into_ = to_target ? &target_ : &source_;
    from_memory_ = window_->part(to_target ? 0 : 1, 0);
    into_memory_ = window_->part(to_target ? 1 : 0, 0);
    ++turn_;
    step_ = Step::lay_out;
    poll();
  }

  bool poll() override {
    if (step_ == Step::lay_out && all_came_to(taken, turn_ - 1)) {
      lay_out();
      come_to(laid_out);
      step_ = Step::send;
    }
    if (step_ == Step::send && all_came_to(laid_out, turn_)) {
      step_ = Step::carry;
      post();
    }
    if (step_ == Step::carry && requests_done()) {
      come_to(carried);
      step_ = Step::arrive;
    }
    return step_ == Step::none || (step_ == Step::arrive && all_came_to(carried, turn_));
  }

  void finish() override {
    if (step_ == Step::none) return;
    constexpr int polls_before_yield = 100;
    for (int polls = 0; !poll(); ++polls) {
      if (polls >= polls_before_yield) sched_yield();
    }
    take();
    come_to(taken);
    step_ = Step::none;
  }

 private:
  /// Next step of a rank in an exchange, and the points that all ranks of the node must have reached before.
  enum class Step { none, lay_out, send, carry, arrive };
  enum Point : std::size_t { laid_out, carried, taken };

  void come_to(Point point) { window_->turns(point)[node_.rank()].count.store(turn_, std::memory_order_release); }
  bool all_came_to(Point point, std::int64_t turn) const {
    const Turn* turns = window_->turns(point);
    return std::all_of(turns, turns + node_.size(),
                       [&](const Turn& one) { return one.count.load(std::memory_order_acquire) >= turn; });
  }

  std::size_t bytes(std::int64_t elements) const { return static_cast<std::size_t>(elements) * bytes_; }

  void lay_out() {
    const Messages& messages = from_->end();
    for (std::size_t q = 0; q < messages.count.size(); ++q) {
      copy(messages.buffer + bytes(messages.offset[q]), from_memory_ + bytes(from_->place(q)), messages.count[q]);
    }
  }
  void take() {
    const Messages& messages = into_->end();
    for (std::size_t q = 0; q < messages.count.size(); ++q) {
      // a section within the node is not sent: it has the same layout at both ends
      const std::byte* memory = nodes_.node_of[q] == nodes_.mine ? own_section() : into_memory_;
      copy(memory + bytes(into_->place(q)), messages.buffer + bytes(messages.offset[q]), messages.count[q]);
    }
  }
  /// Base address of messages within the node, for positions at the receiving end.
  const std::byte* own_section() const {
    return from_memory_ + bytes(from_->section(nodes_.mine).low) - bytes(into_->section(nodes_.mine).low);
  }
  void copy(const std::byte* from, std::byte* into, std::int64_t elements) const {
    if (elements > 0) std::memcpy(into, from, bytes(elements));
  }

  /// Posts sends and receives of messages between nodes by this rank. All are posted even after an error, because other
  /// ranks wait for them.
  void post() {
    requests_.clear();
    std::optional<Error> fault;
    const auto note = [&](int code, const char* call) {
      const auto now = fault_of([&] { check(code, call); });
      if (!fault) fault = now;
    };
    const auto local = static_cast<std::size_t>(node_.rank()), locals = static_cast<std::size_t>(node_.size());
    for (std::size_t other = 0; other < nodes_.ranks.size(); ++other) {
      if (other == nodes_.mine || other % locals != local) continue;
      const auto& theirs = nodes_.ranks[other];
      const int peer = theirs[nodes_.mine % theirs.size()];
      each_piece(into_->section(other), [&](std::int64_t first, int count) {
        note(MPI_Irecv(into_memory_ + bytes(first), count, element_.get(), peer, tag_, comm_.get(),
                       &requests_.emplace_back(MPI_REQUEST_NULL)),
             "MPI_Irecv");
      });
      each_piece(from_->section(other), [&](std::int64_t first, int count) {
        note(MPI_Isend(from_memory_ + bytes(first), count, element_.get(), peer, tag_, comm_.get(),
                       &requests_.emplace_back(MPI_REQUEST_NULL)),
             "MPI_Isend");
      });
    }
    if (fault) throw Error(*fault);
  }
  template <class Visit>
  static void each_piece(const Range& section, const Visit& visit) {
    for (std::int64_t first = section.low; first < section.high; first += count_limit()) {
      visit(first, mpi_count(std::min(section.high - first, count_limit())));
    }
  }
  bool requests_done() {
    int done = 1;
    if (!requests_.empty()) {
      check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
    }
    return done != 0;
  }

  Communicator comm_, node_;
  Nodes nodes_;
  DatatypeHandle element_;
  std::size_t bytes_;
  int tag_;
  NodeMessages source_, target_;
  std::optional<SharedWindow> window_;
  std::vector<MPI_Request> requests_;
  Step step_ = Step::none;
  std::int64_t turn_ = 0;
  const NodeMessages *from_ = nullptr, *into_ = nullptr;
  std::byte *from_memory_ = nullptr, *into_memory_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> make_two_level(const Communicator& comm, std::size_t element, const Messages& source,
                                          const Messages& target) {
  return std::make_unique<TwoLevel>(comm, element, source, target);
}

}  // namespace seiche
