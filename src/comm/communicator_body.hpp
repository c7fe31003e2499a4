// SPDX-License-Identifier: BSD-3-Clause
/// \file  Data that the library stores with a communicator.
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

/// Returns the largest message tag of this MPI library, equal on all ranks.
int largest_tag();

CommunicatorBody& body_of(const Communicator& comm) noexcept;

/// Base class of objects that modules store with a communicator. kept_on() creates and finds them.
class KeptOnCommunicator {
 public:
  virtual ~KeptOnCommunicator() = default;
  /// Collective. Frees the memory and MPI objects that depend on the communicator.
  virtual void clear() {}
};

struct CommunicatorBody {
  explicit CommunicatorBody(MPI_Comm raw);
  /// Returns the first of `count` consecutive message tags, one for each user of point-to-point messages. They are
  /// equal on all ranks if they call it in the same order. Tags repeat after largest_tag() users.
  int fresh_tags(std::size_t count = 1);

  CommunicatorHandle handle;
  int rank = 0, size = 1;
  std::map<std::vector<std::int64_t>, std::shared_ptr<CommunicatorBody>> splits;  ///< by the colours of all ranks
  std::map<int, std::shared_ptr<CommunicatorBody>> node;                          ///< by ranks_per_node()
  int last_tag = 0;
  /// Objects in the order of their first use, which is equal on all ranks. They may refer to this communicator: they
  /// are cleared when the caller's communicator is freed.
  std::vector<std::pair<std::type_index, std::unique_ptr<KeptOnCommunicator>>> kept;
};

/// Returns the object of type `Kept` of `comm`. The first use creates it and is collective.
template <class Kept>
Kept& kept_on(const Communicator& comm) {
  auto& all = body_of(comm).kept;
  for (const auto& [type, object] : all) {
    if (type == typeid(Kept)) return static_cast<Kept&>(*object);
  }
  return static_cast<Kept&>(*all.emplace_back(typeid(Kept), std::make_unique<Kept>()).second);
}

}  // namespace seiche
