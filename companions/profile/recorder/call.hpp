// SPDX-License-Identifier: BSD-3-Clause
/// \file  One call of MPI, between entry and return of the wrapper. The generated wrappers pass their arguments here.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "recorder/communicators.hpp"
#include "recorder/recorder.hpp"
#include "recorder/requests.hpp"
#include "recorder/symbols.hpp"

namespace seiche::profile {

/// A handle as passed by Fortran.
template <class Handle>
struct Fortran {
  MPI_Fint* value;
};

struct CommRef {
  MPI_Comm comm;
  std::uint64_t key;
  CommRef(MPI_Comm c) : comm(c), key(key_of(c)) {}
  CommRef(MPI_Comm* c) : CommRef(*c) {}
  CommRef(Fortran<MPI_Comm> c) : CommRef(comm_from_fortran(*c.value)) {}
};

/// The requests of a caller. Handles of C and Fortran are different numbers in Open MPI; the caller completes requests
/// in the language that started them.
struct Requests {
  const MPI_Request* c = nullptr;
  const MPI_Fint* fortran = nullptr;
  std::uint64_t key(int i) const;  ///< 0 for no request
};
inline Requests all_of(const MPI_Request* requests) { return {requests, nullptr}; }
inline Requests all_of(Fortran<MPI_Request> requests) { return {nullptr, requests.value}; }

enum class Way : std::uint8_t { out, in };

struct Sync {
  Role role;
  int root;
  static constexpr Sync from(int root) { return {Role::from_root, root}; }
  static constexpr Sync to(int root) { return {Role::to_root, root}; }
  static const Sync all, prefix, none;
};
inline constexpr Sync Sync::all{Role::all, 0}, Sync::prefix{Role::prefix, 0}, Sync::none{Role::none, 0};

/// Counts of a caller: int, or MPI_Count in functions with large counts.
struct Counts {
  const int* small = nullptr;
  const MPI_Count* large = nullptr;
  Counts(const int* counts) : small(counts) {}
  Counts(const MPI_Count* counts) : large(counts) {}
  std::int64_t operator[](int i) const { return small != nullptr ? small[i] : static_cast<std::int64_t>(large[i]); }
};

/// Bytes for each rank of a communicator.
struct Blocks {
  Counts counts;
  const MPI_Datatype* types;  ///< one for all ranks, or null
  const MPI_Fint* fortran_types;
  MPI_Datatype type;
  std::int64_t operator[](int rank) const;
};

/// A call that is counted, and whose time is not measured.
class Query {
 public:
  Query(Function function, const void* address);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
};

/// MPI_Pcontrol: level 0 switches recording off, 1 and 2 on; the others have no effect.
void heed(int level);

class Call {
 public:
  Call(Function function, const void* address);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void goes();  ///< called before the MPI function
  bool ends();  ///< called after its return; returns whether this call is recorded
  bool is_noted() const { return noted_; }

  void begins();    ///< MPI_Init
  void finishes();  ///< MPI_Finalize
  void plain(std::int64_t bytes);
  void message(Way way, CommRef comm, int partner, int tag, std::int64_t bytes);
  void also(Way way, CommRef comm, int partner, int tag, std::int64_t bytes);  ///< the other half of a sendrecv
  void starts(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Requests request);
  void starts(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, const MPI_Request* request) {
    starts(way, comm, partner, tag, bytes, all_of(request));
  }
  void starts(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Fortran<MPI_Request> request) {
    starts(way, comm, partner, tag, bytes, all_of(request));
  }
  template <class Request>
  void prepares(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Request request) {
    prepare(way, comm, partner, tag, bytes, all_of(request));
  }
  void restarts(int n, Requests requests);
  void collective(Sync sync, CommRef comm, std::int64_t bytes);
  template <class Request>
  void starts_all(Sync sync, CommRef comm, std::int64_t bytes, Request request) {
    start_all(sync, comm, bytes, all_of(request));
  }

  int ranks(CommRef comm) { return members_of(comm.comm, comm.key).size; }
  int rank(CommRef comm) { return members_of(comm.comm, comm.key).rank; }
  bool is(CommRef comm, int rank) { return members_of(comm.comm, comm.key).rank == rank; }
  void to_all(CommRef comm, std::int64_t bytes);
  void to_one(CommRef comm, int rank, std::int64_t bytes);
  void to_each(CommRef comm, const Blocks& bytes);
  void pads(CommRef comm, const Blocks& bytes);

  void gives(CommRef comm,
             const Blocks& bytes);  ///< bytes that an all-to-all sends to each rank, before the call is recorded
  void gives_alike(CommRef comm, std::int64_t bytes);

  void makes(CommRef comm, CommRef made);
  void makes_some(CommRef made);
  void spawns(CommRef comm, int root, CommRef made);
  void makes_type(std::uint64_t hash) {
    made(hash);
    plain(0);
  }
  void makes_window(CommRef comm, std::uint64_t hash);
  void frees(CommRef comm);
  template <class Window>
  void puts(Window, int, std::int64_t bytes) {
    plain(bytes);
  }

  std::int64_t start() const { return start_; }

 private:
  friend class Waiting;
  Event event() const;
  void prepare(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Requests request);
  void start_all(Sync sync, CommRef comm, std::int64_t bytes, Requests request);
  void made(std::uint64_t result);
  void set_key(Event& event, Sync sync, Members& members);

  Function function_;
  const void* address_;
  bool noted_ = false, locked_ = false;
  std::int64_t start_ = 0, end_ = 0;
  std::uint32_t site_ = 0;
  std::int32_t gift_ = -1;  ///< index of the Gift from gives()
};

/// A call that may complete requests.
class Waiting {
 public:
  Waiting(Call& call, int n, Requests requests);
  /// \param all  whether all are complete according to the call; otherwise requests are complete whose handles MPI has
  /// reset
  void ends(bool all, Requests requests, const MPI_Status* status);
  void forgets();  ///< MPI_Request_free

 private:
  void complete(Pending& pending, const MPI_Status* status);
  Call& call_;
  int n_;
  std::vector<std::uint64_t>& before_;
};

}  // namespace seiche::profile
