// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exchanges with point-to-point messages on a fixed schedule. Messages are split into pieces, with a bounded
/// number in flight. Each piece is packed when it is posted.
#include <sched.h>

#include <algorithm>
#include <span>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/handle.hpp"
#include "exchange/kinds.hpp"
#include "exchange/schedule.hpp"
#include "space/copy_patch.hpp"

namespace seiche {

namespace {

class Pairwise;

/// Requests of one kind (sends or receives) in flight, each for one piece, with a buffer if it needs one.
class RequestSlots {
 public:
  RequestSlots(std::span<MPI_Request> requests, std::size_t buffer_bytes)
      : requests_(requests),
        in_flight_(requests.size()),
        buffers_(requests.size() * buffer_bytes),
        buffer_bytes_(buffer_bytes) {
    for (std::size_t i = requests.size(); i > 0; --i) free_.push_back(i - 1);
  }
  struct OnePiece {
    Pairwise* exchange;
    const Piece* piece;
  };

  /// Appends pieces to the queue.
  void enter(Pairwise& exchange, const std::vector<Piece>& pieces) {
    if (!pieces.empty()) waiting_.push_back({&exchange, &pieces, 0});
  }
  /// Calls post(piece, buffer, request) while there are free requests. A piece leaves the queue before it is posted. It
  /// is not posted again after an MPI error, because the receiver would confuse the following pieces.
  template <class Post>
  void fill(const Post& post) {
    while (!waiting_.empty() && !free_.empty()) {
      Waiting& first = waiting_.front();
      const OnePiece next{first.exchange, &(*first.pieces)[first.next]};
      if (++first.next == first.pieces->size()) waiting_.erase(waiting_.begin());
      const std::size_t slot = free_.back();
      free_.pop_back();
      in_flight_[slot] = next;
      try {
        post(next, buffer(slot), &requests_[slot]);
      } catch (...) {
        if (requests_[slot] == MPI_REQUEST_NULL) drop(slot);
        throw;
      }
    }
  }
  std::size_t width() const { return requests_.size(); }
  const OnePiece& in_flight(std::size_t slot) const { return in_flight_[slot]; }
  std::byte* buffer(std::size_t slot) { return buffers_.data() + slot * buffer_bytes_; }
  void release(std::size_t slot) { free_.push_back(slot); }

 private:
  void drop(std::size_t slot);  // a piece that will not arrive

  struct Waiting {
    Pairwise* exchange;
    const std::vector<Piece>* pieces;
    std::size_t next;
  };
  std::span<MPI_Request> requests_;
  std::vector<OnePiece> in_flight_;
  std::vector<std::size_t> free_;
  aligned_vector<std::byte> buffers_;
  std::size_t buffer_bytes_;
  std::vector<Waiting> waiting_;
};

/// Messages in flight of all exchanges on parts of one route. They are tested together, because each test without a
/// result costs a system call.
class SharedRequests {
 public:
  explicit SharedRequests(const RequestLimits& sizes)
      : requests_(sizes.receives + sizes.sends, MPI_REQUEST_NULL),
        done_(requests_.size()),
        receives_(std::span(requests_).first(sizes.receives), sizes.buffer_bytes),
        sends_(std::span(requests_).subspan(sizes.receives), sizes.buffer_bytes) {}

  void enter(Pairwise& exchange, const PieceLists& from, const PieceLists& into) {
    receives_.enter(exchange, into.in);
    sends_.enter(exchange, from.out);
    post();
  }
  void test_requests();
  std::int64_t tests() const { return tests_; }

 private:
  void post();

  std::vector<MPI_Request> requests_;  // receives, sends
  std::vector<int> done_;
  RequestSlots receives_, sends_;
  std::int64_t tests_ = 0;
};

/// One end of the route: pieces, patches and memory.
struct PieceEnd {
  const PieceLists& pieces;
  const std::vector<Patch>& patches;
  std::byte* memory;
};

RankPosition position_of(const Communicator& comm) { return {comm.rank(), comm.size(), comm.on_one_node()}; }

class Pairwise : public Exchange {
 public:
  Pairwise(const Communicator& comm, int tag, const Form& form, Ends ends, Schedule schedule,
           std::shared_ptr<SharedRequests> requests)
      : comm_(comm),
        form_(form),
        ends_(std::move(ends)),
        element_(element_type(form.sent_bytes())),
        tag_(tag),
        schedule_(std::move(schedule)),
        source_{schedule_.source, ends_.route().source, ends_.source_memory()},
        target_{schedule_.target, ends_.route().target, ends_.target_memory()},
        requests_(std::move(requests)) {}

  std::byte* source() override { return ends_.source(); }
  TargetPatch target(int rank) override { return ends_.target(rank); }

