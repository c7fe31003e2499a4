// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/call.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace seiche::profile {

namespace {

thread_local int depth = 0;  // MPI libraries may call their own public functions
std::atomic_flag busy = ATOMIC_FLAG_INIT;

void lock() {
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
}
void unlock() { busy.clear(std::memory_order_release); }

constexpr std::size_t most_threads = 255;  // at the same time; further threads share the last number
std::array<bool, most_threads> taken{};

/// The number of a thread, which is reused after its end.
class ThreadNumber {
 public:
  ~ThreadNumber() {
    if (value_ == most_threads) return;
    lock();
    taken[value_] = false;
    unlock();
  }
  /// Reserves a number before a call that may block for long.
  void take() {
    if (value_ != most_threads) return;
    lock();
    choose();
    unlock();
  }
  /// \pre this thread holds the lock
  std::uint8_t get() {
    if (value_ == most_threads) choose();  // in MPI_Init, before the record exists
    return static_cast<std::uint8_t>(value_);
  }

 private:
  void choose() {
    value_ = static_cast<std::size_t>(std::find(taken.begin(), taken.end() - 1, false) - taken.begin());
    taken[value_] = true;
    record()->threads = std::max(record()->threads, static_cast<std::uint32_t>(value_ + 1));
  }

  std::size_t value_ = most_threads;
};
thread_local ThreadNumber thread;

/// Returns the world rank of the partner; negative for none and for any.
int world_rank(const Members& members, int partner) {
  return partner >= 0 && partner < static_cast<int>(members.world.size())
             ? members.world[static_cast<std::size_t>(partner)]
             : -1;
}

void add_peer(int rank, std::int64_t bytes) {
  Record& file = *record();
  if (!is_recording() || rank < 0 || static_cast<std::uint32_t>(rank) >= file.peers) return;
  ++file.peer[static_cast<std::size_t>(rank)].messages;
  file.peer[static_cast<std::size_t>(rank)].bytes += bytes;
}

std::uint64_t message_key(std::uint64_t comm, Way way, int my_rank, int partner, int tag) {
  return way == Way::out ? next_message(comm, my_rank, partner, tag) : next_message(comm, partner, my_rank, tag);
}

}  // namespace

std::uint64_t Requests::key(int i) const {
  if (fortran != nullptr) {
    const MPI_Fint value = fortran[i];
    if (value == no_request_in_fortran()) return 0;
#ifdef OPEN_MPI
    return static_cast<std::uint32_t>(value) | (1ULL << 63);
#else
    return static_cast<std::uint32_t>(value);
#endif
  }
  if (c[i] == no_request()) return 0;
  std::uint64_t key = 0;
  __builtin_memcpy(&key, &c[i], sizeof(MPI_Request));
  return key;
}

Query::Query(Function function, const void* address) {
  if (++depth != 1 || record() == nullptr) return;
  lock();
  add_query(site_of(function, address));
  unlock();
}

Query::~Query() { --depth; }

void heed(int level) {
  if (record() == nullptr || level < 0 || level > 2) return;
  lock();
  switch_recording(level != 0);
  unlock();
}

Call::Call(Function function, const void* address) : function_(function), address_(address) { ++depth; }

Call::~Call() {
  if (locked_) unlock();
  --depth;
}

void Call::goes() {
  if (depth == 1 && record() != nullptr) thread.take();
  start_ = now();
}

bool Call::ends() {
  const bool is_init = function_ == F_Init || function_ == F_Init_thread;
  if (depth != 1 || (record() == nullptr && !is_init)) return false;
  end_ = now();
  lock();
  noted_ = locked_ = true;
  if (!is_init) site_ = site_of(function_, address_);
  return true;
}

void Call::begins() {
  if (record() != nullptr) return;
  begin_record();
  if (record() == nullptr) return;
  site_ = site_of(function_, address_);
  add_call(site_, start_, end_, 0);
  record()->last = start_ = end_ = record()->begin;  // on the timeline, which starts here
  add_event(event());
}

void Call::finishes() {
  if (depth == 1 && record() != nullptr) finish_record();
}

Event Call::event() const {
  Event event{};
  event.start = event.enter = start_;
  event.leave = end_;
  event.site = event.wait_site = site_;
  event.thread = thread.get();
  return event;
}

void Call::plain(std::int64_t bytes) {
  add_call(site_, start_, end_, bytes);
  Event one = event();
  one.bytes = bytes;
  add_event(one);
}

void Call::message(Way way, CommRef comm, int partner, int tag, std::int64_t bytes) {
  add_call(site_, start_, end_, bytes);
  also(way, comm, partner, tag, bytes);
}

