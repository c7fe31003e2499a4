// SPDX-License-Identifier: BSD-3-Clause
/// \file  A wire of point-to-point messages on a fixed schedule, with a bounded number in flight.
#include <algorithm>
#include <cstring>
#include <deque>

#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/wire.hpp"

namespace seiche {

namespace {

/// Step s sends to the s-th next rank and receives from the s-th previous one, so no rank is flooded.
class Pairwise : public Wire {
 public:
  Pairwise(const Communicator& comm, std::size_t element, int in_flight)
      : comm_(comm), size_(element), element_(element_type(element)), tag_(comm.fresh_tag()), in_flight_(in_flight) {}

  void start(const std::byte* from, const Messages& send, std::byte* into, const Messages& receive) override {
    const auto me = static_cast<std::size_t>(comm_.rank());
    list(sends_, from, send, +1);
    list(receives_, into, receive, -1);
    if (send.count[me] > 0) std::memcpy(at(into, receive.offset[me]), at(from, send.offset[me]), bytes(send.count[me]));
    post();
  }

  bool poll() override {
    if (requests_.empty()) return true;
    int done = 0;
    indices_.resize(requests_.size());
    check(
        MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome");
    if (done > 0) retire();
    return requests_.empty();
  }

  void finish() override {
    while (!requests_.empty()) {
      int done = 0;
      indices_.resize(requests_.size());
      check(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data(),
                         MPI_STATUSES_IGNORE),
            "MPI_Waitsome");
      retire();
    }
  }

 private:
  struct Piece {
    std::byte* data;
    std::int64_t count;
    int peer;
  };

  std::size_t bytes(std::int64_t count) const { return static_cast<std::size_t>(count) * size_; }
  std::byte* at(const std::byte* base, std::int64_t offset) const {
    return const_cast<std::byte*>(base) + bytes(offset);
  }

  void list(std::deque<Piece>& pieces, const std::byte* base, const Messages& messages, int direction) {
    const int ranks = comm_.size();
    for (int step = 1; step < ranks; ++step) {
      const int peer = (comm_.rank() + direction * step + ranks) % ranks;
      std::int64_t offset = messages.offset[static_cast<std::size_t>(peer)];
      std::int64_t left = messages.count[static_cast<std::size_t>(peer)];
      for (; left > 0; left -= std::min(left, count_limit()), offset += count_limit()) {
        pieces.push_back({at(base, offset), std::min(left, count_limit()), peer});
      }
    }
  }

  /// Receives are posted before sends, so that what arrives finds its place.
  void post() {
    while (receiving_ < in_flight_ && !receives_.empty()) {
      const Piece piece = receives_.front();
      receives_.pop_front();
      check(MPI_Irecv(piece.data, mpi_count(piece.count), element_.get(), piece.peer, tag_, comm_.get(),
                      &requests_.emplace_back()),
            "MPI_Irecv");
      is_receive_.push_back(true);
      ++receiving_;
    }
    while (static_cast<int>(requests_.size()) - receiving_ < in_flight_ && !sends_.empty()) {
      const Piece piece = sends_.front();
      sends_.pop_front();
      check(MPI_Isend(piece.data, mpi_count(piece.count), element_.get(), piece.peer, tag_, comm_.get(),
                      &requests_.emplace_back()),
            "MPI_Isend");
      is_receive_.push_back(false);
    }
  }

  void retire() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) {
        receiving_ -= is_receive_[i] ? 1 : 0;
        continue;
      }
      requests_[kept] = requests_[i];
      is_receive_[kept++] = is_receive_[i];
    }
    requests_.resize(kept);
    is_receive_.resize(kept);
    post();
  }

  Communicator comm_;
  std::size_t size_;
  DatatypeHandle element_;
  int tag_, in_flight_, receiving_ = 0;
  std::deque<Piece> sends_, receives_;
  std::vector<MPI_Request> requests_;
  std::vector<bool> is_receive_;
  std::vector<int> indices_;
};

}  // namespace

std::unique_ptr<Wire> make_pairwise(const Communicator& comm, std::size_t element, int in_flight) {
  return std::make_unique<Pairwise>(comm, element, in_flight);
}

}  // namespace seiche