  void start(Toward toward, Payload payload) override {
    if (payload == Payload::release) return;
    from_ = toward == Toward::target ? &source_ : &target_;
    into_ = toward == Toward::target ? &target_ : &source_;
    missing_ = from_->pieces.out.size() + into_->pieces.in.size();
    tests_at_last_poll_ = requests_->tests();
    requests_->enter(*this, from_->pieces, into_->pieces);
    keep_own();
  }
  /// The first of several exchanges that are polled one after another tests the requests of all.
  bool poll() override {
    if (missing_ > 0 && tests_at_last_poll_ == requests_->tests()) requests_->test_requests();
    tests_at_last_poll_ = requests_->tests();
    return missing_ == 0;
  }
  void finish() override {
    constexpr int tests_before_yield = 100;  // another rank may need this core to send
    for (int tests = 0; missing_ > 0; ++tests) {
      requests_->test_requests();
      if (tests >= tests_before_yield) sched_yield();
    }
  }

  void receive(const Piece& piece, std::byte* buffer, MPI_Request* request) {
    check(MPI_Irecv(into_->pieces.direct ? place(*into_, piece) : buffer, mpi_count(piece.part.size()), element_.get(),
                    piece.peer, tag_, comm_.get(), request),
          "MPI_Irecv");
  }
  void send(const Piece& piece, std::byte* buffer, MPI_Request* request) {
    if (!from_->pieces.direct) pack(from_->memory, patch(*from_, piece), piece.part, buffer, form_);
    check(MPI_Isend(from_->pieces.direct ? place(*from_, piece) : buffer, mpi_count(piece.part.size()), element_.get(),
                    piece.peer, tag_, comm_.get(), request),
          "MPI_Isend");
  }
  void done() { --missing_; }
  void received(const Piece& piece, const std::byte* buffer) {
    if (!into_->pieces.direct) unpack(buffer, patch(*into_, piece), piece.part, into_->memory, form_);
    done();
  }

 private:
  /// Copies the elements that stay on this rank.
  void keep_own() {
    const auto me = static_cast<std::size_t>(comm_.rank());
    copy_patch(at(from_->memory, from_->patches[me].offset), from_->patches[me],
               at(into_->memory, into_->patches[me].offset), into_->patches[me], form_.bytes);
  }

  static const Patch& patch(const PieceEnd& end, const Piece& piece) { return end.patches[piece.patch]; }
  std::byte* place(const PieceEnd& end, const Piece& piece) const {
    return at(end.memory, patch(end, piece).offset + piece.part.low);
  }
  std::byte* at(std::byte* memory, std::int64_t offset) const {
    return memory + static_cast<std::size_t>(offset) * form_.bytes;
  }

  Communicator comm_;
  Form form_;
  Ends ends_;
  DatatypeHandle element_;
  int tag_;
  Schedule schedule_;
  PieceEnd source_, target_;
  std::shared_ptr<SharedRequests> requests_;
  PieceEnd *from_ = nullptr, *into_ = nullptr;
  std::size_t missing_ = 0;              // pieces in the queue or in flight
  std::int64_t tests_at_last_poll_ = 0;  // number of tests at the last poll
};

void RequestSlots::drop(std::size_t slot) {
  in_flight_[slot].exchange->done();
  release(slot);
}

/// Posts receives before sends, so that incoming messages have a buffer.
void SharedRequests::post() {
  receives_.fill([](const RequestSlots::OnePiece& next, std::byte* buffer, MPI_Request* request) {
    next.exchange->receive(*next.piece, buffer, request);
  });
  sends_.fill([](const RequestSlots::OnePiece& next, std::byte* buffer, MPI_Request* request) {
    next.exchange->send(*next.piece, buffer, request);
  });
}

void SharedRequests::test_requests() {
  ++tests_;
  int found = 0;
  check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &found, done_.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  const std::size_t receives = receives_.width();
  for (int i = 0; i < std::max(found, 0); ++i) {
    const auto slot = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
    const bool send = slot >= receives;
    RequestSlots& slots = send ? sends_ : receives_;
    const std::size_t here = send ? slot - receives : slot;
    const auto [exchange, piece] = slots.in_flight(here);
    send ? exchange->done() : exchange->received(*piece, slots.buffer(here));
    slots.release(here);
  }
  post();
}

std::vector<Schedule> schedules_of(const Communicator& comm, std::span<const Ends> ends, const Form& form) {
  std::vector<Schedule> schedules;
  for (const Ends& one : ends) schedules.emplace_back(position_of(comm), one.route(), form);
  return schedules;
}

}  // namespace

std::size_t memory_of_pairwise(const Communicator& comm, std::span<const Ends> ends, const Form& form) {
  return RequestLimits(schedules_of(comm, ends, form), form).memory();
}

std::vector<std::unique_ptr<Exchange>> pairwise_exchanges(const Communicator& comm, int first_tag, const Form& form,
                                                          std::vector<Ends> ends) {
  std::vector<Schedule> schedules = schedules_of(comm, ends, form);
  const auto requests = std::make_shared<SharedRequests>(RequestLimits(schedules, form));
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    exchanges.push_back(std::make_unique<Pairwise>(comm, first_tag + static_cast<int>(i), form, std::move(ends[i]),
                                                   std::move(schedules[i]), requests));
  }
  return exchanges;
}

}  // namespace seiche
