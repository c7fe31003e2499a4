// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche profile --advise` runs this program on the ranks of the profiled program: it replays the all-to-alls
/// with the same sizes, delays and groups of ranks, by MPI as in the program and by each exchange algorithm of Seiche.
///
/// replay PLAN RESULT
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "exchange/exchange_interface.hpp"
#include "replay/replay_plan.hpp"
#include "seiche/error.hpp"

namespace seiche::profile {

namespace {

using Json = nlohmann::ordered_json;

/// The part of this rank in a batch; empty if it is in no group.
struct Part {
  std::optional<Communicator> comm;
  const Group* group = nullptr;
  int me = 0;
  double latest = 0;  ///< of the ranks of the group, seconds

  std::size_t size() const { return group->ranks.size(); }
  std::int64_t gives(std::size_t to) const { return group->bytes[static_cast<std::size_t>(me) * size() + to]; }
  std::int64_t gets(std::size_t from) const { return group->bytes[from * size() + static_cast<std::size_t>(me)]; }
};

/// Collective over all ranks.
Part part_of(const Batch& batch, int rank) {
  Part part;
  int colour = MPI_UNDEFINED, key = 0;
  for (std::size_t g = 0; g < batch.size(); ++g) {
    const auto at = std::find(batch[g].ranks.begin(), batch[g].ranks.end(), rank);
    if (at == batch[g].ranks.end()) continue;
    colour = static_cast<int>(g);
    key = static_cast<int>(at - batch[g].ranks.begin());
    part.group = &batch[g];
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
  if (comm == MPI_COMM_NULL) return part;
  part.comm.emplace(comm);
  part.me = key;
  part.latest = *std::max_element(part.group->late.begin(), part.group->late.end());
  return part;
}

/// One method for the exchanges of a batch: ready() before each call, go() is timed.
struct Mover {
  std::function<void()> ready, go;
  std::function<bool()> is_right;  ///< whether the received data equals the sent data
};

unsigned char mark(std::size_t from, std::size_t to) {
  return static_cast<unsigned char>(1 + (5 * from + 3 * to) % 250);
}

/// The method of the program: the collective of MPI.
Mover as_it_is(const Part& part) {
  struct State {
    std::vector<char> from, to;
    std::vector<int> give, give_at, get, get_at;
  };
  auto state = std::make_shared<State>();
  std::int64_t given = 0, got = 0;
  for (std::size_t q = 0; q < part.size(); ++q) {
    state->give.push_back(static_cast<int>(part.gives(q)));
    state->give_at.push_back(static_cast<int>(given));
    state->get.push_back(static_cast<int>(part.gets(q)));
    state->get_at.push_back(static_cast<int>(got));
    given += part.gives(q);
    got += part.gets(q);
    state->from.resize(static_cast<std::size_t>(given), static_cast<char>(mark(static_cast<std::size_t>(part.me), q)));
  }
  if (std::max(given, got) > INT32_MAX)
    throw Error(Fault::unsupported, "the number of bytes exceeds the limit of one MPI call");
  state->to.resize(static_cast<std::size_t>(got));
  const MPI_Comm comm = part.comm->get();
  const auto is_right = [state, &part] {
    std::size_t at = 0;
    for (std::size_t q = 0; q < part.size(); ++q) {
      for (std::int64_t i = 0; i < part.gets(q); ++i) {
        if (state->to[at++] != static_cast<char>(mark(q, static_cast<std::size_t>(part.me)))) return false;
      }
    }
    return true;
  };
  const auto go = [state, comm] {
    MPI_Alltoallv(state->from.data(), state->give.data(), state->give_at.data(), MPI_BYTE, state->to.data(),
                  state->get.data(), state->get_at.data(), MPI_BYTE, comm);
  };
  return {[] {}, go, is_right};
}

/// Collective over the ranks of the part. One of Seiche's exchange algorithms.
Mover with_algorithm(const Part& part, Algorithm algorithm) {
  const auto& bytes = part.group->bytes;
  const bool whole = std::all_of(bytes.begin(), bytes.end(), [](std::int64_t b) { return b % 8 == 0; });
  const std::int64_t element = whole ? 8 : 1;
  Route route;
  for (std::size_t q = 0; q < part.size(); ++q) {
    route.source.push_back(row_patch(route.source_size, part.gives(q) / element));
    route.target.push_back(row_patch(route.target_size, part.gets(q) / element));
    route.source_size += part.gives(q) / element;
    route.target_size += part.gets(q) / element;
  }
  std::shared_ptr<Exchange> exchange = make_exchange(
      *part.comm, route,
      {.algorithm = algorithm, .element = static_cast<std::size_t>(element), .target_memory = TargetMemory::own});
  std::byte* from = exchange->source();
  for (std::size_t q = 0; q < part.size(); ++q) {
    std::fill_n(from + route.source[q].offset * element, part.gives(q),
                static_cast<std::byte>(mark(static_cast<std::size_t>(part.me), q)));
  }
  const auto is_right = [exchange, &part, element] {
    for (std::size_t q = 0; q < part.size(); ++q) {
      const TargetPatch got = exchange->target(static_cast<int>(q));
      const auto wanted = static_cast<std::byte>(mark(q, static_cast<std::size_t>(part.me)));
      if (!std::all_of(got.data, got.data + got.patch.size() * element, [&](std::byte b) { return b == wanted; }))
        return false;
    }
    return true;
  };
  auto first = std::make_shared<bool>(true);
  const auto ready = [exchange, first] {
    if (!*first) exchange->start(Toward::source, Payload::release), exchange->finish();
    *first = false;
  };
  const auto go = [exchange] { exchange->start(Toward::target, Payload::values), exchange->finish(); };
  return {ready, go, is_right};
}

double largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/// Sleeps first, so that ranks that share cores leave them to ranks that exchange.
void be_late(double seconds) {
  constexpr double sleeps_too_long = 2e-4;
  const double until = MPI_Wtime() + seconds;
  if (seconds > sleeps_too_long) usleep(static_cast<useconds_t>(1e6 * (seconds - sleeps_too_long)));
  while (MPI_Wtime() < until) {
  }
}

/// Returns the seconds from the last arrival to the last return, of all groups of a batch.
double timed(const Part& part, const Mover& mover) {
  if (part.comm) mover.ready();
  MPI_Barrier(MPI_COMM_WORLD);
  if (!part.comm) return largest(0);
  const double start = MPI_Wtime();
  be_late(part.group->late[static_cast<std::size_t>(part.me)]);
  mover.go();
  return largest(MPI_Wtime() - start - part.latest);
}

/// The measurements of one method, or the reason why these ranks cannot use it.
struct Measured {
  std::vector<double> seconds;
  std::string obstacle;
};

/// Returns the first message of any rank on all ranks; "" if there is none.
std::string agreed(std::string mine) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int speaker = mine.empty() ? size : rank;
  MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (speaker == size) return "";
  mine.resize(512);
  MPI_Bcast(mine.data(), 512, MPI_CHAR, speaker, MPI_COMM_WORLD);
  return mine.c_str();
}

/// Collective over all ranks. Repeats the measurement for a fifth of a second.
void measure(const Part& part, const std::function<Mover()>& make, Measured& measured) {
  std::string fault;
  Mover mover;
  try {
    if (part.comm) mover = make();
  } catch (const Error& error) {
    fault = error.what();
  }
  measured.obstacle = agreed(fault);
  if (!measured.obstacle.empty()) return;
  const double first = timed(part, mover);
  measured.obstacle = agreed(part.comm && !mover.is_right() ? "the received bytes differ from the sent bytes" : "");
  if (!measured.obstacle.empty()) return;
  const int rounds = static_cast<int>(std::clamp(0.2 / std::max(first, 1e-6), 3.0, 60.0));
  for (int i = 0; i < rounds; ++i) measured.seconds.push_back(timed(part, mover));
}

/// Returns minimum, lower quartile, median and upper quartile.
std::vector<double> spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values[0], values[n / 4], values[n / 2], values[3 * n / 4]};
}

