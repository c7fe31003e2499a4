// SPDX-License-Identifier: BSD-3-Clause
/// \file  Communicators and their cache. The cache is attached to MPI objects: a duplicate is an attribute of the
/// caller's communicator, and splits belong to the duplicate. So all plans on one communicator share one duplicate, and
/// one communicator per split. Lookups are consistent on all ranks. The cache is freed with the caller's communicator.
#include "seiche/communicator.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/node.hpp"
#include "seiche/presence.hpp"
#include "support/memory_reserve.hpp"
#include "support/require.hpp"
#include "trace/timeline.hpp"

namespace seiche {

CommunicatorBody::CommunicatorBody(MPI_Comm raw) : handle(raw) {
  check(MPI_Comm_set_errhandler(raw, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(raw, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(raw, &size), "MPI_Comm_size");
}

int CommunicatorBody::fresh_tags(std::size_t count) {
  const int users = static_cast<int>(count), largest = largest_tag();
  const int first = last_tag > largest - users ? 1 : last_tag + 1;
  last_tag = first + (users - 1);  // which may be the largest int
  return first;
}

int largest_tag() {
  constexpr int offered_by_every_mpi = 32767;
  void* value = nullptr;
  int present = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &present), "MPI_Comm_get_attr");
  return present ? *static_cast<int*>(value) : offered_by_every_mpi;
}

namespace {

int limit_of_node = 0;

/// Value of the attribute of a caller's communicator, on the heap.
struct Found {
  std::shared_ptr<CommunicatorBody> body;
  void clear() const {
    for (const auto& [type, object] : body->kept) object->clear();
  }
};

/// All attributes in the order of their creation. The order is equal on all ranks, as the collective cleanup requires.
/// Threads on different communicators share the list. The lock is never held during a collective call.
class AllFound {
 public:
  void add(Found* found) {
    const std::lock_guard lock(mutex_);
    all_.push_back(found);
  }
  void remove(Found* found) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, found);
  }
  bool holds(Found* found) {
    const std::lock_guard lock(mutex_);
    return std::find(all_.begin(), all_.end(), found) != all_.end();
  }
  std::vector<Found*> list() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::vector<Found*> all_;
};

AllFound& all_found() {
  static AllFound all;
  return all;
}

int delete_found(MPI_Comm, int, void* value, void*) {
  auto* found = static_cast<Found*>(value);
  all_found().remove(found);
  found->clear();
  delete found;
  return MPI_SUCCESS;
}

/// Called when MPI_Finalize deletes the attributes of MPI_COMM_SELF, at its beginning. Windows can still be freed then.
int clear_kept(MPI_Comm, int, void*, void*) {
  for (Found* found : all_found().list()) {
    if (all_found().holds(found)) found->clear();  // cleanup of one may free another
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  timeline::save_recording(rank);
  return MPI_SUCCESS;
}

void clear_kept_at_end() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clear_kept, &made, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, made, nullptr), "MPI_Comm_set_attr");
    return made;
  }();
  static_cast<void>(key);
}

int duplicate_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_found, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

Found* found_at(MPI_Comm theirs) {
  void* value = nullptr;
  int present = 0;
  check(MPI_Comm_get_attr(theirs, duplicate_key(), &value, &present), "MPI_Comm_get_attr");
  return present ? static_cast<Found*>(value) : nullptr;
}

}  // namespace

int ranks_per_node() noexcept { return limit_of_node; }
int emulated_node() {
  int rank = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return limit_of_node > 0 ? rank / limit_of_node : rank % -limit_of_node;
}
void set_ranks_per_node(int ranks) noexcept { limit_of_node = ranks; }

Communicator::Communicator(std::shared_ptr<CommunicatorBody> body) : body_(std::move(body)) {}

Communicator::Communicator(MPI_Comm theirs) {
  require_mpi();
  require(theirs != MPI_COMM_NULL, Fault::bad_argument,
          "the communicator is MPI_COMM_NULL: call this function only on members of the communicator");
  int two_groups = 0;
  check(MPI_Comm_test_inter(theirs, &two_groups), "MPI_Comm_test_inter");
  require(two_groups == 0, Fault::bad_argument,
          "intercommunicators are not supported: merge the two groups with MPI_Intercomm_merge");
  if (Found* found = found_at(theirs)) {
    body_ = found->body;
    return;
  }
  hold_memory_reserve();
  MPI_Comm raw = MPI_COMM_NULL;
  check(MPI_Comm_dup(theirs, &raw), "MPI_Comm_dup");
  body_ = std::make_shared<CommunicatorBody>(raw);
  clear_kept_at_end();
  auto* found = new Found{body_};
  all_found().add(found);
  check(MPI_Comm_set_attr(theirs, duplicate_key(), found), "MPI_Comm_set_attr");
}

Communicator Communicator::split(int color) const {
  const auto colors = gather_all(*this, color);
  auto& cached = body_->splits[colors];
  if (!cached) {
    MPI_Comm raw = MPI_COMM_NULL;
    check(MPI_Comm_split(get(), color, rank(), &raw), "MPI_Comm_split");
    cached = std::make_shared<CommunicatorBody>(raw);
  }
  return Communicator(cached);
}

Communicator Communicator::node() const {
  auto& node = body_->node[ranks_per_node()];
  if (!node) {
    MPI_Comm raw = MPI_COMM_NULL;
    check(MPI_Comm_split_type(get(), MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL, &raw), "MPI_Comm_split_type");
    node = std::make_shared<CommunicatorBody>(raw);
    if (ranks_per_node() != 0) node = Communicator(node).split(emulated_node()).body_;
  }
  return Communicator(node);
}

CommunicatorBody& body_of(const Communicator& comm) noexcept { return *comm.body_; }

int Communicator::rank() const noexcept { return body_->rank; }
int Communicator::size() const noexcept { return body_->size; }
MPI_Comm Communicator::get() const noexcept { return body_->handle.get(); }

}  // namespace seiche
