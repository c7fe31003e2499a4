// SPDX-License-Identifier: BSD-3-Clause
/// \file  An exchange of point-to-point messages on a fixed schedule: in pieces, a bounded number in flight, each
/// packed when its turn comes. Between nodes pieces stay below what MPIs send eagerly (64 KiB): a larger message waits
/// for its receiver's clear-to-send, which queues behind what the receiver itself is sending, and the two directions of
/// a link then take turns instead of sharing it.
#include <sched.h>

#include <algorithm>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/handle.hpp"
#include "exchange/copy_patch.hpp"
#include "exchange/kinds.hpp"
#include "exchange/schedule.hpp"

namespace seiche {

namespace {

/// Requests of one kind that are in flight, each for one piece, with a buffer for those that need one.
class Lane {
 public:
  Lane(std::size_t width, std::size_t buffer_bytes)
      : requests_(width, MPI_REQUEST_NULL),
        pieces_(width),
        done_(width),
        buffers_(width * buffer_bytes),
        buffer_bytes_(buffer_bytes) {
    for (std::size_t i = 0; i < width; ++i) free_.push_back(width - 1 - i);
  }
  void begin(const std::vector<Piece>& pieces) {
    todo_ = &pieces;
    next_ = 0;
  }
  bool idle() const { return free_.size() == requests_.size() && (!todo_ || next_ == todo_->size()); }

  /// post(piece, buffer, request) as long as there is room. A piece counts as posted before it is: one that MPI faults
  /// is not posted again, or the pieces after it would be taken for each other.
  template <class Post>
  void fill(const Post& post) {
    while (todo_ && next_ < todo_->size() && !free_.empty()) {
      const std::size_t slot = free_.back();
      free_.pop_back();
      pieces_[slot] = &(*todo_)[next_++];
      post(*pieces_[slot], buffer(slot), &requests_[slot]);
    }
  }
  /// complete(piece, buffer) for those that MPI_Testsome finds done.
  template <class Complete>
  void reap(const Complete& complete) {
    if (free_.size() == requests_.size()) return;
    int found = 0;
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &found, done_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    for (int i = 0; i < std::max(found, 0); ++i) {
      const auto slot = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      complete(*pieces_[slot], buffer(slot));
      free_.push_back(slot);
    }
  }

 private:
  std::byte* buffer(std::size_t slot) { return buffers_.data() + slot * buffer_bytes_; }

  std::vector<MPI_Request> requests_;
  std::vector<const Piece*> pieces_;
  std::vector<int> done_;
  std::vector<std::size_t> free_;
  Bytes buffers_;
  std::size_t buffer_bytes_;
  const std::vector<Piece>* todo_ = nullptr;
  std::size_t next_ = 0;
};

/// One end of the route: its pieces, and where their values are.
struct End {
  const PieceLists& pieces;
  const std::vector<Patch>& patches;
  Bytes& memory;
};

Seat seat_of(const Communicator& comm) { return {comm.rank(), comm.size(), comm.on_one_node()}; }

class Pairwise : public Exchange {
 public:
  Pairwise(const Communicator& comm, const Form& form, Ends ends)
      : comm_(comm),
        form_(form),
        ends_(std::move(ends)),
        element_(element_type(form.sent_bytes())),
        tag_(comm.body().fresh_tag()),
        schedule_(seat_of(comm), ends_.route(), form),
        source_{schedule_.source, ends_.route().source, ends_.source_memory()},
        target_{schedule_.target, ends_.route().target, ends_.target_memory()},
        sends_(schedule_.sends, schedule_.buffer_bytes),
        receives_(schedule_.receives, schedule_.buffer_bytes) {}

  std::byte* source() override { return ends_.source(); }
  TargetPatch target(int rank) override { return ends_.target(rank); }

  void start(Toward toward, Payload payload) override {
    if (payload == Payload::release) return;
    from_ = toward == Toward::target ? &source_ : &target_;
    into_ = toward == Toward::target ? &target_ : &source_;
    receives_.begin(into_->pieces.in);
    sends_.begin(from_->pieces.out);
    post();
    keep_own();
  }
  bool poll() override {
    if (!into_) return true;
    sends_.reap([](const Piece&, std::byte*) {});
    receives_.reap([this](const Piece& piece, const std::byte* buffer) { arrive(piece, buffer); });
    post();
    return sends_.idle() && receives_.idle();
  }
  void finish() override {
    if (!into_) return;
    constexpr int polls_before_yield = 100;  // another rank may need this core to send what is waited for
    for (int polls = 0; !poll(); ++polls) {
      if (polls >= polls_before_yield) sched_yield();
    }
    into_ = nullptr;
  }

 private:
  /// Receives are posted before sends, so that what arrives finds its place.
  void post() {
    receives_.fill([this](const Piece& piece, std::byte* buffer, MPI_Request* request) {
      check(MPI_Irecv(into_->pieces.direct ? place(*into_, piece) : buffer, mpi_count(piece.part.size()),
                      element_.get(), piece.peer, tag_, comm_.get(), request),
            "MPI_Irecv");
    });
    sends_.fill([this](const Piece& piece, std::byte* buffer, MPI_Request* request) {
      if (!from_->pieces.direct) pack(from_->memory.data(), patch(*from_, piece), piece.part, buffer, form_);
      check(MPI_Isend(from_->pieces.direct ? place(*from_, piece) : buffer, mpi_count(piece.part.size()),
                      element_.get(), piece.peer, tag_, comm_.get(), request),
            "MPI_Isend");
    });
  }
  void arrive(const Piece& piece, const std::byte* buffer) {
    if (!into_->pieces.direct) unpack(buffer, patch(*into_, piece), piece.part, into_->memory.data(), form_);
  }
  /// What this rank has at both ends goes straight across, where it does not stay.
  void keep_own() {
    const auto me = static_cast<std::size_t>(comm_.rank());
    copy_patch(at(from_->memory, from_->patches[me].offset), from_->patches[me],
               at(into_->memory, into_->patches[me].offset), into_->patches[me], form_.bytes);
  }

  static const Patch& patch(const End& end, const Piece& piece) { return end.patches[piece.patch]; }
  std::byte* place(const End& end, const Piece& piece) const {
    return at(end.memory, patch(end, piece).offset + piece.part.low);
  }
  std::byte* at(Bytes& memory, std::int64_t offset) const {
    return memory.data() + static_cast<std::size_t>(offset) * form_.bytes;
  }

  Communicator comm_;
  Form form_;
  Ends ends_;
  DatatypeHandle element_;
  int tag_;
  Schedule schedule_;
  End source_, target_;
  Lane sends_, receives_;
  End *from_ = nullptr, *into_ = nullptr;
};

}  // namespace

std::size_t memory_of_pairwise(const Communicator& comm, const Route& route, const Form& form) {
  return Schedule(seat_of(comm), route, form).memory();
}

std::unique_ptr<Exchange> make_pairwise_exchange(const Communicator& comm, const Form& form, Ends ends) {
  return std::make_unique<Pairwise>(comm, form, std::move(ends));
}

}  // namespace seiche