Json replayed(const Batch& batch, int rank) {
  const Part part = part_of(batch, rank);
  std::map<std::string, Measured> algorithms;
  for (int sweep = 0; sweep < 2; ++sweep) {  // other load of the machine varies
    measure(
        part, [&] { return as_it_is(part); }, algorithms[as_mpi_does]);
    for (const Algorithm algorithm : all_algorithms()) {
      if (algorithm != Algorithm::local)
        measure(
            part, [&] { return with_algorithm(part, algorithm); }, algorithms[std::string(name_of(algorithm))]);
    }
  }
  Json json{{"algorithms", Json::object()}, {"obstacles", Json::object()}};
  for (const auto& [name, measured] : algorithms) {
    if (measured.obstacle.empty())
      json["algorithms"][name] = spread(measured.seconds);
    else
      json["obstacles"][name] = measured.obstacle;
  }
  return json;
}

}  // namespace

}  // namespace seiche::profile

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    std::ifstream plan(argc > 2 ? argv[1] : "");
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const auto& batch : seiche::profile::read_plan(plan, size)) {
      results.push_back(seiche::profile::replayed(batch, rank));
    }
    if (rank == 0) std::ofstream(argv[2]) << results.dump() << "\n";
  } catch (const std::exception& error) {
    std::fprintf(stderr, "seiche profile --advise: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
