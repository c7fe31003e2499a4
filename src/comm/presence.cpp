// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/presence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "support/environment.hpp"
#include "support/require.hpp"

namespace seiche {

MpiState mpi_state() noexcept {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return ended ? MpiState::ended : started ? MpiState::running : MpiState::not_started;
}

void require_mpi(Fault fault) {
  const MpiState state = mpi_state();
  require(state != MpiState::not_started, fault, "MPI is not started; call MPI_Init first");
  require(state != MpiState::ended, fault, "MPI has ended; do this before MPI_Finalize");
}

std::int64_t fresh_number(const Communicator& comm) { return ++comm.body().last_number; }

namespace {

constexpr int tag = 0;                // Communicator::Body::fresh_tag() gives others
constexpr std::int64_t gave_up = -1;  // follows the number that a rank waits with no more

std::optional<double> limit() {
  const std::string text = environment("SEICHE_CLOSE_LIMIT");
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  require(*end == 0 && seconds > 0, Fault::bad_argument,
          "SEICHE_CLOSE_LIMIT is {}; give seconds, or leave it unset to wait for ever", text);
  return seconds;
}

/// Sends a word to every other rank. Nobody waits for that: a rank that has not come may never take it.
void say(const Communicator& comm, std::int64_t word) {
  struct Sent {
    std::int64_t word;
    std::vector<MPI_Request> requests;
  };
  thread_local std::list<Sent> all;
  all.remove_if([](Sent& one) {
    int done = 0;
    MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
  Sent& sent = all.emplace_back(Sent{word, {}});
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank()) continue;
    check(MPI_Isend(&sent.word, 1, MPI_INT64_T, rank, tag, comm.get(), &sent.requests.emplace_back()), "MPI_Isend");
  }
}

/// Takes what others have said. A number that was given up again was never said.
void listen(const Communicator& comm) {
  for (int there = 1; there != 0;) {
    MPI_Status from;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm.get(), &there, &from), "MPI_Iprobe");
    if (there == 0) return;
    std::int64_t word = 0;
    check(MPI_Recv(&word, 1, MPI_INT64_T, from.MPI_SOURCE, tag, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    auto& said = comm.body().said[static_cast<std::size_t>(from.MPI_SOURCE)];
    word == gave_up ? said.pop_back() : said.push_back(word);
  }
}

/// Ranks other than this one that have said nothing.
std::vector<int> absent(const Communicator& comm) {
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank() && comm.body().said[static_cast<std::size_t>(rank)].empty()) ranks.push_back(rank);
  }
  return ranks;
}

void wait_for_all(const Communicator& comm, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (listen(comm); !absent(comm).empty(); listen(comm)) {
    if (Clock::now() > end) {
      say(comm, gave_up);
      throw Error(
          Fault::bad_argument,
          fmt::format("close: rank{} {} did not come within {} s, which SEICHE_CLOSE_LIMIT grants; close plans, "
                      "fields and multipliers on all ranks",
                      absent(comm).size() > 1 ? "s" : "", fmt::join(absent(comm), ", "), seconds));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace

void require_all_close(const Communicator& comm, std::int64_t number) {
  const auto seconds = limit();
  if (!seconds || mpi_state() != MpiState::running) return;
  auto& said = comm.body().said;
  said.resize(static_cast<std::size_t>(comm.size()));
  say(comm, number);
  wait_for_all(comm, *seconds);
  std::vector<std::int64_t> numbers;
  for (int rank = 0; rank < comm.size(); ++rank) {
    auto& words = said[static_cast<std::size_t>(rank)];
    numbers.push_back(rank == comm.rank() ? number : words.front());
    if (rank != comm.rank()) words.pop_front();
  }
  for (std::size_t rank = 1; rank < numbers.size(); ++rank) {
    require(numbers[rank] == numbers[0], Fault::bad_argument,
            "close: rank 0 closes what was made as number {} on its communicator, and rank {} number {}; close in the "
            "same order on all ranks",
            numbers[0], rank, numbers[rank]);
  }
}

}  // namespace seiche
