// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the library keeps with a communicator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "comm/handle.hpp"
#include "seiche/communicator.hpp"

namespace seiche {

/// The largest tag of messages that this MPI offers, the same on all ranks.
int largest_tag();

CommunicatorBody& body_of(const Communicator& comm) noexcept;

/// An object that a module keeps with a communicator. kept_on() makes and finds it.
class KeptOnCommunicator {
 public:
  virtual ~KeptOnCommunicator() = default;
  /// Collective. Frees the memory and MPI objects that depend on the communicator.
  virtual void clear() {}
};

struct CommunicatorBody {
  explicit CommunicatorBody(MPI_Comm raw);
  /// A message tag for one user of point-to-point messages. Called by all ranks in the same order, it is the same on
  /// all. It comes again only after largest_tag() others.
  int fresh_tag();

  CommunicatorHandle handle;
  int rank = 0, size = 1;
  std::map<std::vector<std::int64_t>, std::shared_ptr<CommunicatorBody>> splits;  ///< by everyone's colour
  std::map<int, std::shared_ptr<CommunicatorBody>> node;                          ///< by ranks_per_node()
  int last_tag = 0;
  std::int64_t last_number = 0;  ///< of fresh_number()
  std::int64_t closes = 0;       ///< that this rank has passed, where closes are watched
  /// By rank: the number that it has come to close, by how many closes it had passed.
  std::vector<std::map<std::int64_t, std::int64_t>> arrived;
  /// In the order of their first use, which is the same on all ranks. They may hold this communicator: the library
  /// clears them when the caller's communicator is freed.
  std::vector<std::pair<std::type_index, std::unique_ptr<KeptOnCommunicator>>> kept;
};

/// Returns the object of type `Kept` that `comm` keeps. Makes it at the first use, which is collective.
template <class Kept>
Kept& kept_on(const Communicator& comm) {
  auto& all = body_of(comm).kept;
  for (const auto& [type, object] : all) {
    if (type == typeid(Kept)) return static_cast<Kept&>(*object);
  }
  return static_cast<Kept&>(*all.emplace_back(typeid(Kept), std::make_unique<Kept>()).second);
}

}  // namespace seiche
