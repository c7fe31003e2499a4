// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/communicators.hpp"

#include <array>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "recorder/recorder.hpp"
#include "recorder/symbols.hpp"

namespace seiche::profile {

namespace {

std::unordered_map<std::uint64_t, std::unique_ptr<Members>>& known() {
  static auto* only = new std::unordered_map<std::uint64_t, std::unique_ptr<Members>>;  // outlives static destructors
  return *only;
}

struct Last {
  std::uint64_t key = 0;
  Members* members = nullptr;
};
std::array<Last, 64> recent;

Last& recent_of(std::uint64_t key) { return recent[mixed(key) % recent.size()]; }

std::vector<int> world_ranks(MPI_Comm comm, bool between) {
  MPI_Group group, all;
  between ? REAL(Comm_remote_group)(comm, &group) : REAL(Comm_group)(comm, &group);
  REAL(Comm_group)(world(), &all);
  int size = 0;
  REAL(Group_size)(group, &size);
  std::vector<int> mine(static_cast<std::size_t>(size)), ranks(mine.size());
  std::iota(mine.begin(), mine.end(), 0);
  REAL(Group_translate_ranks)(group, size, mine.data(), all, ranks.data());
  REAL(Group_free)(&group);
  REAL(Group_free)(&all);
  return ranks;
}

std::unique_ptr<Members> look_up(MPI_Comm comm) {
  static auto* made =
      new std::unordered_map<std::uint64_t, std::uint64_t>;  // number of communicators created so far, by group
  auto members = std::make_unique<Members>();
  int between = 0;
  REAL(Comm_test_inter)(comm, &between);
  members->between = between != 0;
  REAL(Comm_size)(comm, &members->size);
  REAL(Comm_rank)(comm, &members->rank);
  members->world = world_ranks(comm, members->between);
  for (const int rank : members->world) members->group = mixed(members->group, static_cast<std::uint64_t>(rank));
  members->id = mixed(members->group, ++(*made)[members->group]);
  Record& file = *record();
  if (file.communicators < communicator_capacity) {
    members->index = file.communicators++;
    file.communicator[members->index] = {members->id, members->size, members->rank};
  }
  return members;
}

}  // namespace

Members& members_of(MPI_Comm comm, std::uint64_t key) {
  Last& last = recent_of(key);
  if (last.key == key && last.members != nullptr) return *last.members;
  auto& found = known()[key];
  if (!found) found = look_up(comm);
  last = {key, found.get()};
  return *found;
}

void forget(std::uint64_t key) {
  recent_of(key) = {};
  known().erase(key);
}

}  // namespace seiche::profile