void Call::also(Way way, CommRef comm, int partner, int tag, std::int64_t bytes) {
  const Members& members = members_of(comm.comm, comm.key);
  Event one = event();
  one.bytes = bytes;
  one.peer = world_rank(members, partner);
  one.communicator = members.index;
  one.role = way == Way::out ? Role::send : Role::receive;
  if (one.peer >= 0 && !members.between) one.key = message_key(members.id, way, members.rank, partner, tag);
  if (way == Way::out) add_peer(one.peer, bytes);
  add_event(one);
}

void Call::starts(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Requests request) {
  prepare(way, comm, partner, tag, bytes, request);
  if (Pending* pending = pending_of(request.key(0))) {
    pending->persistent = false;
    restarts(0, request);
    --record()->calls;  // counts as one call
  }
}

void Call::prepare(Way way, CommRef comm, int partner, int tag, std::int64_t bytes, Requests request) {
  add_call(site_, start_, end_, bytes);
  const std::uint64_t key = request.key(0);
  Pending* pending = key == 0 ? nullptr : add_pending(key);
  if (pending == nullptr) return;
  const Members& members = members_of(comm.comm, comm.key);
  pending->persistent = true;
  pending->communicator = members.between ? 0 : members.id;
  pending->source = partner;
  pending->tag = tag;
  pending->my_rank = members.rank;
  Event& one = pending->event = event();
  one.bytes = bytes;
  one.peer = world_rank(members, partner);
  one.communicator = members.index;
  one.role = way == Way::out ? Role::send : Role::receive;
}

void Call::restarts(int n, Requests requests) {
  const bool own = n == 0;  // started by the call that created it
  if (!own) plain(0);
  for (int i = 0; i < std::max(n, 1); ++i) {
    Pending* pending = pending_of(requests.key(i));
    if (pending == nullptr || pending->request == 0) continue;
    Event& one = pending->event;
    one.start = start_;
    one.site = site_;
    pending->active = true;
    pending->calls_before = record()->calls;
    const bool out = one.role == Role::send;
    if (out) add_peer(one.peer, one.bytes);
    pending->open = !out && (pending->source == MPI_ANY_SOURCE || pending->tag == MPI_ANY_TAG);
    one.key = 0;
    if (!pending->open && one.peer >= 0 && pending->communicator != 0) {
      one.key =
          message_key(pending->communicator, out ? Way::out : Way::in, pending->my_rank, pending->source, pending->tag);
    }
    if (own) {  // the call itself, for the timeline
      Event call = event();
      call.bytes = one.bytes;
      call.peer = one.peer;
      add_event(call);
    }
  }
  if (own) ++record()->calls;
}

void Call::set_key(Event& one, Sync sync, Members& members) {
  one.communicator = members.index;
  one.role = sync.role;
  one.peer = sync.role == Role::all ? gift_ : sync.root;
  ++members.collectives;
  if (sync.role != Role::none && !members.between && members.size > 1)
    one.key = mixed(members.id, members.collectives) | 1;
}

void Call::collective(Sync sync, CommRef comm, std::int64_t bytes) {
  add_call(site_, start_, end_, bytes);
  Event one = event();
  one.bytes = bytes;
  set_key(one, sync, members_of(comm.comm, comm.key));
  add_event(one);
}

void Call::start_all(Sync sync, CommRef comm, std::int64_t bytes, Requests request) {
  plain(bytes);
  Event one = event();
  one.bytes = bytes;
  set_key(one, sync, members_of(comm.comm, comm.key));
  const std::uint64_t key = request.key(0);
  Pending* pending = key == 0 ? nullptr : add_pending(key);
  if (pending == nullptr) return;
  pending->event = one;
  pending->active = true;
  pending->calls_before = record()->calls;
}

std::int64_t Blocks::operator[](int rank) const {
  MPI_Datatype one = types != nullptr           ? types[rank]
                     : fortran_types != nullptr ? type_from_fortran(fortran_types[rank])
                                                : type;
  int size = 0;
  if (one != no_type() && counts[rank] != 0) REAL(Type_size)(one, &size);
  return static_cast<std::int64_t>(size) * counts[rank];
}

void Call::to_all(CommRef comm, std::int64_t bytes) {
  const Members& members = members_of(comm.comm, comm.key);
  if (bytes == 0) return;
  for (int r = 0; r < static_cast<int>(members.world.size()); ++r) {
    if (r != members.rank) add_peer(members.world[static_cast<std::size_t>(r)], bytes);
  }
}

void Call::to_one(CommRef comm, int rank, std::int64_t bytes) {
  const Members& members = members_of(comm.comm, comm.key);
  if (rank != members.rank && bytes > 0) add_peer(world_rank(members, rank), bytes);
}

