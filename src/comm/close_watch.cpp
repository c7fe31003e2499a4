// SPDX-License-Identifier: BSD-3-Clause
/// \file  Detection of a collective close that some ranks do not call. Only builds with SEICHE_CHECKS contain it.
#ifdef SEICHE_CHECKS

#include <fmt/core.h>

#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "seiche/presence.hpp"
#include "support/environment.hpp"
#include "support/joined.hpp"
#include "support/require.hpp"
#include "support/text_number.hpp"

namespace seiche {

namespace {

constexpr int tag = 0;                // CommunicatorBody::fresh_tags() returns other tags
constexpr std::int64_t gave_up = -1;  // instead of a number: the rank has stopped waiting, and may try again

/// A message of one rank to another.
struct Word {
  std::int64_t closes;  // number of closes that the rank has completed
  std::int64_t number;  // number of the object to close
};
constexpr int word_size = 2;  // elements of MPI_INT64_T

std::optional<double> limit() {
  const std::string text = environment("SEICHE_CLOSE_LIMIT");
  if (text.empty()) return std::nullopt;
  const double seconds = number_in(text).value_or(0);
  require(seconds > 0, Fault::bad_argument,
          "SEICHE_CLOSE_LIMIT must be a positive number of seconds (got '{}'): set one, or unset it to wait without a "
          "limit",
          text);
  return seconds;
}

/// Sent messages that may not have been received yet. They outlive the threads that send them.
class Outbox {
 public:
  void send(const Communicator& comm, const Word& word) {
    const std::lock_guard lock(mutex_);
    sent_.remove_if([](Sent& one) { return one.done(); });
    Sent& sent = sent_.emplace_back(Sent{word, {}});
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank == comm.rank()) continue;
      check(MPI_Isend(&sent.word, word_size, MPI_INT64_T, rank, tag, comm.get(), &sent.requests.emplace_back()),
            "MPI_Isend");
    }
  }
  static Outbox& get() {
    static auto* one = new Outbox;  // never destroyed: MPI may read a message until it is finalized
    return *one;
  }

 private:
  struct Sent {
    Word word;
    std::vector<MPI_Request> requests;
    bool done() {
      int all = 0;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
      return all != 0;
    }
  };
  std::mutex mutex_;
  std::list<Sent> sent_;
};

/// Receives messages of other ranks. Messages about closes that this rank has completed are ignored.
void listen(const Communicator& comm) {
  auto& body = body_of(comm);
  for (int there = 1; there != 0;) {
    MPI_Status from;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.get(), &there, &from), "MPI_Iprobe");
    if (there == 0) return;
    Word word{};
    check(MPI_Recv(&word, word_size, MPI_INT64_T, from.MPI_SOURCE, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    if (word.closes < body.closes) continue;
    auto& arrived = body.arrived[static_cast<std::size_t>(from.MPI_SOURCE)];
    if (word.number == gave_up) {
      arrived.erase(word.closes);
    } else {
      arrived[word.closes] = word.number;
    }
  }
}

/// Returns the other ranks that have not reached the close for which this rank waits.
std::vector<int> absent(const Communicator& comm) {
  std::vector<int> ranks;
  const auto& body = body_of(comm);
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto& arrived = body.arrived[static_cast<std::size_t>(rank)];
    if (rank != comm.rank() && arrived.count(body.closes) == 0) ranks.push_back(rank);
  }
  return ranks;
}

void wait_for_all(const Communicator& comm, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (listen(comm); !absent(comm).empty(); listen(comm)) {
    if (Clock::now() > end) {
      Outbox::get().send(comm, {body_of(comm).closes, gave_up});
      throw Error(Fault::bad_argument,
                  fmt::format("close: rank{} {} did not call close within {} s (SEICHE_CLOSE_LIMIT): close plans, "
                              "fields and multipliers on all ranks",
                              absent(comm).size() > 1 ? "s" : "", joined(absent(comm), ", "), seconds));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace

void require_all_close(const Communicator& comm, std::int64_t number) {
  const auto seconds = limit();
  if (!seconds || mpi_state() != MpiState::running) return;
  auto& body = body_of(comm);
  body.arrived.resize(static_cast<std::size_t>(comm.size()));
  Outbox::get().send(comm, {body.closes, number});
  wait_for_all(comm, *seconds);
  std::vector<std::int64_t> numbers;
  for (int rank = 0; rank < comm.size(); ++rank) {
    auto& arrived = body.arrived[static_cast<std::size_t>(rank)];
    numbers.push_back(rank == comm.rank() ? number : arrived.at(body.closes));
    arrived.erase(body.closes);
  }
  ++body.closes;
  for (std::size_t rank = 1; rank < numbers.size(); ++rank) {
    require(numbers[rank] == numbers[0], Fault::bad_argument,
            "close: rank 0 closes object {} of its communicator, but rank {} closes object {}: close objects in the "
            "same order on all ranks",
            numbers[0], rank, numbers[rank]);
  }
}

}  // namespace seiche

#endif
