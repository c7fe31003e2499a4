// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times the functions of MPI that can exchange one message between each pair of ranks: collective,
/// point-to-point, persistent and one-sided. They alternate in rounds. Checks the received values. Prints one line of
/// JSON: the medians over the rounds, and their ranges, in microseconds for one exchange.
///
/// mechanisms [--bytes LIST] [--rounds N]      LIST: bytes of a message, separated by commas
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define SEICHE_ALLTOALLV_INIT MPI_Alltoallv_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define SEICHE_ALLTOALLV_INIT MPIX_Alltoallv_init
#endif

namespace {

/// Messages of equal size to and from all other ranks. No mechanism moves the part that stays on a rank.
struct Case {
  int bytes, rank = 0, ranks = 1;
  std::vector<char> out;
  std::vector<int> counts, offsets;

  explicit Case(int size) : bytes(size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out.resize(whole());
    for (int q = 0; q < ranks; ++q) {
      counts.push_back(q == rank ? 0 : bytes);
      offsets.push_back(q * bytes);
    }
  }
  std::size_t whole() const { return static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks); }
  std::size_t at(int peer) const { return static_cast<std::size_t>(bytes) * static_cast<std::size_t>(peer); }
  int later(int step) const { return (rank + step) % ranks; }
  int earlier(int step) const { return (rank - step + ranks) % ranks; }
};

/// Moves the messages of a case. Memory of an allocated window replaces the receive buffer.
class Mechanism {
 public:
  explicit Mechanism(const Case& given) : given_(given), buffer_(given.whole()), in_(buffer_.data()) {}
  virtual ~Mechanism() = default;
  virtual void run() = 0;
  char* in() { return in_; }

 protected:
  const Case& given_;
  std::vector<char> buffer_;
  char* in_;
};

class Alltoallv : public Mechanism {
 public:
  using Mechanism::Mechanism;
  void run() override {
    MPI_Alltoallv(given_.out.data(), given_.counts.data(), given_.offsets.data(), MPI_BYTE, in_, given_.counts.data(),
                  given_.offsets.data(), MPI_BYTE, MPI_COMM_WORLD);
  }
};

