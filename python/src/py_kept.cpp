// SPDX-License-Identifier: BSD-3-Clause
#include "py_kept.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "py_errors.hpp"

namespace seiche::python {

namespace {

/// Objects of one communicator in the order of their creation, which is equal on all ranks.
struct Shelf {
  Communicator comm;
  std::vector<std::unique_ptr<Kept>> things;
};

/// Never freed: at process exit, ranks may destroy objects in different orders.
std::map<MPI_Comm, Shelf>& shelves() {
  static auto* all = new std::map<MPI_Comm, Shelf>;
  return *all;
}

std::vector<unsigned char> which_are_over(const Shelf& shelf) {
  std::vector<unsigned char> over;
  for (const auto& thing : shelf.things) over.push_back(thing->over && !thing->busy && thing->arrays == 0);
  return over;
}

std::vector<std::unique_ptr<Kept>> taken_from(Shelf& shelf, const std::vector<unsigned char>& over) {
  std::vector<std::unique_ptr<Kept>> taken, left;
  for (std::size_t i = 0; i < over.size(); ++i) (over[i] ? taken : left).push_back(std::move(shelf.things[i]));
  shelf.things = std::move(left);
  return taken;
}

}  // namespace

void keep(const Communicator& comm, std::unique_ptr<Kept> thing) {
  end_what_is_over(comm);
  auto& shelf = shelves().try_emplace(comm.get(), Shelf{comm, {}}).first->second;
  shelf.things.push_back(std::move(thing));
}

void end_what_is_over(const Communicator& comm) {
  const auto found = shelves().find(comm.get());
  if (mpi_state() == MpiState::ended || found == shelves().end()) return;
  auto over = which_are_over(found->second);
  std::vector<std::unique_ptr<Kept>> ended;
  if (comm.size() > 1 && !over.empty()) {
    const nb::gil_scoped_release released;
    MPI_Allreduce(MPI_IN_PLACE, over.data(), static_cast<int>(over.size()), MPI_UNSIGNED_CHAR, MPI_MIN, comm.get());
  }
  ended = taken_from(found->second, over);
  if (found->second.things.empty()) shelves().erase(found);
  const nb::gil_scoped_release released;
  std::optional<Error> fault;
  for (auto& thing : ended) {
    try {
      thing->end();
    } catch (const Error& error) {
      fault = error;
    }
    thing.reset();
  }
  if (fault) throw Error(*fault);
}

nb::object owner_of_array(Kept& thing) {
  ++thing.arrays;
  return nb::capsule(&thing, [](void* kept) noexcept { --static_cast<Kept*>(kept)->arrays; });
}

}  // namespace seiche::python