void Call::to_each(CommRef comm, const Blocks& blocks) {
  const Members& members = members_of(comm.comm, comm.key);
  for (int r = 0; r < static_cast<int>(members.world.size()); ++r) {
    const std::int64_t bytes = r == members.rank ? 0 : blocks[r];
    if (bytes > 0) add_peer(members.world[static_cast<std::size_t>(r)], bytes);
  }
}

void Call::pads(CommRef comm, const Blocks& blocks) {
  if (!is_recording()) return;
  const Members& members = members_of(comm.comm, comm.key);
  Site& site = record()->site[site_];
  for (int r = 0; r < members.size; ++r) site.largest_block = std::max(site.largest_block, blocks[r]);
  site.blocks += members.size;
}

void Call::gives(CommRef comm, const Blocks& blocks) {
  const Members& members = members_of(comm.comm, comm.key);
  if (members.between) return;
  thread_local std::vector<std::int64_t> bytes;
  bytes.clear();
  for (int r = 0; r < members.size; ++r) bytes.push_back(blocks[r]);
  gift_ = gift_of(site_, members.group, members.rank, bytes);
}

void Call::gives_alike(CommRef comm, std::int64_t bytes) {
  const Members& members = members_of(comm.comm, comm.key);
  thread_local std::vector<std::int64_t> all;
  if (members.between) return;
  all.assign(static_cast<std::size_t>(members.size), bytes);
  gift_ = gift_of(site_, members.group, members.rank, all);
}

void Call::made(std::uint64_t result) { add_result(site_, result); }

void Call::makes(CommRef comm, CommRef made_one) {
  // A communicator freed by MPI itself may have had the same handle.
  if (made_one.comm != no_communicator()) forget(made_one.key);
  made(made_one.comm == no_communicator() ? 0 : members_of(made_one.comm, made_one.key).group);
  collective(Sync::all, comm, 0);
}

void Call::spawns(CommRef comm, int root, CommRef made_one) {
  int processes = 0;
  if (made_one.comm != no_communicator() && is(comm, root)) REAL(Comm_remote_size)(made_one.comm, &processes);
  record()->spawned += processes;
  makes(comm, made_one);
}

void Call::makes_some(CommRef made_one) {
  if (made_one.comm != no_communicator()) forget(made_one.key);
  made(made_one.comm == no_communicator() ? 0 : members_of(made_one.comm, made_one.key).group);
  plain(0);
}

void Call::makes_window(CommRef comm, std::uint64_t hash) {
  made(mixed(hash, members_of(comm.comm, comm.key).group));
  collective(Sync::all, comm, 0);
}

void Call::frees(CommRef comm) {
  if (depth != 1 || record() == nullptr || comm.comm == no_communicator()) return;
  lock();
  forget(comm.key);
  unlock();
}

namespace {
std::vector<std::uint64_t>& scratch() {
  thread_local auto* keys = new std::vector<std::uint64_t>;  // one per waiting thread
  return *keys;
}
}  // namespace

Waiting::Waiting(Call& call, int n, Requests requests) : call_(call), n_(n), before_(scratch()) {
  if (depth != 1 || record() == nullptr) return;
  before_.resize(static_cast<std::size_t>(std::max(n, 0)));
  for (int i = 0; i < n; ++i) before_[static_cast<std::size_t>(i)] = requests.key(i);
}

void Waiting::ends(bool all, Requests requests, const MPI_Status* status) {
  call_.plain(0);
  for (int i = 0; i < n_; ++i) {
    const std::uint64_t key = before_[static_cast<std::size_t>(i)];
    if (key == 0 || (!all && requests.key(i) == key)) continue;
    Pending* pending = pending_of(key);
    if (pending != nullptr && pending->active) complete(*pending, status);
  }
}

void Waiting::complete(Pending& pending, const MPI_Status* status) {
  Event one = pending.event;
  one.enter = call_.start_;
  one.leave = call_.end_;
  one.wait_site = call_.site_;
  one.wait = static_cast<std::uint32_t>(record()->calls);
  one.visits = static_cast<std::uint16_t>(std::min<std::int64_t>(record()->calls - pending.calls_before - 1, 65535));
  one.thread = thread.get();
  if (pending.open && status != nullptr && status->MPI_SOURCE >= 0 && pending.communicator != 0) {
    one.key = message_key(pending.communicator, Way::in, pending.my_rank, status->MPI_SOURCE, status->MPI_TAG);
  }
  add_event(one);
  pending.active = false;
  if (!pending.persistent) remove(&pending);
}

void Waiting::forgets() {
  call_.plain(0);
  if (Pending* pending = before_.empty() ? nullptr : pending_of(before_[0])) remove(pending);
}

}  // namespace seiche::profile