class Ialltoallv : public Mechanism {
 public:
  using Mechanism::Mechanism;
  void run() override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallv(given_.out.data(), given_.counts.data(), given_.offsets.data(), MPI_BYTE, in_, given_.counts.data(),
                   given_.offsets.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

class PointToPoint : public Mechanism {
 public:
  explicit PointToPoint(const Case& given) : Mechanism(given), requests_(2 * (given.counts.size() - 1)) {}
  void run() override {
    MPI_Request* next = requests_.data();
    for (int step = 1; step < given_.ranks; ++step) {
      const int peer = given_.earlier(step);
      MPI_Irecv(in_ + given_.at(peer), given_.bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, next++);
    }
    for (int step = 1; step < given_.ranks; ++step) {
      const int peer = given_.later(step);
      MPI_Isend(given_.out.data() + given_.at(peer), given_.bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, next++);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<MPI_Request> requests_;
};

/// Pieces that MPI libraries send without a handshake.
class PointToPointInPieces : public Mechanism {
 public:
  using Mechanism::Mechanism;
  void run() override {
    requests_.clear();
    for (int step = 1; step < given_.ranks; ++step) {
      const int from = given_.earlier(step), to = given_.later(step);
      for (int begin = 0; begin < given_.bytes; begin += piece) {
        const int count = std::min(piece, given_.bytes - begin);
        MPI_Irecv(in_ + given_.at(from) + begin, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests_.emplace_back());
        MPI_Isend(given_.out.data() + given_.at(to) + begin, count, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  &requests_.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int piece = 60 << 10;
  std::vector<MPI_Request> requests_;
};

class PersistentPointToPoint : public Mechanism {
 public:
  explicit PersistentPointToPoint(const Case& given) : Mechanism(given) {
    for (int step = 1; step < given_.ranks; ++step) {
      const int from = given_.earlier(step), to = given_.later(step);
      MPI_Recv_init(in_ + given_.at(from), given_.bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests_.emplace_back());
      MPI_Send_init(given_.out.data() + given_.at(to), given_.bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                    &requests_.emplace_back());
    }
  }
  ~PersistentPointToPoint() override {
    for (MPI_Request& one : requests_) MPI_Request_free(&one);
  }
  void run() override {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<MPI_Request> requests_;
};

#ifdef SEICHE_ALLTOALLV_INIT
class PersistentAlltoallv : public Mechanism {
 public:
  explicit PersistentAlltoallv(const Case& given) : Mechanism(given) {
    SEICHE_ALLTOALLV_INIT(given_.out.data(), given_.counts.data(), given_.offsets.data(), MPI_BYTE, in_,
                          given_.counts.data(), given_.offsets.data(), MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &request_);
  }
  ~PersistentAlltoallv() override { MPI_Request_free(&request_); }
  void run() override {
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};
#endif

/// Memory that other ranks put their messages into: the receive buffer, or memory from MPI.
class Window : public Mechanism {
 public:
  Window(const Case& given, bool allocated) : Mechanism(given) {
    const auto bytes = static_cast<MPI_Aint>(given.whole());
    if (allocated) {
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &in_, &window_);
    } else {
      MPI_Win_create(in_, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
    }
  }
  ~Window() override { MPI_Win_free(&window_); }

 protected:
  void put(int peer) {
    MPI_Put(given_.out.data() + given_.at(peer), given_.bytes, MPI_BYTE, peer,
            static_cast<MPI_Aint>(given_.at(given_.rank)), given_.bytes, MPI_BYTE, window_);
  }
  MPI_Win window_ = MPI_WIN_NULL;
};

class PutWithFences : public Window {
 public:
  using Window::Window;
  void run() override {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
    for (int step = 1; step < given_.ranks; ++step) put(given_.later(step));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
  }
};

/// A target announces that its memory is free, and receives a notification after the flush.
class PutWithFlush : public Window {
 public:
  PutWithFlush(const Case& given, bool allocated) : Window(given, allocated) { MPI_Win_lock_all(0, window_); }
  ~PutWithFlush() override { MPI_Win_unlock_all(window_); }
  void run() override {
    const int others = given_.ranks - 1;
    std::vector<MPI_Request> free_targets, others_done;
    for (int step = 1; step <= others; ++step) {
      MPI_Irecv(nullptr, 0, MPI_BYTE, given_.later(step), is_free, MPI_COMM_WORLD, &free_targets.emplace_back());
      MPI_Irecv(nullptr, 0, MPI_BYTE, given_.earlier(step), is_done, MPI_COMM_WORLD, &others_done.emplace_back());
      MPI_Isend(nullptr, 0, MPI_BYTE, given_.earlier(step), is_free, MPI_COMM_WORLD, &others_done.emplace_back());
    }
    for (int waited = 0; waited < others; ++waited) {
      int slot = 0;
      MPI_Waitany(others, free_targets.data(), &slot, MPI_STATUS_IGNORE);
      const int peer = given_.later(slot + 1);
      put(peer);
      MPI_Win_flush(peer, window_);
      MPI_Isend(nullptr, 0, MPI_BYTE, peer, is_done, MPI_COMM_WORLD, &others_done.emplace_back());
    }
    MPI_Waitall(static_cast<int>(others_done.size()), others_done.data(), MPI_STATUSES_IGNORE);
    MPI_Win_sync(window_);
  }

 private:
  static constexpr int is_free = 1, is_done = 2;
};

struct Named {
  const char* name;
  std::unique_ptr<Mechanism> mechanism;
  std::vector<double> microseconds;
};

std::vector<Named> all_mechanisms(const Case& given) {
  std::vector<Named> all;
  const auto add = [&](const char* name, std::unique_ptr<Mechanism> one) { all.push_back({name, std::move(one), {}}); };
  add("point-to-point", std::make_unique<PointToPoint>(given));
  add("point-to-point, pieces", std::make_unique<PointToPointInPieces>(given));
  add("persistent point-to-point", std::make_unique<PersistentPointToPoint>(given));
  add("MPI_Alltoallv", std::make_unique<Alltoallv>(given));
  add("MPI_Ialltoallv", std::make_unique<Ialltoallv>(given));
#ifdef SEICHE_ALLTOALLV_INIT
  add("persistent alltoallv", std::make_unique<PersistentAlltoallv>(given));
#endif
  add("put, fences", std::make_unique<PutWithFences>(given, false));
  add("put, fences, allocated", std::make_unique<PutWithFences>(given, true));
  add("put, flush", std::make_unique<PutWithFlush>(given, false));
  add("put, flush, allocated", std::make_unique<PutWithFlush>(given, true));
  return all;
}

double largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/// Returns the number of received bytes of all ranks that differ from what their senders wrote.
double wrong_bytes(Case& given, Named& one) {
  const auto value = [](int from, int to) { return static_cast<char>(1 + (7 * from + to) % 100); };
  for (int q = 0; q < given.ranks; ++q)
    std::fill_n(given.out.begin() + q * given.bytes, given.bytes, value(given.rank, q));
  std::fill_n(one.mechanism->in(), given.whole(), char{0});
  MPI_Barrier(MPI_COMM_WORLD);
  one.mechanism->run();
  double wrong = 0;
  for (int q = 0; q < given.ranks; ++q) {
    const char* message = one.mechanism->in() + given.at(q);
    wrong += q == given.rank
                 ? 0
                 : static_cast<double>(given.bytes - std::count(message, message + given.bytes, value(q, given.rank)));
  }
  return largest(wrong);
}

/// Returns microseconds of one exchange: those of the slowest rank, on average over some exchanges.
double timed(Mechanism& mechanism, int repeats) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) mechanism.run();
  return 1e6 * largest(MPI_Wtime() - start) / repeats;
}

/// Returns the number of exchanges that take about 10 ms, between 3 and 1000.
int repeats_for(Mechanism& mechanism) {
  constexpr double enough = 1e4;
  return static_cast<int>(std::clamp(enough / timed(mechanism, 3), 3.0, 1000.0));
}

void measure(int bytes, int rounds, bool last) {
  Case given(bytes);
  std::vector<Named> all = all_mechanisms(given);
  double wrong = 0;
  for (Named& one : all) wrong += wrong_bytes(given, one);
  const int repeats = repeats_for(*all.front().mechanism);
  for (int round = 0; round < rounds; ++round) {
    for (Named& one : all) one.microseconds.push_back(timed(*one.mechanism, repeats));
  }
  if (given.rank != 0) return;
  for (Named& one : all) {
    std::vector<double>& times = one.microseconds;
    std::sort(times.begin(), times.end());
    std::printf(
        "{\"bytes\":%d,\"mechanism\":\"%s\",\"median\":%.4g,\"least\":%.4g,\"most\":%.4g,\"repeats\":%d,\"wrong\":%.0f}"
        "%s",
        bytes, one.name, times[times.size() / 2], times.front(), times.back(), repeats, wrong,
        last && &one == &all.back() ? "" : ",");
  }
}

std::vector<int> numbers(const char* list) {
  std::vector<int> all;
  for (const char* next = list; *next != '\0';) {
    char* end = nullptr;
    all.push_back(static_cast<int>(std::strtol(next, &end, 10)));
    next = *end == ',' ? end + 1 : end;
    if (end == next && *end != '\0') std::exit(2);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> sizes{256, 4096, 32768, 262144, 1048576, 8388608};
  int rounds = 5, rank = 0, ranks = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--bytes") == 0) sizes = numbers(argv[i + 1]);
    if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::atoi(argv[i + 1]);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    std::fprintf(stderr, "one rank exchanges nothing: start at least two\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[std::strcspn(version, ",\n")] = '\0';
  std::replace(version, version + std::strlen(version), '\t', ' ');
  if (rank == 0) std::printf("{\"mpi\":\"%s\",\"ranks\":%d,\"rounds\":%d,\"rows\":[", version, ranks, rounds);
  for (const int& bytes : sizes) measure(bytes, rounds, &bytes == &sizes.back());
  if (rank == 0) std::printf("]}\n");
  MPI_Finalize();
  return 0;
}
